// A C++ library that is loaded late and calls operator new and delete.
#include <cstddef>
#include <new>

extern "C" __attribute__((noinline)) void *late_new(size_t bytes) {
  void *block = ::operator new(bytes);
  __asm__ volatile("" : "+r"(block));
  return block;
}
extern "C" void late_delete(void *block) { ::operator delete(block); }
