// Allocates in every situation in which a stack is unusual: while an exception is on its way (in constructors of the
// thrown object, in destructors, in handlers of other exceptions), in a signal handler that was raised between
// allocations, on an alternate signal stack, in threads, and in deep recursion with variable frames.
//
//   unwind_exceptions [rounds]
#include <alloca.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void Touch(void* memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }

__attribute__((noinline)) void Allocate(size_t bytes) {
  void* block = std::malloc(bytes);
  Touch(block);
  std::free(block);
}

struct AllocatesWhenDestroyed {
  ~AllocatesWhenDestroyed() { Allocate(24); }
};

struct Thrown : std::runtime_error {
  explicit Thrown(int depth) : std::runtime_error("a message too long for the short string buffer"), text(50, 'x') {
    Allocate(static_cast<size_t>(depth) + 1);
  }
  std::string text;
};

__attribute__((noinline)) void ThrowFrom(int depth) {
  AllocatesWhenDestroyed guard;
  void* memory = alloca(static_cast<size_t>(depth % 7) * 48 + 16);
  Touch(memory);
  if (depth == 0) throw Thrown(depth);
  try {
    ThrowFrom(depth - 1);
  } catch (const Thrown&) {
    Allocate(40);
    if (depth % 3 == 0) throw Thrown(depth);
    throw;
  }
}

void AllocateInHandler(int signal) { Allocate(static_cast<size_t>(signal) * 8); }

void AllocateAndThrowInHandler(int) {
  try {
    ThrowFrom(3);
  } catch (const Thrown&) {
    Allocate(16);
  }
}

void InstallHandlers() {
  struct sigaction action {};
  action.sa_handler = AllocateInHandler;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = AllocateAndThrowInHandler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
}

void Work(int rounds) {
  std::vector<char> stack(256 << 10);
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  for (int i = 0; i < rounds; ++i) {
    try {
      ThrowFrom(i % 12);
    } catch (const std::exception&) {
      Allocate(8);
    }
    raise(SIGUSR1);
    if (i % 4 == 0) raise(SIGUSR2);
  }
  alternate.ss_flags = SS_DISABLE;
  sigaltstack(&alternate, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  InstallHandlers();
  Work(rounds);
  std::thread other(Work, rounds);
  Work(rounds);
  other.join();
  std::puts("done");
  return 0;
}
