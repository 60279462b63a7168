// Code without any unwind information: callers are found through frame pointers where both ends are proven, and nowhere else.
#include "unwind/frame_pointer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "unwind/captured_stack.h"
#include "unwind/unwinder.h"

// framed: keeps a frame pointer. bare: does not, and leaves its caller's in rbp. jumped: as framed, but its caller's call leads
// elsewhere and a jump to it. Each calls its argument; none is described.
extern "C" {
void heaptally_test_framed(void (*callee)());
void heaptally_test_bare(void (*callee)());
void heaptally_test_framed_calls_bare(void (*callee)());
void heaptally_test_framed_twice(void (*callee)());
extern const char heaptally_test_framed_return[], heaptally_test_twice_return[], heaptally_test_calls_bare_return[], heaptally_test_bare_return[];
}
__asm__(R"(
    .text
heaptally_test_framed:
    push %rbp
    mov %rsp, %rbp
    sub $80, %rsp
    call *%rdi
heaptally_test_framed_return:
    leave
    ret
heaptally_test_bare:
    sub $8, %rsp
    call *%rdi
heaptally_test_bare_return:
    add $8, %rsp
    ret
heaptally_test_framed_twice:
    endbr64
    push %rbp
    mov %rsp, %rbp
    sub $32, %rsp
    call heaptally_test_framed
heaptally_test_twice_return:
    leave
    ret
heaptally_test_framed_calls_bare:
    push %rbp
    mov %rsp, %rbp
    call heaptally_test_bare
heaptally_test_calls_bare_return:
    leave
    ret
    .fill 64, 1, 0xcc
)");

namespace heaptally::unwind {
namespace {

const bool initialized = Initialize();

CapturedStack* captured;
HT_NOINLINE void CaptureHere() { *captured = CaptureOurs(); }

HT_NOINLINE CapturedStack CaptureThrough(void (*function)(void (*)())) {
  CapturedStack stack;
  captured = &stack;
  function(&CaptureHere);
  __asm__ volatile("" : : "r"(&stack) : "memory");
  return stack;
}

uint64_t Address(const void* label) { return reinterpret_cast<uint64_t>(label); }

// The callers that were found, without the capturing function itself.
std::vector<uint64_t> CallersThrough(void (*function)(void (*)()), End* end) {
  const CapturedStack stack = CaptureThrough(function);
  *end = stack.result.end;
  return {stack.ours.begin() + 1, stack.ours.begin() + stack.result.count};
}

TEST(FramePointer, LeadsOutOfUndescribedCode) {
  End end;
  const std::vector<uint64_t> callers = CallersThrough(&heaptally_test_framed, &end);
  EXPECT_EQ(end, End::kComplete);
  ASSERT_GT(callers.size(), 5u);
  EXPECT_EQ(callers[0], Address(heaptally_test_framed_return));
  const std::vector<uint64_t> plain = CallersThrough([](void (*callee)()) { callee(); }, &end);
  EXPECT_EQ(std::vector(callers.end() - 5, callers.end()), std::vector(plain.end() - 5, plain.end())) << "the same callers beyond";
}

TEST(FramePointer, LeadsFromOneUndescribedFunctionToTheNext) {
  End end;
  const std::vector<uint64_t> callers = CallersThrough(&heaptally_test_framed_twice, &end);
  EXPECT_EQ(end, End::kComplete);
  ASSERT_GT(callers.size(), 6u);
  EXPECT_EQ(callers[0], Address(heaptally_test_framed_return));
  EXPECT_EQ(callers[1], Address(heaptally_test_twice_return));
}

// rbp is the caller's there: to follow it would leave the caller out, and show its caller as the one that called.
TEST(FramePointer, IsNotFollowedOutOfAFunctionThatKeepsNone) {
  End end;
  const std::vector<uint64_t> callers = CallersThrough(&heaptally_test_framed_calls_bare, &end);
  EXPECT_EQ(callers, std::vector<uint64_t>{Address(heaptally_test_bare_return)});
  EXPECT_EQ(end, End::kNoRule);
}

// A page of generated code.
class Generated : public testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<uint8_t*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(page_, MAP_FAILED);
  }
  void TearDown() override { munmap(page_, 8192); }
  uint64_t Put(size_t at, std::vector<uint8_t> bytes) {
    std::memcpy(page_ + at, bytes.data(), bytes.size());
    return Address(page_ + at + bytes.size());
  }

  uint8_t* page_ = nullptr;
};

TEST_F(Generated, CodeIsWalkedThrough) {
  // push %rbp; mov %rsp, %rbp; sub $16, %rsp; call *%rdi; leave; ret
  Put(4000, {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xff, 0xd7, 0xc9, 0xc3});
  const CapturedStack stack = CaptureThrough(reinterpret_cast<void (*)(void (*)())>(page_ + 4000));
  EXPECT_EQ(stack.result.end, End::kComplete);
  ASSERT_GT(stack.result.count, 5u);
  EXPECT_EQ(stack.ours[1], Address(page_ + 4010));
}

