// The walk itself. A step looks up the rule at the frame's pc, computes the CFA, and reads the return address below it
// and, where the frame saved it, rbp.
//
// Nearly all frames are `sp + offset` (or `rbp + offset`), cached, on a stack that is known: such runs of frames are
// walked by one loop that keeps its state in registers and calls nothing. It stops at the first step that is of another
// kind; that one is done by the general code, with the loop's stack space given back. What bounds the loop's speed is
// one chain of dependent loads: return address, rule, next return address.
//
// A lost rbp is replaced by an odd number, which no rule that needs rbp accepts: the walk is then truncated there, and
// not before.
#include "unwind/unwinder.h"

#include <atomic>

#include "base/branch.h"
#include "elf/objects.h"
#include "platform/syscalls.h"
#include "unwind/frame_pointer.h"
#include "unwind/rule.h"
#include "unwind/rule_cache.h"
#include "unwind/rule_lookup.h"
#include "unwind/stack_memory.h"
#include "unwind/walk_memo.h"

namespace heaptally::unwind {
namespace {

constexpr uint64_t kLostBp = 1;

constinit RuleCache rule_cache;
constinit std::atomic<uint64_t> rule_misses{0};
constinit std::atomic<uint64_t> times_forgotten{0};  // the cache's generation, but never the same again

// Could a frame of code that nothing describes hang on `bp`? All else is proven later.
HT_ALWAYS_INLINE bool MayHangOn(uint64_t bp, uint64_t sp) {
  constexpr uint64_t kLargestFrame = 1u << 20;
  return bp % 8 == 0 && bp >= sp && bp - sp <= kLargestFrame;
}

// Where a walk stands.
struct Walk {
  Walk(const platform::Registers& start, StackBounds* bounds)
      : memory(bounds), pc(start.pc), sp(start.sp), bp(start.bp), exact(start.pc_is_exact) {
    memory.Enter(sp);
  }

  uint64_t Frame() const { return exact ? pc | kExactPcBit : pc; }
  platform::Registers registers() const { return {pc, sp, bp, exact}; }

  StackMemory memory;
  uint64_t pc;
  uint64_t sp;
  uint64_t bp;
  bool exact;
};

// The usual step. False: it is not one, and *walk is as it was.
HT_ALWAYS_INLINE bool StepUsual(Walk* walk, uint64_t packed) {
  const auto kind = static_cast<RuleKind>(packed & kPackedKindMask);
  uint64_t cfa = packed & kPackedOffsetMask;
  if (HT_LIKELY(kind == RuleKind::kSpOffset)) {
    cfa += walk->sp;
  } else if (kind == RuleKind::kBpOffset) {
    cfa += walk->bp;
    if (cfa <= walk->sp || cfa % 8 != 0) return false;
  } else {
    return false;
  }
  if (!walk->memory.Covers(cfa - 8)) return false;
  const uint64_t pc = LoadCell(cfa - 8);
  if (HT_UNLIKELY(pc - 1 >= kAddressLimit - 1)) return false;
  const uint64_t bp_field = packed >> kPackedBpShift & kPackedBpMask;
  if (bp_field != kPackedBpSame) {
    const uint64_t cell = cfa - 8 * bp_field;
    if (HT_UNLIKELY(bp_field == kPackedBpLost || bp_field >= kPackedBpFirstAtBp)) return false;
    if (!walk->memory.Covers(cell)) return false;
    walk->bp = LoadCell(cell);
  }
  walk->pc = pc;
  walk->sp = cfa;
  walk->exact = false;
  return true;
}

// The general step: any rule, any stack.
class GeneralStep {
 public:
  explicit GeneralStep(Walk* walk) : walk_(*walk) {}

  // False: there is no caller, and *end says why. Out of line: the search for the rule must not pay for its stack.
  HT_NOINLINE bool By(const Rule& rule, End* end);

 private:
  static bool Stop(End why, End* end) {
    *end = why;
    return false;
  }

  bool Arrive(uint64_t pc, uint64_t sp, bool exact, End* end);
  bool CfaOf(const Rule& rule, uint64_t* cfa);
  bool OutOfSignal(End* end);
  bool ByFramePointer(End* end);
  bool IsOnlyFrameBelow(uint64_t frame);
  void ReloadBp(uint64_t cell);

