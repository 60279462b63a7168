// Ordinary stacks, each against libgcc's view of it.
#include "unwind/unwinder.h"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "elf/objects.h"
#include "unwind/captured_stack.h"

// A function that ends in a call: the return address is the first byte of the next function, which has another frame.
extern "C" void heaptally_test_ends_in_call(void (*callee)());
__asm__(R"(
    .text
heaptally_test_ends_in_call:
    .cfi_startproc
    sub $24, %rsp
    .cfi_adjust_cfa_offset 24
    call *%rdi
    .cfi_endproc
heaptally_test_next_function:
    .cfi_startproc
    add $24, %rsp
    ret
    .cfi_endproc
)");

namespace heaptally::unwind {
namespace {

const bool initialized = Initialize();

HT_NOINLINE void Use(volatile void* memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }

HT_NOINLINE CapturedStack Recurse(int depth, uint32_t capacity) {
  volatile char frame[40];
  Use(frame);
  CapturedStack stack = depth == 0 ? Capture(capacity) : Recurse(depth - 1, capacity);
  Use(frame);
  return stack;
}

HT_NOINLINE CapturedStack WithAlloca(size_t bytes) {
  void* memory = alloca(bytes);
  Use(memory);
  CapturedStack stack = Capture();
  Use(memory);
  return stack;
}

HT_NOINLINE CapturedStack Realigned(size_t bytes) {
  alignas(128) volatile char vector[128];
  void* memory = alloca(bytes);
  Use(vector);
  Use(memory);
  CapturedStack stack = WithAlloca(bytes + 8);
  Use(vector);
  Use(memory);
  return stack;
}

__attribute__((noinline, force_align_arg_pointer)) CapturedStack WithForcedAlignment() {
  volatile char frame[24];
  Use(frame);
  CapturedStack stack = Capture();
  Use(frame);
  return stack;
}

HT_NOINLINE CapturedStack WithLargeFrame() {
  volatile char frame[3 << 20];  // its rule does not fit into the cache
  Use(frame);
  CapturedStack stack = Capture();
  Use(frame);
  return stack;
}

TEST(Unwind, MapsItsCache) { EXPECT_TRUE(initialized); }

TEST(Unwind, WalksOrdinaryFrames) { ExpectSameAsLibgcc(Recurse(20, kMaxFrames)); }

TEST(Unwind, WalksAllocaFrames) {
  for (const size_t bytes : {1, 100, 5000, 100000}) ExpectSameAsLibgcc(WithAlloca(bytes));
}

TEST(Unwind, WalksRealignedFrames) {
  for (const size_t bytes : {1, 100, 5000}) ExpectSameAsLibgcc(Realigned(bytes));
  ExpectSameAsLibgcc(WithForcedAlignment());
}

TEST(Unwind, WalksFramesWhoseRuleIsTooLargeForTheCache) {
  ExpectSameAsLibgcc(WithLargeFrame());
  ExpectSameAsLibgcc(WithLargeFrame());
}

TEST(Unwind, StopsAtTheDepthLimitAndGoesOnFromThere) {
  const CapturedStack stack = Recurse(2000, kMaxFrames);
  EXPECT_EQ(stack.result.end, End::kDepthLimit);
  ASSERT_EQ(stack.result.count, kMaxFrames);
  ASSERT_GT(stack.libgcc.size(), 2000u);
  EXPECT_TRUE(std::equal(stack.ours.begin(), stack.ours.end(), stack.libgcc.begin()));
  ExpectSameAsLibgcc(Recurse(2000, 1 << 14));
}

HT_NOINLINE platform::Registers Here() { return HT_CALLER_REGISTERS(); }

// Leaves walk the caller's stack while it lives: Here() describes the frame that calls it.
TEST(UnwindFrom, InPiecesEqualsTheWhole) {
  const platform::Registers start = Here();
  std::vector<uint64_t> whole(kMaxFrames);
  whole.resize(Unwind(start, &captured_bounds, whole.data(), kMaxFrames).count);
  for (const uint32_t piece : {1u, 2u, 3u, 7u}) {
    platform::Registers registers = start;
    std::vector<uint64_t> frames;
    Result result;
    do {
      uint64_t part[8];
      result = UnwindFrom(&registers, &captured_bounds, part, piece);
      frames.insert(frames.end(), part, part + result.count);
    } while (result.end == End::kDepthLimit);
    EXPECT_EQ(result.end, End::kComplete);
    EXPECT_EQ(frames, whole) << piece;
  }
}

TEST(Step, VisitsTheSameFrames) {
  platform::Registers registers = Here();
  std::vector<uint64_t> whole(kMaxFrames);
  whole.resize(Unwind(registers, &captured_bounds, whole.data(), kMaxFrames).count);
  std::vector<uint64_t> steps = {registers.pc};
  End end = End::kDepthLimit;
  while (Step(&registers, &captured_bounds, &end)) steps.push_back(registers.pc);
  EXPECT_EQ(end, End::kComplete);
  EXPECT_EQ(steps, whole);
}

TEST(Unwind, MarksAnExactPc) {
  platform::Registers registers = Here();
  registers.pc_is_exact = true;
  uint64_t frames[2];
  EXPECT_EQ(Unwind(registers, &captured_bounds, frames, 2).count, 2u);
  EXPECT_EQ(frames[0], registers.pc | kExactPcBit);
  EXPECT_EQ(frames[1] & kExactPcBit, 0u);
}

TEST(Unwind, AnswersForNoCapacity) {
  const Result result = Unwind(Here(), &captured_bounds, nullptr, 0);
  EXPECT_EQ(result.count, 0u);
  EXPECT_EQ(result.end, End::kDepthLimit);
}

TEST(RuleMisses, AreNoneOnAStackThatWasWalked) {
  uint64_t misses[2];
  for (uint64_t& after : misses) {
    Recurse(20, kMaxFrames);
    after = RuleMisses();
  }
  EXPECT_EQ(misses[0], misses[1]);
}

CapturedStack* through_object;
HT_NOINLINE void CaptureThroughObject() { *through_object = Capture(); }

TEST(Unwind, TakesTheRuleOfTheCallAndNotOfWhatFollowsIt) {
  CapturedStack stack;
  through_object = &stack;
  heaptally_test_ends_in_call(&CaptureThroughObject);
  ExpectSameAsLibgcc(stack);
}

using CallThrough = void (*)(void (*)());

CapturedStack CaptureThrough(void* handle) {
  CapturedStack stack;
  through_object = &stack;
  reinterpret_cast<CallThrough>(dlsym(handle, "call_through"))(&CaptureThroughObject);
  return stack;
}

// libc unloads and loads without telling anybody. The agent compares modules (StillLoaded) and forgets.
TEST(ForgetRules, MakesAnObjectAtAReusedAddressRight) {
  void* handle = dlopen(REPLACED_A, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  void* address = dlsym(handle, "call_through");
  elf::LoadedObject object;
  ASSERT_TRUE(elf::FindObject(reinterpret_cast<uint64_t>(address), &object));
  const elf::BuildId build_id = elf::ReadBuildId(object);
  ExpectSameAsLibgcc(CaptureThrough(handle));
  EXPECT_TRUE(elf::StillLoaded(object, build_id));
  dlclose(handle);

  handle = dlopen(REPLACED_B, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  ASSERT_EQ(dlsym(handle, "call_through"), address) << "the kernel gave another address: the case did not happen";
  EXPECT_FALSE(elf::StillLoaded(object, build_id));
  EXPECT_NE(CaptureThrough(handle).ours, CaptureThrough(handle).libgcc) << "the old rule should be wrong here";
  ForgetRules();
  ExpectSameAsLibgcc(CaptureThrough(handle));
  dlclose(handle);
}

TEST(Unwind, IsRightWhileOtherThreadsForgetAndFill) {
  std::atomic<bool> stop{false};
  std::thread forgetting([&] {
    while (!stop) ForgetRules();
  });
  std::vector<std::thread> walking;
  for (int i = 0; i < 3; ++i) {
    walking.emplace_back([] {
      for (int j = 0; j < 300; ++j) ExpectSameAsLibgcc(Recurse(j % 30, kMaxFrames));
    });
  }
  for (std::thread& thread : walking) thread.join();
  stop = true;
  forgetting.join();
}

}  // namespace
}  // namespace heaptally::unwind
