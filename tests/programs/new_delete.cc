// operator new in every form: plain, array, nothrow, aligned, one that throws; and the sized and aligned deletes. Each is
// one allocation at its caller, although it calls malloc or aligned_alloc inside.
#include <new>

#include "truth.h"

TRUTH_ROW(by_new);
TRUTH_ROW(by_new_array);
TRUTH_ROW(by_nothrow);
TRUTH_ROW(by_aligned_new);
TRUTH_ROW(by_failing_new);

struct Plain {
  char bytes[72];
};
struct alignas(128) Aligned {
  char bytes[256];
};

SITE static Plain *by_new() {
  Plain *block = new Plain;
  took(&row_by_new, sizeof(Plain));
  return block;
}

SITE static Plain *by_new_array() {
  Plain *block = new Plain[10];
  took(&row_by_new_array, 10 * sizeof(Plain));
  return block;
}

SITE static void *by_nothrow() {
  void *block = ::operator new(333, std::nothrow);
  took(&row_by_nothrow, 333);
  return block;
}

SITE static Aligned *by_aligned_new() {
  Aligned *block = new Aligned;
  MUST(reinterpret_cast<size_t>(block) % 128 == 0);
  took(&row_by_aligned_new, sizeof(Aligned));
  return block;
}

SITE static void by_failing_new() {
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

int main() {
  for (int i = 0; i < 100; ++i) {
    Plain *plain = by_new();
    Plain *array = by_new_array();
    void *nothrow = by_nothrow();
    Aligned *aligned = by_aligned_new();
    if (i % 2) {
      delete plain;
      gave(&row_by_new, sizeof(Plain));
      delete[] array;
      gave(&row_by_new_array, 10 * sizeof(Plain));
      ::operator delete(nothrow, std::nothrow);
      gave(&row_by_nothrow, 333);
      delete aligned;
      gave(&row_by_aligned_new, sizeof(Aligned));
    }
    by_failing_new();
  }
  // by_failing_new's rows: the exception object (libsupc++ takes it with malloc) is the only thing that it allocates, and
  // its size is the library's business; so its row is not printed.
  truth_print(1, &row_by_new, &row_by_new_array, &row_by_nothrow, &row_by_aligned_new, nullptr);
  (void)row_by_failing_new;
  return 0;
}