  Walk& walk_;
};

bool GeneralStep::Arrive(uint64_t pc, uint64_t sp, bool exact, End* end) {
  walk_.pc = pc;
  walk_.sp = sp;
  walk_.exact = exact;
  if (pc == 0) return Stop(End::kComplete, end);
  if (pc >= kAddressLimit) return Stop(End::kNoRule, end);
  return true;
}

// Where the rule says that the frame ends. False: it needs memory that can't be read.
bool GeneralStep::CfaOf(const Rule& rule, uint64_t* cfa) {
  const auto offset = static_cast<uint64_t>(int64_t{rule.offset});
  switch (rule.kind) {
    case RuleKind::kSpOffset:
      *cfa = walk_.sp + offset;
      return true;
    case RuleKind::kBpOffset:
      *cfa = walk_.bp + offset;
      return true;
    case RuleKind::kPlt:
      *cfa = walk_.sp + 8 + (walk_.pc % 16 >= offset ? 8 : 0);
      return true;
    case RuleKind::kSpDeref:
    case RuleKind::kBpDeref: {
      const uint64_t cell = (rule.kind == RuleKind::kSpDeref ? walk_.sp : walk_.bp) + offset;
      if (cell % 8 != 0 || cell < walk_.sp || !walk_.memory.Read(cell, cfa)) return false;
      *cfa += static_cast<uint64_t>(int64_t{rule.addend});
      return true;
    }
    default:
      return false;
  }
}

// The only step that may go down: a handler may run on another stack than what it interrupted.
bool GeneralStep::OutOfSignal(End* end) {
  const uint64_t frame = walk_.sp;
  uint64_t pc = 0;
  uint64_t sp = 0;
  if (!walk_.memory.Read(frame + kSignalPcOffset, &pc) || !walk_.memory.Read(frame + kSignalSpOffset, &sp) ||
      !walk_.memory.Read(frame + kSignalBpOffset, &walk_.bp)) {
    return Stop(End::kBadMemory, end);
  }
  walk_.memory.Enter(sp);
  return Arrive(pc, sp, true, end);
}

// A function that made no frame of its own has its return address below its caller's frame. Is there none?
bool GeneralStep::IsOnlyFrameBelow(uint64_t frame) {
  constexpr uint64_t kMostBytes = 2048;
  if (frame - walk_.sp > kMostBytes || !elf::FindsObjectsQuickly()) return false;  // hundreds of cells may have to be looked up
  for (uint64_t cell = walk_.sp; cell < frame; cell += 8) {
    uint64_t value = 0;
    if (!walk_.memory.Read(cell, &value) || MayBeReturnAddress(value, walk_.pc)) return false;
  }
  return true;
}

// Code that nothing describes. A call may have been interrupted before it made its frame, so `exact` frames end there.
bool GeneralStep::ByFramePointer(End* end) {
  const uint64_t frame = walk_.bp;
  uint64_t bp = 0;
  uint64_t pc = 0;
  if (walk_.exact || !MayHangOn(frame, walk_.sp)) return Stop(End::kNoRule, end);
  if (!walk_.memory.Read(frame, &bp) || !walk_.memory.Read(frame + 8, &pc)) return Stop(End::kNoRule, end);
  if (pc - 1 >= kAddressLimit - 1) return Stop(End::kNoRule, end);
  if (!IsBehindCall(pc)) return Stop(End::kNoRule, end);
  if (!CallsFramedFunction(pc, walk_.pc) && !IsBehindPrologue(walk_.pc) && !IsOnlyFrameBelow(frame)) return Stop(End::kNoRule, end);
  walk_.bp = bp;
  return Arrive(pc, frame + 16, false, end);
}

// A slot that can't be read loses rbp, and the walk goes on: most callers do not need it.
void GeneralStep::ReloadBp(uint64_t cell) {
  if (cell % 8 != 0 || !walk_.memory.Read(cell, &walk_.bp)) walk_.bp = kLostBp;
}

bool GeneralStep::By(const Rule& rule, End* end) {
  if (rule.kind == RuleKind::kStop) return rule.offset == kStopOutermost ? Stop(End::kComplete, end) : ByFramePointer(end);
  if (rule.kind == RuleKind::kSignal) return OutOfSignal(end);
  uint64_t cfa = 0;
  uint64_t pc = 0;
  if (!CfaOf(rule, &cfa) || cfa <= walk_.sp || cfa % 8 != 0 || !walk_.memory.Read(cfa - 8, &pc)) {
    return Stop(End::kBadMemory, end);
  }
  const auto bp_offset = static_cast<uint64_t>(int64_t{rule.bp_offset});
  if (rule.bp_kind == BpKind::kLost) walk_.bp = kLostBp;
  if (rule.bp_kind == BpKind::kAtCfa) ReloadBp(cfa + bp_offset);
  if (rule.bp_kind == BpKind::kAtBp) ReloadBp(walk_.bp + bp_offset);
  return Arrive(pc, cfa, false, end);
}

// The rule where the walk stands: from the cache, or found and kept (unless it is too large to be packed, or belongs to
// no object).
void RuleAt(const Walk& walk, Rule* rule) {
  const uint64_t key = CacheKey(walk.pc, walk.exact);
  const uint64_t packed = rule_cache.Find(key);
  if (packed != 0) {
    *rule = Unpack(static_cast<uint32_t>(packed & ((1u << kPackedBits) - 1)));
    return;
  }
  rule_misses.fetch_add(1, std::memory_order_relaxed);
  const uint32_t generation = rule_cache.generation();
  if (FindRule(walk.pc, walk.exact, rule)) rule_cache.Insert(key, Pack(*rule), generation);
}

// Moves one frame outwards. False: there is none, and *end says why.
HT_NOINLINE bool StepGeneral(Walk* walk, End* end) {
  Rule rule;
  RuleAt(*walk, &rule);
  return GeneralStep(walk).By(rule, end);
}

// Where the frames go.
struct Output {
  uint64_t* frames;
  uint32_t capacity;
  uint32_t count = 0;
};

// Walks while steps are usual. True: the output is full, and the walk stands at the first frame that is not in it.
// False: the walk stands at a frame that is in it, and the step out of it is not a usual one.
HT_NOINLINE bool WalkUsual(Walk* position, Output* output) {
  Walk walk = *position;
  uint64_t* frames = output->frames;
  const uint32_t capacity = output->capacity;
  uint32_t count = output->count;
  bool full = true;
  while (count < capacity) {
    frames[count++] = walk.Frame();
    if (!StepUsual(&walk, rule_cache.Find(CacheKey(walk.pc, walk.exact)))) {
      full = false;
      break;
    }
  }
  *position = walk;
  output->count = count;
  return full;
}

// How a stretch of usual steps ended.
enum class Stretch {
  kFull,      // the output is full
  kUnusual,   // the walk stands at a frame that is in the output, and the step out of it is not a usual one
  kGoOn,      // the walk stands at a frame that is not in the output yet
  kFinished,  // the walk is complete
};

// WalkUsual with a memo: notes the frames that it visits, and ends where it meets the memo if all that is outwards of
// there is unchanged.
class WalkByMemo {
 public:
  // Acquire: who sees the new number finds no older rule. REQUIRES: !walk->exact.
  HT_ALWAYS_INLINE WalkByMemo(const Walk* walk, const Output* output, WalkMemo* memo, uint64_t high)
      : walk_(*walk),
        next_(output->frames),
        room_end_(output->frames + output->capacity),
        memo_(memo, high, times_forgotten.load(std::memory_order_acquire)) {
    walk_.exact = false;
  }

