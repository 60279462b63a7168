// The walk itself. A step looks up the rule at the frame's pc, computes the CFA, and reads the return address below it
// and, where the frame saved it, rbp. Nearly all frames are `sp + offset`, so that case stands in the loop; the others
// are out of line.
//
// A lost rbp is replaced by an odd number, which no rule that needs rbp accepts: the walk is then truncated there, and
// not before.
#include "unwind/unwinder.h"

#include <atomic>

#include "base/branch.h"
#include "platform/syscalls.h"
#include "unwind/rule.h"
#include "unwind/rule_cache.h"
#include "unwind/rule_lookup.h"
#include "unwind/stack_memory.h"

namespace heaptally::unwind {
namespace {

constexpr uint64_t kLostBp = 1;
constexpr uint64_t kPackedBpField = kPackedBpMask << kPackedBpShift;

constinit RuleCache rule_cache;
constinit std::atomic<uint64_t> rule_misses{0};

class Walk {
 public:
  Walk(const platform::Registers& start, StackBounds* bounds)
      : memory_(bounds), pc_(start.pc), sp_(start.sp), bp_(start.bp), exact_(start.pc_is_exact) {
    memory_.Enter(sp_);
  }

  uint64_t Frame() const { return exact_ ? pc_ | kExactPcBit : pc_; }
  platform::Registers registers() const { return {pc_, sp_, bp_, exact_}; }

  // Moves one frame outwards. False: there is none, and *end says why.
  HT_ALWAYS_INLINE bool StepOut(End* end) {
    const uint64_t lookup = pc_ - (exact_ ? 0 : 1);
    if (HT_UNLIKELY(lookup >= kAddressLimit)) return Stop(pc_ == 0 ? End::kComplete : End::kNoRule, end);
    const uint64_t packed = rule_cache.Find(lookup);
    const auto kind = static_cast<RuleKind>(packed & 7);
    if (HT_LIKELY(kind == RuleKind::kSpOffset)) {
      const uint64_t cells_as_bytes = packed >> (kPackedValueShift - 3) & (((1u << (kPackedBits - 8)) - 1) << 3);
      return StepToCfa(sp_ + cells_as_bytes, packed, end);
    }
    return StepByOtherRule(packed, lookup, end);
  }

 private:
  static bool Stop(End why, End* end) {
    *end = why;
    return false;
  }

  // Reads what the frame below `cfa` saved. `packed` tells about rbp only.
  HT_ALWAYS_INLINE bool StepToCfa(uint64_t cfa, uint64_t packed, End* end) {
    uint64_t pc = 0;
    if (HT_UNLIKELY(!memory_.Read(cfa - 8, &pc))) return Stop(End::kBadMemory, end);
    const uint64_t bp_field = packed & kPackedBpField;
    if (bp_field != 0 && HT_UNLIKELY(!ReadBp(cfa, bp_field >> kPackedBpShift))) return Stop(End::kBadMemory, end);
    return Arrive(pc, cfa, end);
  }

  HT_ALWAYS_INLINE bool Arrive(uint64_t pc, uint64_t sp, End* end) {
    pc_ = pc;
    sp_ = sp;
    exact_ = false;
    if (HT_UNLIKELY(pc == 0)) return Stop(End::kComplete, end);
    if (HT_UNLIKELY(pc >= kAddressLimit)) return Stop(End::kNoRule, end);
    return true;
  }

  HT_ALWAYS_INLINE bool ReadBp(uint64_t cfa, uint64_t field) {
    if (HT_LIKELY(field > kPackedBpLost && field < kPackedBpFirstAtBp)) return memory_.Read(cfa - 8 * field, &bp_);
    if (field == kPackedBpLost) {
      bp_ = kLostBp;
      return true;
    }
    const uint64_t cell = bp_ + 8 * (field - kPackedBpZeroAtBp);
    return cell % 8 == 0 && memory_.Read(cell, &bp_);
  }

  HT_NOINLINE bool StepByOtherRule(uint64_t packed, uint64_t lookup, End* end);
  bool CfaOf(const Rule& rule, uint64_t* cfa);
  bool StepOutOfSignal(End* end);
  bool StepBy(const Rule& rule, End* end);

