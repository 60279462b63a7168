// One stack, by the unwinder under test and by libgcc's. For tests only.
#pragma once

#include <gtest/gtest.h>
#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/branch.h"
#include "platform/thread.h"
#include "unwind/unwinder.h"

namespace heaptally::unwind {

struct CapturedStack {
  std::vector<uint64_t> ours;
  std::vector<uint64_t> libgcc;  // from the frame on with which ours begins
  Result result;
};

// Of the calling thread.
inline thread_local StackBounds captured_bounds;

inline _Unwind_Reason_Code AddLibgccFrame(_Unwind_Context* context, void* argument) {
  int is_exact = 0;
  const uint64_t pc = _Unwind_GetIPInfo(context, &is_exact);
  if (pc == 0) return _URC_END_OF_STACK;
  static_cast<std::vector<uint64_t>*>(argument)->push_back(pc | (is_exact != 0 ? kExactPcBit : 0));
  return _URC_NO_REASON;
}

inline void WalkOurs(const platform::Registers& start, uint32_t capacity, CapturedStack* stack) {
  stack->ours.resize(capacity);
  stack->result = Unwind(start, &captured_bounds, stack->ours.data(), capacity);
  stack->ours.resize(stack->result.count);
}

// The caller's stack by our unwinder only: libgcc's faults on wrong call frame information.
HT_NOINLINE inline CapturedStack CaptureOurs() {
  CapturedStack stack;
  WalkOurs(HT_CALLER_REGISTERS(), kMaxFrames, &stack);
  return stack;
}

// The caller's stack. Allocates: not for handlers that interrupt malloc.
HT_NOINLINE inline CapturedStack Capture(uint32_t capacity = kMaxFrames) {
  CapturedStack stack;
  const platform::Registers start = HT_CALLER_REGISTERS();
  WalkOurs(start, capacity, &stack);
  _Unwind_Backtrace(AddLibgccFrame, &stack.libgcc);
  stack.libgcc.erase(stack.libgcc.begin(), std::find(stack.libgcc.begin(), stack.libgcc.end(), start.pc));
  return stack;
}

inline void ExpectSameFrames(const CapturedStack& stack) {
  EXPECT_EQ(stack.ours, stack.libgcc);
  EXPECT_GE(stack.ours.size(), 2u);
}

inline void ExpectSameAsLibgcc(const CapturedStack& stack) {
  EXPECT_EQ(stack.result.end, End::kComplete);
  ExpectSameFrames(stack);
}

}  // namespace heaptally::unwind
