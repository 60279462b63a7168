// The memo of the last walk: every walk with it must equal the plain walk of the same stack.
//
// Most stacks here are made by hand, in an array on the thread's own stack, from a few functions whose call frame
// information is all that exists of them: then any cell can be changed between two walks, which no compiler would do.
#include "unwind/walk_memo.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "base/branch.h"
#include "platform/thread.h"
#include "unwind/unwinder.h"

extern "C" {
extern const char heaptally_memo_plain[], heaptally_memo_saving[], heaptally_memo_framed[], heaptally_memo_red[],
    heaptally_memo_lost[], heaptally_memo_stop[], heaptally_memo_none[];
}
// plain: CFA = rsp+16. saving: CFA = rsp+24, rbp at CFA-16. framed: CFA = rbp+16, rbp at CFA-16. red: CFA = rsp+8, rbp
// at CFA-16, below rsp. lost: CFA = rsp+16, rbp in another register. none: no information.
#define MEMO_FUNCTION(name, directives) \
  __asm__(".text\nheaptally_memo_" name ":\n.cfi_startproc\n" directives "\n.fill 8, 1, 0x90\n.cfi_endproc\n")
MEMO_FUNCTION("plain", ".cfi_def_cfa_offset 16");
MEMO_FUNCTION("saving", ".cfi_def_cfa_offset 24\n.cfi_offset 6, -16");
MEMO_FUNCTION("framed", ".cfi_def_cfa 6, 16\n.cfi_offset 6, -16");
MEMO_FUNCTION("red", ".cfi_offset 6, -16");
MEMO_FUNCTION("lost", ".cfi_def_cfa_offset 16\n.cfi_register 6, 3");
MEMO_FUNCTION("stop", ".cfi_undefined 16");
__asm__(".text\nheaptally_memo_none:\n.fill 8, 1, 0x90\n");

namespace heaptally::unwind {
namespace {

// A walk that has to look up a rule does not fill the memo: here, walks with a memo come after one without.
const bool initialized = Initialize();

uint64_t At(const char* function, uint64_t call = 1) { return reinterpret_cast<uint64_t>(function) + call; }

struct Walked {
  std::vector<uint64_t> frames;
  End end;
  bool operator==(const Walked&) const = default;
};

class Walker {
 public:
  Walker() : memory_(new Aligned{}), memo_(MemoInZeroedMemory(memory_->bytes)) {}

  HT_NOINLINE Walked Walk(const platform::Registers& start, bool with_memo, uint32_t capacity = kMaxFrames) {
    bounds_.memo = with_memo ? memo_ : nullptr;
    Walked walked;
    walked.frames.resize(capacity);
    const Result result = Unwind(start, &bounds_, walked.frames.data(), capacity);
    walked.frames.resize(result.count);
    walked.end = result.end;
    return walked;
  }

  // Walks twice; returns the frames that the memo gave.
  uint64_t ExpectSame(const platform::Registers& start, uint32_t capacity = kMaxFrames) {
    const uint64_t before = memo_->copied;
    const Walked with = Walk(start, true, capacity);
    const Walked without = Walk(start, false, capacity);
    EXPECT_EQ(with.frames, without.frames);
    EXPECT_EQ(with.end, without.end);
    depth_ = with.frames.size();
    return memo_->copied - before;
  }

  WalkMemo& memo() { return *memo_; }
  StackBounds* bounds() { return &bounds_; }
  size_t depth() const { return depth_; }  // of the last stack

 private:
  struct alignas(64) Aligned {
    char bytes[kWalkMemoBytes];
  };
  std::unique_ptr<Aligned> memory_;
  WalkMemo* memo_;
  StackBounds bounds_;
  size_t depth_ = 0;
};

// A stack made by hand. Frames are pushed from the outermost inwards, as calls would.
class HandMadeStack {
 public:
  explicit HandMadeStack(uint64_t gap = 0) : sp_(Address(kCells - 8) - 8 * gap) {}

