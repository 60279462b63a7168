// The four functions that a compiler may call behind our back. The agent links no libc, and libc's own would be bound
// through a slot that is empty until the agent is relocated. Hidden, so the program never sees them.
#include <cstddef>
#include <cstdint>

extern "C" {

__attribute__((visibility("hidden"))) void* memcpy(void* to, const void* from, size_t bytes) {
  void* result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  return result;
}

__attribute__((visibility("hidden"))) void* memmove(void* to, const void* from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= bytes) return memcpy(to, from, bytes);
  auto* target = static_cast<char*>(to) + bytes;
  auto* source = static_cast<const char*>(from) + bytes;
  while (bytes-- > 0) {
    *--target = *--source;
    __asm__ volatile("" ::: "memory");  // keeps the compiler from turning the loop into a call of memmove
  }
  return to;
}

__attribute__((visibility("hidden"))) void* memset(void* to, int value, size_t bytes) {
  void* result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
  return result;
}

__attribute__((visibility("hidden"))) int memcmp(const void* a, const void* b, size_t bytes) {
  auto* left = static_cast<const unsigned char*>(a);
  auto* right = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < bytes; ++i) {
    if (left[i] != right[i]) return left[i] - right[i];
    __asm__ volatile("" ::: "memory");
  }
  return 0;
}

}  // extern "C"