  HT_ALWAYS_INLINE Stretch Run(End* end) {
    while (next_ != room_end_) {
      *next_++ = walk_.pc;
      if (memo_.Meets(walk_.pc, walk_.sp, walk_.bp) && TakeTail(end)) return Stretch::kFinished;
      const uint64_t packed = rule_cache.Find(CacheKey(walk_.pc, false));
      const uint64_t pc = walk_.pc;
      const uint64_t sp = walk_.sp;
      const uint64_t bp = walk_.bp;
      if (HT_UNLIKELY(!StepUsual(&walk_, packed))) return Stop(packed, end);
      if (HT_UNLIKELY(!Note(pc, sp, bp, packed))) return Stretch::kGoOn;
    }
    return Stretch::kFull;
  }

  void Leave(Walk* walk, Output* output) const {
    *walk = walk_;
    output->count = static_cast<uint32_t>(next_ - output->frames);
  }

 private:
  // Stages the frame whose step was just done. False: it can't be kept.
  HT_ALWAYS_INLINE bool Note(uint64_t pc, uint64_t sp, uint64_t bp, uint64_t packed) {
    const uint64_t bp_field = packed >> kPackedBpShift & kPackedBpMask;
    const uint64_t cell = bp_field == kPackedBpSame ? 0 : walk_.sp - 8 * bp_field;
    // A slot in the red zone is readable here, but not wherever another walk begins.
    if (bp_field != kPackedBpSame && HT_UNLIKELY(cell < sp)) return false;
    return memo_.Stage(pc, sp, bp, cell, static_cast<RuleKind>(packed & kPackedKindMask) == RuleKind::kBpOffset);
  }

  // The step out of the frame is not a usual one: does the stack end here?
  Stretch Stop(uint64_t packed, End* end) {
    if (static_cast<RuleKind>(packed & kPackedKindMask) != RuleKind::kStop) return Stretch::kUnusual;
    const Rule rule = Unpack(static_cast<uint32_t>(packed & ((1u << kPackedBits) - 1)));
    if (rule.offset != kStopOutermost && MayHangOn(walk_.bp, walk_.sp)) return Stretch::kUnusual;
    *end = rule.offset == kStopOutermost ? End::kComplete : End::kNoRule;
    if (memo_.Stage(walk_.pc, walk_.sp, walk_.bp, 0, false)) memo_.Replace(*end);
    return Stretch::kFinished;
  }