  // A copy is the same stack at another place: what points into it moves along.
  HandMadeStack(const HandMadeStack& other) { *this = other; }
  HandMadeStack& operator=(const HandMadeStack& other) {
    const auto moved = [&](uint64_t value) {
      const bool inside = value >= other.Address(0) && value < other.Address(0) + 8 * kCells;
      return inside ? value - other.Address(0) + Address(0) : value;
    };
    for (size_t i = 0; i < kCells; ++i) cells[i] = moved(other.cells[i]);
    sp_ = moved(other.sp_);
    bp_ = moved(other.bp_);
    pc_ = other.pc_;
    return *this;
  }

  uint64_t Address(size_t cell) const { return reinterpret_cast<uint64_t>(&cells[cell]); }

  // Empty again, with all cells as they are.
  HandMadeStack& Restart() {
    sp_ = Address(kCells - 8);
    bp_ = pc_ = 0;
    return *this;
  }

  HandMadeStack& Stop() { return Become(At(heaptally_memo_stop), 2); }
  HandMadeStack& Plain(uint64_t call = 1) { return Call(At(heaptally_memo_plain, call), 1); }
  HandMadeStack& Lost() { return Call(At(heaptally_memo_lost), 1); }
  HandMadeStack& Red(uint64_t bp) {
    Call(At(heaptally_memo_red), 0);
    Put(sp_ - 8, bp_);
    bp_ = bp;
    return *this;
  }
  HandMadeStack& Saving(uint64_t bp, uint64_t call = 1) {
    const uint64_t saved = bp_;
    Call(At(heaptally_memo_saving, call), 2);
    Put(sp_ + 8, saved);
    bp_ = bp;
    return *this;
  }
  // `extra` cells of variable length.
  HandMadeStack& Framed(uint64_t extra, uint64_t call = 1) {
    const uint64_t saved = bp_;
    Call(At(heaptally_memo_framed, call), 1 + extra);
    bp_ = sp_ + 8 * extra;
    Put(bp_, saved);
    return *this;
  }

  platform::Registers Top() const { return {pc_, sp_, bp_, false}; }
  bool HasRoom() const { return sp_ > Address(16); }

  static constexpr size_t kCells = 160;
  std::array<uint64_t, kCells> cells{};

 private:
  void Put(uint64_t address, uint64_t value) { *reinterpret_cast<uint64_t*>(address) = value; }
  HandMadeStack& Become(uint64_t pc, uint64_t local_cells) {
    sp_ -= 8 * local_cells;
    pc_ = pc;
    return *this;
  }
  HandMadeStack& Call(uint64_t callee, uint64_t local_cells) {
    sp_ -= 8;
    Put(sp_, pc_);
    return Become(callee, local_cells);
  }

  uint64_t sp_;
  uint64_t bp_ = 0;
  uint64_t pc_ = 0;
};

TEST(WalkMemo, GivesAllFramesOfAnUnchangedStack) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Framed(3).Plain().Saving(5).Plain();
  EXPECT_EQ(walker.Walk(stack.Top(), false).frames.size(), 6u);
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 0u);
  EXPECT_EQ(walker.Walk(stack.Top(), false).end, End::kComplete);
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 5u);
  stack.Plain().Framed(1);
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 5u);
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 7u);
}

TEST(WalkMemo, SeesTheVariableLengthCalleeReachedInTwoWays) {
  Walker walker;
  HandMadeStack stack;
  for (int i = 0; i < 4; ++i) {
    // The same sp and return address in a caller whose CFA is another. Each time, the other's cells are still there, in
    // what the variable-length arrays cover: only bp tells the two apart.
    stack.Restart().Stop().Framed(1, 2).Framed(6).Plain().Plain(2);
    const platform::Registers one = stack.Top();
    walker.ExpectSame(one);
    EXPECT_EQ(walker.Walk(one, false).frames[3], At(heaptally_memo_framed, 2));
    stack.Restart().Stop().Framed(5, 3).Framed(2).Plain().Plain(2);
    const platform::Registers two = stack.Top();
    ASSERT_EQ(one.sp, two.sp);
    ASSERT_NE(one.bp, two.bp);
    walker.ExpectSame(two);
    EXPECT_EQ(walker.Walk(two, false).frames[3], At(heaptally_memo_framed, 3));
  }
}

