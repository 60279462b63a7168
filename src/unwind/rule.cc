#include "unwind/rule.h"

namespace heaptally::unwind {
namespace {

constexpr int32_t kCell = 8;

// Dereferencing rules share the value: 12 bits of signed offset, 6 bits of addend, both in cells.
constexpr uint32_t kDerefOffsetBits = 12;
constexpr int32_t kMaxAddend = 63 * kCell;

constexpr uint32_t kDoesNotFit = ~0u;

bool FitsSigned(int32_t offset, uint32_t bits) {
  const int32_t limit = 1 << (bits - 1);
  return offset % kCell == 0 && offset / kCell >= -limit && offset / kCell < limit;
}

int32_t SignExtend(uint32_t value, uint32_t bits) { return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits); }

uint32_t PackBp(const Rule& rule) {
  switch (rule.bp_kind) {
    case BpKind::kSame:
      return kPackedBpSame;
    case BpKind::kLost:
      return kPackedBpLost;
    case BpKind::kAtCfa: {
      const int32_t cells = -rule.bp_offset / kCell;
      const bool fits = rule.bp_offset % kCell == 0 && cells >= 2 && cells < static_cast<int32_t>(kPackedBpFirstAtBp);
      return fits ? static_cast<uint32_t>(cells) : kDoesNotFit;
    }
    case BpKind::kAtBp:
      return FitsSigned(rule.bp_offset, 3) ? static_cast<uint32_t>(rule.bp_offset / kCell + kPackedBpZeroAtBp)
                                           : kDoesNotFit;
  }
  return kDoesNotFit;
}

uint32_t PackValue(const Rule& rule) {
  switch (rule.kind) {
    case RuleKind::kEmpty:
      return kDoesNotFit;
    case RuleKind::kSpOffset:
    case RuleKind::kBpOffset: {
      const bool fits = rule.offset > 0 && rule.offset % kCell == 0 && rule.offset / kCell <= int32_t{kPackedValueMask};
      return fits ? static_cast<uint32_t>(rule.offset / kCell) : kDoesNotFit;
    }
    case RuleKind::kSpDeref:
    case RuleKind::kBpDeref: {
      if (!FitsSigned(rule.offset, kDerefOffsetBits)) return kDoesNotFit;
      if (rule.addend < 0 || rule.addend > kMaxAddend || rule.addend % kCell != 0) return kDoesNotFit;
      const uint32_t offset = static_cast<uint32_t>(rule.offset / kCell) & ((1u << kDerefOffsetBits) - 1);
      return offset | static_cast<uint32_t>(rule.addend / kCell) << kDerefOffsetBits;
    }
    case RuleKind::kPlt:
    case RuleKind::kSignal:
    case RuleKind::kStop:
      return static_cast<uint32_t>(rule.offset) & kPackedValueMask;
  }
  return kDoesNotFit;
}

}  // namespace

uint32_t Pack(const Rule& rule) {
  const uint32_t bp = PackBp(rule);
  const uint32_t value = PackValue(rule);
  if (bp == kDoesNotFit || value == kDoesNotFit) return 0;
  return static_cast<uint32_t>(rule.kind) | bp << kPackedBpShift | value << kPackedValueShift;
}

Rule Unpack(uint32_t packed) {
  Rule rule;
  const uint32_t value = packed >> kPackedValueShift & kPackedValueMask;
  rule.kind = static_cast<RuleKind>(packed & kPackedKindMask);
  rule.offset = static_cast<int32_t>(value);
  if (rule.kind == RuleKind::kSpOffset || rule.kind == RuleKind::kBpOffset) rule.offset *= kCell;
  if (rule.kind == RuleKind::kSpDeref || rule.kind == RuleKind::kBpDeref) {
    rule.offset = SignExtend(value & ((1u << kDerefOffsetBits) - 1), kDerefOffsetBits) * kCell;
    rule.addend = static_cast<int32_t>(value >> kDerefOffsetBits) * kCell;
  }
  const uint32_t bp = packed >> kPackedBpShift & kPackedBpMask;
  if (bp == kPackedBpLost) {
    rule.bp_kind = BpKind::kLost;
  } else if (bp >= kPackedBpFirstAtBp) {
    rule.bp_kind = BpKind::kAtBp;
    rule.bp_offset = (static_cast<int32_t>(bp) - kPackedBpZeroAtBp) * kCell;
  } else if (bp != kPackedBpSame) {
    rule.bp_kind = BpKind::kAtCfa;
    rule.bp_offset = -static_cast<int32_t>(bp) * kCell;
  }
  return rule;
}

}  // namespace heaptally::unwind
