// Code without, or with wrong, unwind information, and registers full of garbage: the walk ends early, says why, and
// never faults.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <random>

#include "unwind/captured_stack.h"
#include "unwind/unwinder.h"

// A function without any call frame information, one whose information is wrong (it claims that the frame hangs on
// rbp), and one whose information stops at its entry.
extern "C" {
void heaptally_test_undescribed(void (*callee)());
void heaptally_test_lying(void (*callee)());
void heaptally_test_half_described(void (*callee)());
}
__asm__(R"(
    .text
heaptally_test_undescribed:
    push %rbp
    movabs $0x7fffdead0008, %rbp
    call *%rdi
    pop %rbp
    ret
heaptally_test_lying:
    .cfi_startproc
    push %rbp
    movabs $0x7fffdead0008, %rbp
    .cfi_def_cfa %rbp, 16
    call *%rdi
    pop %rbp
    ret
    .cfi_endproc
heaptally_test_half_described:
    .cfi_startproc
    push %rbp
    sub $0x100000, %rsp
    call *%rdi
    add $0x100000, %rsp
    pop %rbp
    ret
    .cfi_endproc
)");

namespace heaptally::unwind {
namespace {

const bool initialized = Initialize();

CapturedStack* captured;
HT_NOINLINE void CaptureHere() { *captured = CaptureOurs(); }

CapturedStack CaptureThrough(void (*function)(void (*)())) {
  CapturedStack stack;
  captured = &stack;
  function(&CaptureHere);
  return stack;
}

TEST(UnwindHostile, EndsAtUndescribedCode) {
  const CapturedStack stack = CaptureThrough(&heaptally_test_undescribed);
  EXPECT_EQ(stack.result.end, End::kNoRule);
  EXPECT_EQ(stack.result.count, 2u) << "the capturing function and the undescribed one";
}

TEST(UnwindHostile, EndsWhereAFrameHangsOnATrashedBp) {
  const CapturedStack stack = CaptureThrough(&heaptally_test_lying);
  EXPECT_EQ(stack.result.end, End::kBadMemory);
  EXPECT_EQ(stack.result.count, 2u);
}

TEST(UnwindHostile, DoesNotFaultOnAHalfDescribedFrame) {
  const CapturedStack stack = CaptureThrough(&heaptally_test_half_described);
  EXPECT_GE(stack.result.count, 2u);  // what comes after is whatever lay in the buffer, a 0 included
}

TEST(UnwindHostile, EndsInAJitsPage) {
  // sub $8, %rsp; call *%rdi; add $8, %rsp; ret
  constexpr uint8_t kCode[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::memcpy(page, kCode, sizeof(kCode));
  const CapturedStack stack = CaptureThrough(reinterpret_cast<void (*)(void (*)())>(page));
  EXPECT_EQ(stack.result.end, End::kNoRule);
  ASSERT_EQ(stack.result.count, 2u);
  EXPECT_EQ(stack.ours[1], reinterpret_cast<uint64_t>(page) + 6);
  munmap(page, 4096);
}

HT_NOINLINE platform::Registers Here() { return HT_CALLER_REGISTERS(); }

// Real code addresses from this very stack with sp and rbp from anywhere.
TEST(UnwindHostile, SurvivesGarbageRegisters) {
  std::mt19937_64 random(13);
  const platform::Registers real = Here();
  std::vector<uint64_t> pcs(kMaxFrames);
  pcs.resize(Unwind(real, &captured_bounds, pcs.data(), kMaxFrames).count);
  pcs.push_back(reinterpret_cast<uint64_t>(&heaptally_test_lying) + 13);
  const auto anywhere = [&] {
    switch (random() % 6) {
      case 0:
        return random();
      case 1:
        return random() & 0x7ffffffffff8;
      case 2:
        return uint64_t{0};
      case 3:
        return real.sp + (random() % (1 << 20));
      case 4:
        return real.sp - (random() % (1 << 20));
      default:
        return real.sp + 8 * (random() % 512);
    }
  };
  for (int i = 0; i < 20000; ++i) {
    const platform::Registers start = {pcs[random() % pcs.size()], anywhere(), anywhere(), random() % 2 == 0};
    uint64_t frames[64];
    StackBounds fresh;
    StackBounds* bounds = random() % 2 == 0 ? &fresh : &captured_bounds;
    const Result result = Unwind(start, bounds, frames, 64);
    ASSERT_LE(result.count, 64u);
  }
}

TEST(UnwindHostile, AnswersForImpossiblePcs) {
  for (const uint64_t pc : {uint64_t{0}, uint64_t{1} << 47, ~uint64_t{0}, uint64_t{1} << 63}) {
    platform::Registers registers = Here();
    registers.pc = pc;
    uint64_t frames[4];
    const Result result = Unwind(registers, &captured_bounds, frames, 4);
    EXPECT_EQ(result.count, 0u);
    EXPECT_EQ(result.end, pc == 0 ? End::kComplete : End::kNoRule);
    End end = End::kDepthLimit;
    EXPECT_FALSE(Step(&registers, &captured_bounds, &end));
  }
}

}  // namespace
}  // namespace heaptally::unwind