TEST(WalkMemo, TellsTheLevelsOfARecursionApart) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop();
  for (size_t depth = 1; depth < 20; ++depth) {
    walker.ExpectSame(stack.Top());
    EXPECT_EQ(walker.depth(), depth);
    stack.Plain();
  }
}

TEST(WalkMemo, ComparesBpThatDiffersWhileAllCellsAreTheSame) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain(2).Framed(0).Plain(3).Framed(4).Plain();
  platform::Registers top = stack.Top();
  walker.Walk(top, false);
  walker.ExpectSame(top);
  EXPECT_EQ(walker.ExpectSame(top), 5u);
  top.bp += 8 * 6;  // as if the inner framed function were the outer one
  EXPECT_NE(walker.Walk(top, false), walker.Walk(stack.Top(), false));
  walker.ExpectSame(top);
  walker.ExpectSame(stack.Top());
}

TEST(WalkMemo, ComparesTheSlotsThatBpIsReloadedFrom) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain(2).Framed(0).Plain(3).Framed(4).Saving(77).Plain();
  const platform::Registers top = stack.Top();
  walker.Walk(top, false);
  walker.ExpectSame(top);
  EXPECT_EQ(walker.ExpectSame(top), 6u);
  uint64_t* slot = nullptr;
  for (uint64_t& cell : stack.cells) {
    if (slot == nullptr && cell > stack.Address(0) && cell < stack.Address(HandMadeStack::kCells)) slot = &cell;
  }
  ASSERT_NE(slot, nullptr);
  const Walked before = walker.Walk(top, false);
  *slot += 8 * 6;
  EXPECT_NE(walker.Walk(top, false), before);
  walker.ExpectSame(top);
}

TEST(WalkMemo, DoesNotCompareBpWhereNobodyReadsIt) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Saving(5).Plain();
  platform::Registers top = stack.Top();
  walker.Walk(top, false);
  walker.ExpectSame(top);
  top.bp = 1234;
  for (uint64_t& cell : stack.cells) cell += cell == 5 ? 1 : 0;
  EXPECT_EQ(walker.ExpectSame(top), 3u);
}

TEST(WalkMemo, SeesThatAnOuterFrameWasReplacedBelowAnUnchangedOne) {
  Walker walker;
  HandMadeStack place;
  const HandMadeStack one = HandMadeStack().Stop().Plain(1).Plain(2).Saving(9).Plain(3).Plain(4);
  const HandMadeStack two = HandMadeStack().Stop().Plain(5).Plain(2).Saving(9).Plain(3).Plain(4);
  const HandMadeStack three = HandMadeStack().Stop().Plain(1).Plain(6).Saving(9).Plain(3).Plain(4);
  for (int i = 0; i < 4; ++i) {
    for (const HandMadeStack* stack : {&one, &two, &three}) {
      walker.ExpectSame((place = *stack).Top());
      EXPECT_EQ(walker.depth(), 6u);
    }
  }
}

TEST(WalkMemo, IsNotUsedForStepsOfOtherKinds) {
  Walker walker;
  const HandMadeStack with_lost = HandMadeStack().Stop().Plain().Lost().Plain();
  const HandMadeStack with_red = HandMadeStack().Stop().Plain().Red(3).Plain();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(walker.ExpectSame(with_lost.Top()), 0u);
    EXPECT_EQ(walker.ExpectSame(with_red.Top()), 0u);
  }
  EXPECT_EQ(walker.memo().first(), walker.memo().end());
}