  StackMemory memory_;
  uint64_t pc_;
  uint64_t sp_;
  uint64_t bp_;
  bool exact_;
};

HT_NOINLINE Rule FindAndCacheRule(uint64_t pc, uint64_t lookup) {
  rule_misses.fetch_add(1, std::memory_order_relaxed);
  const uint32_t generation = rule_cache.generation();
  const FoundRule found = FindRule(pc, lookup);
  if (found.in_object) rule_cache.Insert(lookup, Pack(found.rule), generation);
  return found.rule;
}

bool Walk::StepByOtherRule(uint64_t packed, uint64_t lookup, End* end) {
  if (HT_LIKELY(packed != 0)) return StepBy(Unpack(static_cast<uint32_t>(packed & ((1u << kPackedBits) - 1))), end);
  return StepBy(FindAndCacheRule(pc_, lookup), end);
}

// Where the rule says that the frame ends. False: it needs memory that can't be read.
bool Walk::CfaOf(const Rule& rule, uint64_t* cfa) {
  const auto offset = static_cast<uint64_t>(int64_t{rule.offset});
  switch (rule.kind) {
    case RuleKind::kSpOffset:
      *cfa = sp_ + offset;
      return true;
    case RuleKind::kBpOffset:
      *cfa = bp_ + offset;
      return true;
    case RuleKind::kPlt:
      *cfa = sp_ + 8 + (pc_ % 16 >= offset ? 8 : 0);
      return true;
    case RuleKind::kSpDeref:
    case RuleKind::kBpDeref: {
      const uint64_t cell = (rule.kind == RuleKind::kSpDeref ? sp_ : bp_) + offset;
      if (cell % 8 != 0 || cell < sp_ || !memory_.Read(cell, cfa)) return false;
      *cfa += static_cast<uint64_t>(int64_t{rule.addend});
      return true;
    }
    default:
      return false;
  }
}

// The only step that may go down: a handler may run on another stack than what it interrupted.
bool Walk::StepOutOfSignal(End* end) {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t bp = 0;
  if (!memory_.Read(sp_ + kSignalPcOffset, &pc) || !memory_.Read(sp_ + kSignalSpOffset, &sp) ||
      !memory_.Read(sp_ + kSignalBpOffset, &bp)) {
    return Stop(End::kBadMemory, end);
  }
  bp_ = bp;
  memory_.Enter(sp);
  const bool arrived = Arrive(pc, sp, end);
  exact_ = true;
  return arrived;
}

bool Walk::StepBy(const Rule& rule, End* end) {
  if (rule.kind == RuleKind::kStop) return Stop(rule.offset == kStopOutermost ? End::kComplete : End::kNoRule, end);
  if (rule.kind == RuleKind::kSignal) return StepOutOfSignal(end);
  uint64_t cfa = 0;
  uint64_t pc = 0;
  uint64_t bp = bp_;
  if (!CfaOf(rule, &cfa) || cfa <= sp_ || cfa % 8 != 0 || !memory_.Read(cfa - 8, &pc)) {
    return Stop(End::kBadMemory, end);
  }
  if (rule.bp_kind == BpKind::kLost) bp = kLostBp;
  if (rule.bp_kind == BpKind::kAtCfa || rule.bp_kind == BpKind::kAtBp) {
    const uint64_t cell =
        (rule.bp_kind == BpKind::kAtCfa ? cfa : bp_) + static_cast<uint64_t>(int64_t{rule.bp_offset});
    if (cell % 8 != 0 || !memory_.Read(cell, &bp)) return Stop(End::kBadMemory, end);
  }
  bp_ = bp;
  return Arrive(pc, cfa, end);
}

}  // namespace

bool Initialize(size_t cache_bytes) {
  LearnMainStack();
  if (cache_bytes < RuleCache::kMinBytes) cache_bytes = RuleCache::kMinBytes;
  if (cache_bytes > RuleCache::kMaxBytes) cache_bytes = RuleCache::kMaxBytes;
  constexpr long kReadWrite = 3;
  constexpr long kPrivateAnonymous = 0x22;
  const long memory = platform::Syscall(platform::Call::kMmap, 0, static_cast<long>(cache_bytes), kReadWrite,
                                        kPrivateAnonymous, -1, 0);
  if (memory < 0 && memory > -4096) return false;
  rule_cache.Use(reinterpret_cast<std::atomic<uint64_t>*>(memory), cache_bytes);
  return true;
}

Result UnwindFrom(platform::Registers* registers, StackBounds* bounds, uint64_t* frames, uint32_t capacity) {
  Walk walk(*registers, bounds);
  Result result;
  result.end = End::kDepthLimit;
  while (result.count < capacity) {
    frames[result.count++] = walk.Frame();
    if (!walk.StepOut(&result.end)) break;
  }
  *registers = walk.registers();
  return result;
}

Result Unwind(const platform::Registers& start, StackBounds* bounds, uint64_t* frames, uint32_t capacity) {
  platform::Registers registers = start;
  return UnwindFrom(&registers, bounds, frames, capacity);
}

bool Step(platform::Registers* registers, StackBounds* bounds, End* end) {
  Walk walk(*registers, bounds);
  const bool stepped = walk.StepOut(end);
  if (stepped) *registers = walk.registers();
  return stepped;
}

void ForgetRules() { rule_cache.Forget(); }

uint64_t RuleMisses() { return rule_misses.load(std::memory_order_relaxed); }

}  // namespace heaptally::unwind
