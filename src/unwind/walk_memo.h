// The last walk of one thread, kept so that the next one need not repeat the part of it that is still the same.
//
// A step is a function of the frame's state (pc, sp and, where a rule says so, bp) and of the cells that its rule
// names: the return address, and the slot that bp is reloaded from. So if a walk arrives at a state of the memo, and
// *every* cell that the memo's walk read from there on still holds the same value, then by induction its rest is the
// memo's. All cells are compared, with no chance of a false match: "same sp and return address, so the outer frames are
// unchanged" would be false, since a frame may be popped and pushed again, at the same place, from another caller.
//
// bp is part of the state only where some CFA reads it before it is reloaded: elsewhere it is any variable of the
// program's, and comparing it would never match. Without it, a caller with variable-length arrays that reaches a
// callee in two ways would be taken for the other.
//
// Comparing is cheaper than walking, because no comparison waits for another (a walk's loads depend on one another) and
// no rule is looked up. What makes it safe to read ahead of what is verified: all cells lie between a live stack
// pointer and the end of the stack that the thread was born with. Only steps by sp or bp plus an offset whose cells lie
// above the frame's sp are kept; the memory that such a step may read does not depend on where the walk began.
//
// Limits: walks from an exact pc or out of a handler, realigned frames, coroutines and alternate stacks are always
// walked.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/branch.h"
#include "unwind/stack_memory.h"
#include "unwind/unwinder.h"

namespace heaptally::unwind {

// A frame as it was before the step out of it.
struct MemoFrame {
  static constexpr uint64_t kNeedsBp = 1;

  uint64_t pc;  // a return address
  uint64_t sp;
  uint64_t bp;
  // The slot from which the step reloads bp (0: none, or nobody needs what it holds), and kNeedsBp if some CFA from
  // here outwards reads bp before it is reloaded. While it is staged, instead: any slot, and whether its own CFA reads
  // bp.
  uint64_t cell_and_needs_bp;

  bool NeedsBp() const { return (cell_and_needs_bp & kNeedsBp) != 0; }
};

// Indices run on for ever and are reduced to places in the ring; the outermost frame is at end - 1, so that a tail that
// stays the same stays in place. New frames are staged elsewhere in the ring until the walk meets the memo, or ends.
//
// A handler may interrupt anything here and walk with the same memo: whoever uses it leaves its mark, and whoever finds
// the mark of a living user walks without. What siglongjmp may leave behind is whole at every moment: empty while it is
// changed.
struct WalkMemo {
  static constexpr uint32_t kFrames = 512;

  MemoFrame& At(uint32_t index) { return ring[index % kFrames]; }
  uint32_t first() const { return static_cast<uint32_t>(range); }
  uint32_t end() const { return static_cast<uint32_t>(range >> 32); }

  uint64_t user = 0;       // where the user's token is, on its stack
  uint64_t range = 0;      // first | end << 32: one store, so that a handler finds both or none
  uint64_t forgotten = 0;  // ForgetRules() calls before the memo's walk
  uint64_t high = 0;       // StackBounds::high
  uint64_t copied = 0;     // frames that were not walked, ever: for tests
  End end_reason = End::kComplete;
  MemoFrame ring[kFrames];
};

static_assert(sizeof(WalkMemo) <= kWalkMemoBytes);

// The exclusive use of a memo (or of none) by a function that must not be inlined, for as long as it runs.
//
// The mark of a user that a handler left by siglongjmp must not last for ever. A user lives exactly as long as its
// frame, and nobody else writes to a frame that lives: if its token is gone, so is the user. (An address alone says
// nothing: a handler's stack may lie above or below what it interrupted.) If the token of a dead user has not been
// overwritten yet, a few more stacks are walked without the memo.
class MemoUse {
 public:
  // The memo is not used on a stack that is not the thread's own: the token must stay readable.
  HT_ALWAYS_INLINE explicit MemoUse(const StackBounds& bounds) {
    WalkMemo* memo = bounds.memo;
    const auto mine = reinterpret_cast<uint64_t>(&token_);
    if (mine < bounds.proven_low || mine >= bounds.high) return;
    const uint64_t user = memo->user;
    if (HT_UNLIKELY(user != 0 && user != mine) && LoadCell(user) == TokenAt(user)) return;
    token_ = TokenAt(mine);
    Fence();
    memo->user = mine;
    Fence();
    memo_ = memo;
  }

  HT_ALWAYS_INLINE ~MemoUse() {
    if (memo_ == nullptr) return;
    Fence();
    memo_->user = 0;
    token_ = 0;
  }

  MemoUse(const MemoUse&) = delete;
  MemoUse& operator=(const MemoUse&) = delete;

  WalkMemo* memo() const { return memo_; }  // nullptr: another user lives

 private:
  static constexpr uint64_t TokenAt(uint64_t address) { return address ^ 0x9e3779b97f4a7c15; }
  static void Fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  volatile uint64_t token_ = 0;
  WalkMemo* memo_ = nullptr;
};

// One walk's view of the memo: where in it the walk stands, and what it has staged.
class MemoWalk {
 public:
  HT_ALWAYS_INLINE MemoWalk(WalkMemo* memo, uint64_t high, uint64_t forgotten)
      : memo_(*memo), at_(memo->first()), end_(memo->end()) {
    if (HT_UNLIKELY(memo_.forgotten != forgotten || memo_.high != high)) {
      memo_.range = at_ = end_ = 0;
      Fence();
      memo_.high = high;
      memo_.forgotten = forgotten;
    }
    const uint32_t half = at_ + WalkMemo::kFrames / 2;
    staged_ = static_cast<int32_t>(half - end_) >= 0 ? half : end_;
    stage_end_ = staged_;
    stage_limit_ = at_ + WalkMemo::kFrames;
  }

