// Calls of every kind that names and lines can go wrong for. The tests find lines by the labels. Each function writes
// `sink` after its probe, so that no compiler makes the probe a tail call.
#include "probe.h"

#define NOINLINE __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))

extern "C" int f(int x);  // calls.c: a C name that is also a valid encoding of a type

volatile int sink;

namespace outer {
namespace {

INLINE int AnonymousInlined(int x) {
  Probe("anonymous");
  sink = sink + 1;
  return x + 1;
}

struct Local {
  INLINE int Method(int x) {
    Probe("method");
    sink = sink + 1;
    return AnonymousInlined(x);  // call:anonymous
  }
};

NOINLINE int AnonymousReal(int x) {
  Probe("anonymous_real");
  sink = sink + 1;
  return x + sink;
}

}  // namespace

class Shape {
 public:
  NOINLINE int Area(int x) {
    Local local;
    auto lambda = [&](int y) __attribute__((always_inline)) {
      Probe("lambda");
      sink = sink + 1;
      return local.Method(y);  // call:method
    };
    return lambda(x);  // call:lambda
  }
};

template <typename T>
NOINLINE T Twice(T x) {
  Probe("template");
  sink = sink + 1;
  return x + x;
}

NOINLINE int Hot(int x) {
  if (__builtin_expect(x == 77, 0)) {
    ColdProbe("cold");
    sink = sink + 1;
  }
  return x * 3;
}

NOINLINE int InLocalClass(int x) {
  struct Inner {
    NOINLINE static int Work(int y) {
      Probe("local_class");
      sink = sink + 1;
      return y + sink;
    }
  };
  return Inner::Work(x) + 1;
}

[[noreturn]] NOINLINE void Last() { LastProbe("noreturn"); }

}  // namespace outer

int main() {
  outer::Shape shape;
  sink = shape.Area(1);
  sink = outer::Twice(2.5) > 1;
  sink = outer::AnonymousReal(3);
  sink = outer::Hot(77);
  sink = outer::InLocalClass(4);
  sink = f(5);
  Probe("main");
  outer::Last();
}