TEST(WalkMemo, IsNotUsedForAStackOnTheHeap) {
  Walker walker;
  const auto stack = std::make_unique<HandMadeStack>();
  stack->Stop().Plain().Plain();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(walker.ExpectSame(stack->Top()), 0u);
  EXPECT_EQ(walker.depth(), 3u);
}

TEST(WalkMemo, AnswersForEveryCapacity) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Framed(3).Plain().Saving(5).Plain();
  for (int i = 0; i < 2; ++i) {
    for (uint32_t capacity = 0; capacity < 9; ++capacity) walker.ExpectSame(stack.Top(), capacity);
    for (uint32_t capacity = 9; capacity-- > 0;) walker.ExpectSame(stack.Top(), capacity);
  }
}

void PushRandomFrames(std::mt19937& random, unsigned depth, HandMadeStack* pushed_on) {
  HandMadeStack& stack = *pushed_on;
  for (unsigned i = 0; i < depth && stack.HasRoom(); ++i) {
    const unsigned kind = random() % 64;
    if (kind < 24) {
      stack.Plain(1 + random() % 2);
    } else if (kind < 40) {
      stack.Framed(random() % 4, 1 + random() % 2);
    } else if (kind < 62) {
      stack.Saving(random() % 2 == 0 ? random() % 4 : stack.Address(random() % HandMadeStack::kCells),
                   1 + random() % 2);
    } else if (kind == 62) {
      stack.Red(random() % 4);
    } else {
      stack.Lost();
    }
  }
}

HandMadeStack RandomStack(std::mt19937& random) {
  HandMadeStack stack(random() % 3);
  if (random() % 8 != 0) stack.Stop();
  PushRandomFrames(random, random() % 24, &stack);
  return stack;
}

uint64_t RandomCell(std::mt19937& random, const HandMadeStack& stack) {
  switch (random() % 4) {
    case 0:
      return stack.cells[random() % HandMadeStack::kCells];
    case 1:
      return stack.Address(random() % HandMadeStack::kCells);
    case 2:
      return At(random() % 2 == 0 ? heaptally_memo_framed : heaptally_memo_plain);
    default:
      return random() % 2 == 0 ? 0 : At(random() % 2 == 0 ? heaptally_memo_none : heaptally_memo_stop);
  }
}

TEST(WalkMemo, EqualsThePlainWalkOnRandomStacks) {
  std::mt19937 random(20240607);
  Walker walker;
  HandMadeStack place;
  uint64_t copied = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    platform::Registers outer = (place = RandomStack(random)).Top();
    for (int j = 0; j < 20 && !HasFailure(); ++j) {
      platform::Registers top = outer;
      if (random() % 4 == 0) top.bp = RandomCell(random, place);
      if (random() % 16 == 0) top.pc_is_exact = true;
      copied += walker.ExpectSame(top, random() % 8 == 0 ? random() % 24 : kMaxFrames);
      if (random() % 8 == 0) {
        PushRandomFrames(random, 1 + random() % 3, &place);
        outer = place.Top();
      }
      // One step outwards, as if the innermost frame had returned; or other cells.
      End end;
      if (random() % 4 == 0 && !top.pc_is_exact) Step(&outer, walker.bounds(), &end);
      if (random() % 2 == 0) place.cells[random() % HandMadeStack::kCells] = RandomCell(random, place);
    }
  }
  EXPECT_GT(copied, 100000u);
  RecordProperty("frames_copied", static_cast<int>(copied));
}

// Deeper than half of the ring, than the ring, and changing between them.
HT_NOINLINE uint64_t Deep(int depth, Walker* walker, uint32_t capacity) {
  volatile uint64_t frame[2] = {};
  frame[0] = depth == 0 ? walker->ExpectSame(HT_CALLER_REGISTERS(), capacity) : Deep(depth - 1, walker, capacity);
  __asm__ volatile("" : : "r"(frame) : "memory");
  return frame[0];
}

