// A C++ program whose allocator brings its own operator new and delete (jemalloc, tcmalloc, mimalloc as libraries): every
// form of both, called directly, through pointers, from a library that is loaded later, and failing.
// Usage: own_allocator LIBRARY ROUNDS
#include <dlfcn.h>

#include <new>
#include <string>
#include <vector>

#include "truth.h"

TRUTH_ROW(by_new);
TRUTH_ROW(by_array);
TRUTH_ROW(by_nothrow);
TRUTH_ROW(by_nothrow_array);
TRUTH_ROW(by_aligned);
TRUTH_ROW(by_aligned_array);
TRUTH_ROW(by_aligned_nothrow);
TRUTH_ROW(by_aligned_nothrow_array);
TRUTH_ROW(by_pointer);
TRUTH_ROW(by_malloc);
TRUTH_ROW(by_vector);
TRUTH_ROW(late_new);

constexpr std::align_val_t kAlignment{256};

#define MAKER(name, bytes, ...)                                    \
  SITE static void *name() {                                       \
    void *block = __VA_ARGS__;                                     \
    MUST(block);                                                   \
    took(&row_##name, bytes);                                      \
    return block;                                                  \
  }
MAKER(by_new, 40, ::operator new(40))
MAKER(by_array, 410, ::operator new[](410))
MAKER(by_nothrow, 333, ::operator new(333, std::nothrow))
MAKER(by_nothrow_array, 3330, ::operator new[](3330, std::nothrow))
MAKER(by_aligned, 512, ::operator new(512, kAlignment))
MAKER(by_aligned_array, 5120, ::operator new[](5120, kAlignment))
MAKER(by_aligned_nothrow, 768, ::operator new(768, kAlignment, std::nothrow))
MAKER(by_aligned_nothrow_array, 7680, ::operator new[](7680, kAlignment, std::nothrow))
MAKER(by_malloc, 100000, malloc(100000))

static void *(*volatile new_pointer)(size_t) = ::operator new;
MAKER(by_pointer, 200, new_pointer(200))

SITE static void by_vector() {
  std::vector<char> vector;
  vector.reserve(1000);
  took(&row_by_vector, 1000);
  gave(&row_by_vector, 1000);
}

SITE static void failing() {
  volatile size_t impossible = static_cast<size_t>(-1) / 4;
  bool caught = false;
  try {
    void *volatile block = ::operator new(impossible);
    (void)block;
  } catch (const std::bad_alloc &) {
    caught = true;
  }
  MUST(caught);
  MUST(::operator new(impossible, std::nothrow) == nullptr);
}

// Each block is ended by another of the forms that may end it.
static void end(int round, void *plain, void *array, void *nothrow, void *nothrow_array) {
  switch (round % 3) {
    case 0: ::operator delete(plain); ::operator delete[](array); break;
    case 1: ::operator delete(plain, 40); ::operator delete[](array, 410); break;
    default: ::operator delete(plain, std::nothrow); ::operator delete[](array, std::nothrow);
  }
  ::operator delete(nothrow, std::nothrow);
  ::operator delete[](nothrow_array, std::nothrow);
  gave(&row_by_new, 40);
  gave(&row_by_array, 410);
  gave(&row_by_nothrow, 333);
  gave(&row_by_nothrow_array, 3330);
}

static void end_aligned(int round, void *plain, void *array, void *nothrow, void *nothrow_array) {
  switch (round % 3) {
    case 0: ::operator delete(plain, kAlignment); ::operator delete[](array, kAlignment); break;
    case 1: ::operator delete(plain, 512, kAlignment); ::operator delete[](array, 5120, kAlignment); break;
    default: ::operator delete(plain, kAlignment, std::nothrow); ::operator delete[](array, kAlignment, std::nothrow);
  }
  ::operator delete(nothrow, kAlignment, std::nothrow);
  ::operator delete[](nothrow_array, kAlignment, std::nothrow);
  gave(&row_by_aligned, 512);
  gave(&row_by_aligned_array, 5120);
  gave(&row_by_aligned_nothrow, 768);
  gave(&row_by_aligned_nothrow_array, 7680);
}

static void late(const char *library, int binding, int rounds) {
  void *handle = dlopen(library, binding | RTLD_LOCAL);
  MUST(handle);
  auto make = reinterpret_cast<void *(*)(size_t)>(dlsym(handle, "late_new"));
  auto end_late = reinterpret_cast<void (*)(void *)>(dlsym(handle, "late_delete"));
  MUST(make && end_late);
  for (int i = 0; i < rounds; ++i) {
    void *block = make(600);
    took(&row_late_new, 600);
    if (i % 4 == 0) continue;
    end_late(block);
    gave(&row_late_new, 600);
  }
}

int main(int argc, char **argv) {
  MUST(argc == 3);
  const int rounds = atoi(argv[2]);
  const bool by_the_book = dlsym(RTLD_DEFAULT, "mi_version") == nullptr;  // mimalloc 2.0.9 misses alignments, and aborts for bad_alloc
  for (int i = 0; i < rounds; ++i) {
    void *plain = by_new(), *array = by_array(), *nothrow = by_nothrow(), *nothrow_array = by_nothrow_array();
    void *aligned = by_aligned(), *aligned_array = by_aligned_array();
    void *aligned_nothrow = by_aligned_nothrow(), *aligned_nothrow_array = by_aligned_nothrow_array();
    MUST(!by_the_book || (reinterpret_cast<size_t>(aligned) % 256 == 0 && reinterpret_cast<size_t>(aligned_nothrow_array) % 256 == 0));
    void *pointer = by_pointer(), *block = by_malloc();
    by_vector();
    if (i % 5 == 4) continue;  // a fifth stays
    end(i, plain, array, nothrow, nothrow_array);
    end_aligned(i, aligned, aligned_array, aligned_nothrow, aligned_nothrow_array);
    ::operator delete(pointer);
    gave(&row_by_pointer, 200);
    free(block);
    gave(&row_by_malloc, 100000);
  }
  for (int i = 0; by_the_book && i < 3; ++i) failing();
  late(argv[1], RTLD_LAZY, rounds);
  truth_print(1, &row_by_new, &row_by_array, &row_by_nothrow, &row_by_nothrow_array, &row_by_aligned, &row_by_aligned_array,
              &row_by_aligned_nothrow, &row_by_aligned_nothrow_array, &row_by_pointer, &row_by_malloc, &row_by_vector,
              &row_late_new, nullptr);
  return 0;
}