  // True iff the walk stands at a frame of the memo, as far as its state goes. Without branches that depend on how the
  // two stacks interleave, which no predictor knows: the place in the memo moves by up to two frames for each that is
  // walked. Where the memo's frames are much smaller than the new ones, it is met a few frames later.
  HT_ALWAYS_INLINE bool Meets(uint64_t pc, uint64_t sp, uint64_t bp) {
    Approach(sp);
    Approach(sp);
    const MemoFrame& known = memo_.At(at_);
    if (HT_LIKELY(known.pc != pc) || known.sp != sp || at_ == end_) return false;
    return !known.NeedsBp() || known.bp == bp;
  }

  // Frames outwards of the one that the walk has met.
  uint32_t Remaining() const { return end_ - 1 - at_; }

  // Compares what the steps out of the next `count` frames read, and writes their callers' frames. REQUIRES: Meets();
  // count <= Remaining(). On a mismatch the walk must go on by itself, and can't meet any frame inside of the mismatch:
  // its tail has the same cell.
  HT_ALWAYS_INLINE bool Verify(uint32_t count, uint64_t* frames) {
    uint64_t cell = memo_.At(at_).cell_and_needs_bp;
    for (uint32_t left = count; left != 0;) {
      // Up to the end of the ring, so that the loop only moves a pointer.
      const uint32_t place = (at_ + 1) % WalkMemo::kFrames;
      const uint32_t run = left < WalkMemo::kFrames - place ? left : WalkMemo::kFrames - place;
      const MemoFrame* const begin = memo_.ring + place;
      for (const MemoFrame* outer = begin; outer != begin + run; ++outer) {
        const bool same = LoadCell(outer->sp - 8) == outer->pc;
        const bool has_cell = cell > MemoFrame::kNeedsBp;
        if (HT_UNLIKELY(!same) || (has_cell && LoadCell(cell & ~MemoFrame::kNeedsBp) != outer->bp)) {
          at_ += static_cast<uint32_t>(outer - begin) + 1;
          return false;
        }
        cell = outer->cell_and_needs_bp;
        *frames++ = outer->pc;
      }
      at_ += run;
      left -= run;
    }
    memo_.copied += count;
    return true;
  }

  // Notes a frame; `cell` and `reads_bp` are known once the step out of it is done. False: no room any more.
  HT_ALWAYS_INLINE bool Stage(uint64_t pc, uint64_t sp, uint64_t bp, uint64_t cell, bool reads_bp) {
    if (HT_UNLIKELY(stage_end_ == stage_limit_) && !DropMemo()) return false;
    memo_.At(stage_end_++) = {pc, sp, bp, cell | (reads_bp ? MemoFrame::kNeedsBp : 0)};
    return true;
  }

  // Puts what was staged before the frame at `met`, which was just verified to the end.
  void Prepend(uint32_t met) {
    const uint32_t count = stage_end_ - staged_;
    if (count == 0) return;
    BeginChange();
    uint64_t needs_bp = memo_.At(met).cell_and_needs_bp & MemoFrame::kNeedsBp;
    // Backwards, and never to a place below where it was staged: the two places may overlap.
    for (uint32_t i = count; i-- > 0;) needs_bp = Settle(staged_ + i, met - count + i, needs_bp);
    EndChange(met - count, end_);
  }

  // Makes what was staged, with its outermost frame, the memo.
  void Replace(End end_reason) {
    BeginChange();
    uint64_t needs_bp = 0;
    for (uint32_t i = stage_end_; i-- != staged_;) needs_bp = Settle(i, i, needs_bp);
    memo_.end_reason = end_reason;
    EndChange(staged_, stage_end_);
  }

  uint32_t at() const { return at_; }
  End end_reason() const { return memo_.end_reason; }

 private:
  static void Fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  HT_ALWAYS_INLINE void Approach(uint64_t sp) {
    at_ += static_cast<uint32_t>(memo_.At(at_).sp < sp) & static_cast<uint32_t>(at_ != end_);
  }

  void BeginChange() {
    memo_.range = 0;
    Fence();
  }
  void EndChange(uint32_t first, uint32_t end) {
    Fence();
    memo_.range = first | uint64_t{end} << 32;
  }

  // What is staged would overwrite the old frames: they go. False: the walk is longer than the ring.
  bool DropMemo() {
    if (stage_end_ - staged_ == WalkMemo::kFrames) return false;
    BeginChange();
    at_ = end_;
    stage_limit_ = staged_ + WalkMemo::kFrames;
    return true;
  }

  // caller_needs_bp and what is returned are 0 or kNeedsBp.
  HT_ALWAYS_INLINE uint64_t Settle(uint32_t from, uint32_t to, uint64_t caller_needs_bp) {
    const MemoFrame& frame = memo_.At(from);
    const uint64_t reads_bp = frame.cell_and_needs_bp & MemoFrame::kNeedsBp;
    const uint64_t cell = frame.cell_and_needs_bp & ~MemoFrame::kNeedsBp;
    const uint64_t needs_bp = reads_bp | (caller_needs_bp & static_cast<uint64_t>(cell == 0));
    // Member by member: a load of what two stores wrote just now would wait for both to leave the core.
    MemoFrame& settled = memo_.At(to);
    settled.pc = frame.pc;
    settled.sp = frame.sp;
    settled.bp = frame.bp;
    settled.cell_and_needs_bp = (cell & (0 - caller_needs_bp)) | needs_bp;
    return needs_bp;
  }

  WalkMemo& memo_;
  uint32_t at_;
  uint32_t end_;
  uint32_t staged_;
  uint32_t stage_end_;
  uint32_t stage_limit_;
};

}  // namespace heaptally::unwind