TEST(WalkMemo, HoldsDeepStacks) {
  Walker walker;
  for (const int depth : {10, 200, 300, 280, 440, 20, 470, 480, 900, 5, 480, 481, 482, 100, 300}) {
    for (const uint32_t capacity : {kMaxFrames, 64u, kMaxFrames}) Deep(depth, &walker, capacity);
  }
  uint64_t copied = 0;
  for (int i = 0; i < 3; ++i) {
    __asm__ volatile("" : "+r"(i));  // not unrolled: from one place
    copied = Deep(440, &walker, kMaxFrames);
  }
  EXPECT_EQ(copied, walker.depth() - 1);
}

TEST(WalkMemo, IsEmptiedByForgetRules) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Plain();
  for (int i = 0; i < 20; ++i) {  // the cache's own generation is the same again after 8
    const Walked walked = walker.Walk(stack.Top(), true);
    EXPECT_EQ(walked.frames.size(), 3u);
    const uint64_t before = walker.memo().copied;
    for (int j = 0; j < i; ++j) ForgetRules();
    walker.Walk(stack.Top(), true);
    EXPECT_EQ(walker.memo().copied - before, i == 0 ? 2u : 0u);
    walker.Walk(stack.Top(), true);  // the rules' first walk after they were forgotten does not fill it
    walker.Walk(stack.Top(), true);
  }
}

// What another user's memo does: occupied while a user's frame lives.
HT_NOINLINE uint64_t WalkWhileInUse(Walker* walker, const platform::Registers& start) {
  const MemoUse use(*walker->bounds());
  EXPECT_NE(use.memo(), nullptr);
  const uint64_t copied = walker->ExpectSame(start);
  __asm__ volatile("" : : "r"(&use) : "memory");
  return copied;
}

TEST(WalkMemo, IsLeftAloneWhileAnotherUserLives) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Plain();
  walker.Walk(stack.Top(), false);
  walker.ExpectSame(stack.Top());
  walker.bounds()->memo = &walker.memo();
  EXPECT_EQ(WalkWhileInUse(&walker, stack.Top()), 0u);
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 2u);
}

sigjmp_buf leave;
HT_NOINLINE void LeaveWhileInUse(Walker* walker) {
  const MemoUse use(*walker->bounds());
  EXPECT_NE(use.memo(), nullptr);
  __asm__ volatile("" : : "r"(&use) : "memory");
  siglongjmp(leave, 1);
}

// All of it, from the stack pointer on: a function's own frame would leave gaps. For functions that have no red zone.
HT_ALWAYS_INLINE void OverwriteStackBelow() {
  __asm__ volatile("mov $1024, %%ecx\n1:\n push $1\n dec %%ecx\n jnz 1b\n add $8192, %%rsp"
                   :
                   :
                   : "rcx", "memory", "cc");
}

TEST(WalkMemo, IsFreeAgainAfterALongJumpOutOfItsUse) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Plain();
  walker.Walk(stack.Top(), false);
  walker.ExpectSame(stack.Top());
  walker.bounds()->memo = &walker.memo();
  if (sigsetjmp(leave, 1) == 0) LeaveWhileInUse(&walker);
  EXPECT_NE(walker.memo().user, 0u);
  OverwriteStackBelow();
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 2u);
  EXPECT_EQ(walker.memo().user, 0u);
}

// Handlers at random moments of walks, which walk other stacks with the same memo, and now and then leave by a jump.
Walker* handler_walker;
volatile uint64_t handled;
volatile bool may_leave;
void WalkInHandler(int) {
  handled = handled + 1;
  handler_walker->bounds()->memo = &handler_walker->memo();
  HandMadeStack stack;
  stack.Stop().Plain(2).Framed(handled % 3).Plain();
  uint64_t frames[16];
  StackBounds bounds = *handler_walker->bounds();
  const Result result = Unwind(stack.Top(), &bounds, frames, 16);
  if (result.count != 4 || frames[2] != At(heaptally_memo_plain, 2) || frames[3] != At(heaptally_memo_stop)) abort();
  if (may_leave && handled % 4 == 0) siglongjmp(leave, 1);
}

