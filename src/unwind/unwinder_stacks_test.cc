// Stacks other than the one that the main thread was born with, and how much of them the walk itself uses.
#include <gtest/gtest.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstring>
#include <vector>

#include "unwind/captured_stack.h"
#include "unwind/unwinder.h"

namespace heaptally::unwind {
namespace {

const bool initialized = Initialize();

HT_NOINLINE CapturedStack Recurse(int depth) {
  CapturedStack stack = depth == 0 ? Capture() : Recurse(depth - 1);
  __asm__ volatile("" : : "r"(&stack) : "memory");
  return stack;
}

CapturedStack* handler_stack;
void CaptureInHandler(int) { *handler_stack = Recurse(3); }

HT_NOINLINE CapturedStack CaptureInSignal(int flags) {
  CapturedStack stack;
  handler_stack = &stack;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = CaptureInHandler;
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  return stack;
}

size_t ExactFrames(const CapturedStack& stack) {
  return static_cast<size_t>(
      std::count_if(stack.ours.begin(), stack.ours.end(), [](uint64_t frame) { return (frame & kExactPcBit) != 0; }));
}

TEST(UnwindStacks, WalksOutOfAHandler) {
  const CapturedStack stack = CaptureInSignal(0);
  ExpectSameAsLibgcc(stack);
  EXPECT_EQ(ExactFrames(stack), 1u);
}

TEST(UnwindStacks, WalksFromAnAlternateStackToTheInterruptedOne) {
  std::vector<char> memory(64 << 10);
  stack_t alternate{};
  alternate.ss_sp = memory.data();
  alternate.ss_size = memory.size();
  stack_t before{};
  ASSERT_EQ(sigaltstack(&alternate, &before), 0);
  for (int i = 0; i < 3; ++i) {
    const CapturedStack stack = CaptureInSignal(SA_ONSTACK);
    ExpectSameAsLibgcc(stack);
    EXPECT_EQ(ExactFrames(stack), 1u);
  }
  sigaltstack(&before, nullptr);
}

// Runs `body` as a coroutine on the given stack.
struct Coroutine {
  ucontext_t caller;
  ucontext_t context;
  void (*body)(void*);
  void* argument;
};
Coroutine* starting;

void RunBody() { starting->body(starting->argument); }

void RunOn(void* stack, size_t bytes, void (*body)(void*), void* argument) {
  Coroutine coroutine{};
  coroutine.body = body;
  coroutine.argument = argument;
  getcontext(&coroutine.context);
  coroutine.context.uc_stack.ss_sp = stack;
  coroutine.context.uc_stack.ss_size = bytes;
  coroutine.context.uc_link = &coroutine.caller;
  makecontext(&coroutine.context, RunBody, 0);
  starting = &coroutine;
  swapcontext(&coroutine.caller, &coroutine.context);
}

// glibc's makecontext puts the first byte of its __start_context on the stack as a return address; what is before that
// byte belongs to nobody, so the outermost frame has no rule, for libgcc too.
void ExpectWholeCoroutine(const CapturedStack& stack) {
  EXPECT_NE(stack.result.end, End::kBadMemory);
  ExpectSameFrames(stack);
}

void CaptureInCoroutine(void* stack) { *static_cast<CapturedStack*>(stack) = Recurse(10); }

TEST(UnwindStacks, WalksACoroutineOf16KiBOnTheHeap) {
  std::vector<char> memory(16 << 10);
  for (int i = 0; i < 3; ++i) {
    CapturedStack stack;
    RunOn(memory.data(), memory.size(), CaptureInCoroutine, &stack);
    ExpectWholeCoroutine(stack);
  }
}

TEST(UnwindStacks, WalksACoroutineBetweenUnreadablePages) {
  constexpr size_t kPage = 4096;
  constexpr size_t kStack = 16 << 10;
  void* mapping = mmap(nullptr, kStack + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  char* memory = static_cast<char*>(mapping) + kPage;
  mprotect(memory, kStack, PROT_READ | PROT_WRITE);
  CapturedStack stack;
  RunOn(memory, kStack, CaptureInCoroutine, &stack);
  ExpectWholeCoroutine(stack);
  munmap(mapping, kStack + 2 * kPage);
  ExpectSameAsLibgcc(Recurse(5));
}

void* CaptureInThread(void* stack) {
  *static_cast<CapturedStack*>(stack) = Recurse(5);
  return nullptr;
}

TEST(UnwindStacks, WalksTheSmallestThread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // A sanitizer's frames and its own thread start need more than the least.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  pthread_attr_setstacksize(&attributes, 256 << 10);
#else
  pthread_attr_setstacksize(&attributes, static_cast<size_t>(PTHREAD_STACK_MIN));
#endif
  CapturedStack stack;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, CaptureInThread, &stack), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  ExpectSameAsLibgcc(stack);
}

void CaptureInCoroutineOfThread(void* stack) { *static_cast<CapturedStack*>(stack) = Recurse(2); }

void* CaptureInBoth(void* stacks) {
  std::vector<char> memory(32 << 10);
  auto* stack = static_cast<CapturedStack*>(stacks);
  RunOn(memory.data(), memory.size(), CaptureInCoroutineOfThread, stack);
  *(stack + 1) = Recurse(2);
  return nullptr;
}

TEST(UnwindStacks, WalksACoroutineBeforeTheThreadsOwnStack) {
  CapturedStack stacks[2];
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, CaptureInBoth, stacks), 0);
  pthread_join(thread, nullptr);
  ExpectWholeCoroutine(stacks[0]);
  ExpectSameAsLibgcc(stacks[1]);
}

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr char kPaint = 0x5a;

struct PaintedWalk {
  std::vector<char>* stack;
  platform::Registers start;
  uint64_t used_bytes = 0;
};

// On a stack of its own, whose memory below sp is painted: what the walk writes to shows. The stack that is walked is
// another one (the caller's), with every rule missing.
HT_NOINLINE void WalkOnPaint(void* argument) {
  auto* walk = static_cast<PaintedWalk*>(argument);
  static uint64_t frames[kMaxFrames];
  ForgetRules();
  const auto bottom = reinterpret_cast<uint64_t>(walk->stack->data());
  uint64_t below;
  __asm__ volatile("mov %%rsp, %0" : "=r"(below));
  for (uint64_t at = bottom; at < below - 8; ++at) *reinterpret_cast<volatile char*>(at) = kPaint;
  Unwind(walk->start, &captured_bounds, frames, kMaxFrames);
  uint64_t lowest = bottom;
  while (*reinterpret_cast<volatile char*>(lowest) == kPaint) ++lowest;
  walk->used_bytes = below - lowest;
}

HT_NOINLINE platform::Registers Here() { return HT_CALLER_REGISTERS(); }

TEST(UnwindStacks, UsesLessThan768BytesWhenEveryRuleMisses) {
  std::vector<char> memory(64 << 10);
  PaintedWalk walk{&memory, Here()};
  RunOn(memory.data(), memory.size(), WalkOnPaint, &walk);  // resolves what is bound lazily
  const uint64_t misses = RuleMisses();
  RunOn(memory.data(), memory.size(), WalkOnPaint, &walk);
  EXPECT_GT(RuleMisses(), misses);
  EXPECT_GT(walk.used_bytes, 100u);
  EXPECT_LT(walk.used_bytes, 768u);
  RecordProperty("stack_bytes", static_cast<int>(walk.used_bytes));
}
#endif

}  // namespace
}  // namespace heaptally::unwind