  // The walk stands at a frame of the memo, which is in the output. False: the memo's tail is not what is there now.
  HT_ALWAYS_INLINE bool TakeTail(End* end) {
    const uint32_t met = memo_.at();
    const uint32_t remaining = memo_.Remaining();
    const auto room = static_cast<uint32_t>(room_end_ - next_);
    if (HT_UNLIKELY(remaining > room)) return TakePart(room, end);
    if (!memo_.Verify(remaining, next_)) return false;
    next_ += remaining;
    *end = memo_.end_reason();
    memo_.Prepend(met);
    return true;
  }

  // The tail does not fit. The plain walk, too, steps to the first frame for which there is no place.
  HT_NOINLINE bool TakePart(uint32_t room, End* end) {
    uint64_t beyond;
    if (!memo_.Verify(room, next_) || !memo_.Verify(1, &beyond)) return false;
    next_ = room_end_;
    *end = End::kDepthLimit;
    return true;
  }

  Walk walk_;
  uint64_t* next_;  // where the next frame goes
  uint64_t* room_end_;
  MemoWalk memo_;
};

// The first stretch of a walk, by the thread's memo if it is free. Not inlined: the memo is in use as long as this
// runs.
HT_NOINLINE Stretch WalkFirstStretch(Walk* walk, Output* output, const StackBounds& bounds, End* end) {
  const MemoUse use(bounds);
  if (HT_UNLIKELY(use.memo() == nullptr)) return Stretch::kGoOn;
  WalkByMemo by_memo(walk, output, use.memo(), bounds.high);
  const Stretch stretch = by_memo.Run(end);
  by_memo.Leave(walk, output);
  return stretch;
}

// A walk may be told to start anywhere, but every pc that it arrives at is a user address.
HT_ALWAYS_INLINE bool StartsAtCode(const platform::Registers& start) { return start.pc - 1 < kAddressLimit - 2; }

}  // namespace

bool Initialize(size_t cache_bytes) {
  LearnMainStack();
  LearnObjects();
  if (cache_bytes < RuleCache::kMinBytes) cache_bytes = RuleCache::kMinBytes;
  if (cache_bytes > RuleCache::kMaxBytes) cache_bytes = RuleCache::kMaxBytes;
  constexpr long kReadWrite = 3;
  constexpr long kPrivateAnonymous = 0x22;
  const long memory =
      platform::Syscall(platform::Call::kMmap, 0, static_cast<long>(cache_bytes), kReadWrite, kPrivateAnonymous, -1, 0);
  if (memory < 0 && memory > -4096) return false;
  rule_cache.Use(reinterpret_cast<std::atomic<uint64_t>*>(memory), cache_bytes);
  return true;
}

namespace {

Result WalkFrom(const platform::Registers& start, StackBounds* bounds, uint64_t* frames, uint32_t capacity,
                platform::Registers* stopped_at) {
  if (HT_UNLIKELY(!StartsAtCode(start))) return {0, start.pc == 0 ? End::kComplete : End::kNoRule};
  Walk walk(start, bounds);
  Output output{frames, capacity};
  End end = End::kDepthLimit;
  Stretch stretch = Stretch::kGoOn;
  if (bounds->memo != nullptr && stopped_at == nullptr && !walk.exact && walk.memory.IsBornStack()) {
    stretch = WalkFirstStretch(&walk, &output, *bounds, &end);
  }
  while (stretch == Stretch::kGoOn || (stretch == Stretch::kUnusual && StepGeneral(&walk, &end))) {
    stretch = WalkUsual(&walk, &output) ? Stretch::kFull : Stretch::kUnusual;
  }
  if (stopped_at != nullptr) *stopped_at = walk.registers();
  return {output.count, end};
}

}  // namespace

Result Unwind(const platform::Registers& start, StackBounds* bounds, uint64_t* frames, uint32_t capacity) {
  return WalkFrom(start, bounds, frames, capacity, nullptr);
}

Result UnwindFrom(platform::Registers* registers, StackBounds* bounds, uint64_t* frames, uint32_t capacity) {
  return WalkFrom(*registers, bounds, frames, capacity, registers);
}

bool Step(platform::Registers* registers, StackBounds* bounds, End* end) {
  if (HT_UNLIKELY(!StartsAtCode(*registers))) {
    *end = registers->pc == 0 ? End::kComplete : End::kNoRule;
    return false;
  }
  Walk walk(*registers, bounds);
  const bool stepped = StepUsual(&walk, rule_cache.Find(CacheKey(walk.pc, walk.exact))) || StepGeneral(&walk, end);
  if (stepped) *registers = walk.registers();
  return stepped;
}

void ForgetRules() {
  rule_cache.Forget();
  times_forgotten.fetch_add(1, std::memory_order_release);
}

uint64_t RuleMisses() { return rule_misses.load(std::memory_order_relaxed); }

}  // namespace heaptally::unwind
