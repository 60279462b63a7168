// C++ exceptions through frames that allocate, from depth, in their thousands; some thrown by operator new itself, and
// allocations in destructors during the unwinding. After each, deeper calls must still be counted.
#include <new>

#include "truth.h"

TRUTH_ROW(in_destructor);
TRUTH_ROW(before_throw);
TRUTH_ROW(after_catch);

SITE static void in_destructor() {
  void *volatile block = malloc(48);
  (void)block;
  took(&row_in_destructor, 48);
}

SITE static void *before_throw() {
  void *block = ::operator new(3000);
  took(&row_before_throw, 3000);
  return block;
}

SITE static void after_catch(int depth) {
  volatile char frame[512];
  frame[depth] = 1;
  if (depth > 0) return after_catch(depth - 1);
  void *volatile block = malloc(64);
  (void)block;
  took(&row_after_catch, 64);
}

struct Noisy {
  void *block = before_throw();
  ~Noisy() {
    in_destructor();
    ::operator delete(block);
    gave(&row_before_throw, 3000);
  }
};

SITE static void descend(int depth) {
  Noisy noisy;
  volatile size_t impossible = static_cast<size_t>(-1) / 4;
  if (depth == 0) {
    void *volatile never = ::operator new(impossible);
    (void)never;
  }
  if (depth < 0) throw depth;
  descend(depth - 1);
}

int main() {
  for (int i = 0; i < 2000; ++i) {
    try {
      descend(i % 2 ? 5 : -1);
    } catch (const std::bad_alloc &) {
    } catch (int) {
    }
    after_catch(8);
  }
  truth_print(1, &row_in_destructor, &row_before_throw, &row_after_catch, nullptr);
  return 0;
}