TEST(WalkMemo, MayBeInterruptedAtAnyMoment) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Plain().Framed(2).Saving(4).Plain();
  const Walked expected = walker.Walk(stack.Top(), false);
  walker.bounds()->memo = &walker.memo();
  handler_walker = &walker;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = WalkInHandler;
  sigaction(SIGUSR1, &action, &before);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  timer_t timer;
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  itimerspec every{};
  every.it_value.tv_nsec = every.it_interval.tv_nsec = 20000;
  handled = 0;
  volatile uint64_t wrong = 0;
  (void)sigsetjmp(leave, 1);
  may_leave = true;
  timer_settime(timer, 0, &every, nullptr);
  while (handled < 20000) {
    uint64_t frames[16];
    StackBounds bounds = *walker.bounds();
    bounds.memo = &walker.memo();
    const Result result = Unwind(stack.Top(), &bounds, frames, 16);
    if (result.count != expected.frames.size() || memcmp(frames, expected.frames.data(), 8 * result.count) != 0) {
      wrong = wrong + 1;
    }
  }
  may_leave = false;
  timer_delete(timer);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(wrong, 0u);
  OverwriteStackBelow();
  walker.ExpectSame(stack.Top());
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 5u);
}

#if !defined(__SANITIZE_THREAD__)
Walker* coroutine_walker;
ucontext_t coroutine;
ucontext_t caller;
void WalkInCoroutine() {
  HandMadeStack stack;
  stack.Stop().Plain().Plain();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(coroutine_walker->ExpectSame(stack.Top()), 0u);
  EXPECT_EQ(Deep(5, coroutine_walker, kMaxFrames), 0u);
}

TEST(WalkMemo, IsNotUsedOnACoroutine) {
  Walker walker;
  HandMadeStack stack;
  stack.Stop().Plain().Plain();
  walker.Walk(stack.Top(), false);
  walker.ExpectSame(stack.Top());
  coroutine_walker = &walker;
  std::vector<char> memory(256 << 10);
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = memory.data();
  coroutine.uc_stack.ss_size = memory.size();
  coroutine.uc_link = &caller;
  makecontext(&coroutine, WalkInCoroutine, 0);
  swapcontext(&caller, &coroutine);
  EXPECT_EQ(walker.ExpectSame(stack.Top()), 2u);
}
#endif

// The same in compiled code: the callee's return address and sp are the same, what its caller keeps is not.
HT_NOINLINE void Leaf(Walker* walker) { walker->ExpectSame(HT_CALLER_REGISTERS()); }

HT_NOINLINE void WithVariableLength(size_t bytes, Walker* walker) {
  void* memory = alloca(bytes);
  __asm__ volatile("" : : "r"(memory) : "memory");
  Leaf(walker);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

HT_NOINLINE void Between(size_t bytes, size_t rest, Walker* walker) {
  void* memory = alloca(rest);
  __asm__ volatile("" : : "r"(memory) : "memory");
  WithVariableLength(bytes, walker);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

TEST(WalkMemo, EqualsThePlainWalkOfVariableLengthFrames) {
  Walker walker;
  for (size_t i = 0; i < 2000; ++i) {
    const size_t bytes = 16 * (i * 7 % 11);
    if (i % 3 == 0) {
      Between(bytes, 160 - bytes, &walker);
    } else {
      Between(160 - bytes, bytes, &walker);
    }
  }
  EXPECT_GT(walker.memo().copied, 2000u);
}

}  // namespace
}  // namespace heaptally::unwind