TEST_F(Generated, EveryFormOfCallIsKnownAndNothingElse) {
  const std::vector<std::vector<uint8_t>> calls = {
      {0xff, 0xd0}, {0x41, 0xff, 0xd3}, {0xff, 0x10}, {0xff, 0x50, 0x08}, {0xff, 0x54, 0x24, 0x08}, {0xff, 0x14, 0x24},
      {0xff, 0x90, 1, 2, 3, 4}, {0xff, 0x15, 1, 2, 3, 4}, {0xff, 0x94, 0x24, 1, 2, 3, 4}, {0xff, 0x14, 0x25, 1, 2, 3, 4}, {0xe8, 1, 2, 3, 4}};
  for (const auto& call : calls) {
    const uint64_t end = Put(3000, call);
    EXPECT_TRUE(IsBehindCall(end)) << testing::PrintToString(call);
    EXPECT_TRUE(MayBeReturnAddress(end, end - (100 << 20)));
    EXPECT_FALSE(MayBeReturnAddress(end, end - (200 << 20))) << "too far away, and in no object";
    EXPECT_FALSE(IsBehindCall(end + 1)) << "not behind it: " << testing::PrintToString(call);
    std::memset(page_ + 2990, 0, 40);
  }
  for (const auto& other : std::vector<std::vector<uint8_t>>{{0xff, 0xe0}, {0xff, 0x60, 8}, {0xe9, 1, 2, 3, 4}, {0xff, 0x30}, {0x90, 0x90}}) {
    EXPECT_FALSE(IsBehindCall(Put(3000, other))) << testing::PrintToString(other);
    std::memset(page_ + 2990, 0, 40);
  }
}

TEST_F(Generated, ACallThatNamesAFramedFunction) {
  const uint64_t return_address = Put(3000, {0xe8, 0, 0, 0, 0});
  const auto calls = [&](size_t at) {
    const auto distance = static_cast<int32_t>(static_cast<int64_t>(at) - 3005);
    std::memcpy(page_ + 3001, &distance, 4);
  };
  for (const std::vector<uint8_t>& prologue : std::vector<std::vector<uint8_t>>{
           {0x55, 0x48, 0x89, 0xe5}, {0x55, 0x48, 0x8b, 0xec}, {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5}}) {
    Put(2000, prologue);
    calls(2000);
    EXPECT_TRUE(CallsFramedFunction(return_address, Address(page_ + 2040)));
    EXPECT_FALSE(CallsFramedFunction(return_address, Address(page_ + 1990))) << "that function begins behind the pc";
    EXPECT_FALSE(CallsFramedFunction(return_address, Address(page_ + 2040) + (1 << 16))) << "too far before it";
    calls(2001);
    EXPECT_FALSE(CallsFramedFunction(return_address, Address(page_ + 2040)));
    std::memset(page_ + 2000, 0, 16);
    calls(2000);
    EXPECT_FALSE(CallsFramedFunction(return_address, Address(page_ + 2040))) << "it makes no frame";
  }
}

TEST_F(Generated, APrologueBeforeThePcAndNoReturnInBetween) {
  const uint64_t pc = Address(page_ + 2040);
  EXPECT_FALSE(IsBehindPrologue(pc));
  for (const size_t at : {2036, 2035, 2028, 1000}) {
    Put(at, {0x55, 0x48, 0x89, 0xe5});
    EXPECT_TRUE(IsBehindPrologue(pc)) << at;
    if (at < 2036) {
      Put(2039, {0xc3});
      EXPECT_FALSE(IsBehindPrologue(pc)) << "a function ended in between";
    }
    std::memset(page_ + at, 0, 4);
    page_[2039] = 0;
  }
  Put(2037, {0x55, 0x48, 0x89, 0xe5});
  EXPECT_FALSE(IsBehindPrologue(pc)) << "it is not behind it";
}

TEST_F(Generated, NoAddressIsAFault) {
  const std::vector<uint64_t> addresses = {0, 1, 7, 4096, 0x7fffdead0008, Address(page_), Address(page_) + 1, Address(page_) + 8192, 0x7fffffffffff, ~uint64_t{0}};
  for (const uint64_t address : addresses) {
    for (const uint64_t other : addresses) {
      EXPECT_FALSE(CallsFramedFunction(address, other));
      EXPECT_FALSE(MayBeReturnAddress(address, other));
    }
    EXPECT_FALSE(IsBehindCall(address));
    EXPECT_FALSE(IsBehindPrologue(address));
  }
  mprotect(page_, 4096, PROT_NONE);
  EXPECT_FALSE(IsBehindCall(Address(page_) + 100));
  Put(4096, {0xe8, 0, 0, 0, 0});
  EXPECT_FALSE(CallsFramedFunction(Address(page_) + 4096 + 5, Address(page_) + 100));
}

}  // namespace
}  // namespace heaptally::unwind
