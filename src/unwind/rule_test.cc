#include "unwind/rule.h"

#include <gtest/gtest.h>

namespace heaptally::unwind {
namespace {

TEST(Pack, RoundTripsWhatFits) {
  const Rule rules[] = {
      {RuleKind::kSpOffset, BpKind::kSame, 8, 0, 0},
      {RuleKind::kSpOffset, BpKind::kAtCfa, 2097144, 0, -16},
      {RuleKind::kBpOffset, BpKind::kAtCfa, 16, 0, -184},
      {RuleKind::kBpOffset, BpKind::kLost, 16, 0, 0},
      {RuleKind::kPlt, BpKind::kSame, 11, 0, 0},
      {RuleKind::kSpDeref, BpKind::kAtBp, 16376, 504, -32},
      {RuleKind::kBpDeref, BpKind::kAtBp, -16384, 0, 24},
      {RuleKind::kSignal, BpKind::kSame, 0, 0, 0},
      {RuleKind::kStop, BpKind::kSame, kStopOutermost, 0, 0},
      {RuleKind::kStop, BpKind::kSame, kStopNoRule, 0, 0},
  };
  for (const Rule& rule : rules) {
    const uint32_t packed = Pack(rule);
    EXPECT_NE(packed, 0u) << static_cast<int>(rule.kind);
    EXPECT_EQ(packed >> kPackedBits, 0u) << static_cast<int>(rule.kind);
    EXPECT_EQ(Unpack(packed), rule) << static_cast<int>(rule.kind);
  }
}

TEST(Pack, RefusesWhatDoesNotFit) {
  const Rule rules[] = {
      {RuleKind::kEmpty, BpKind::kSame, 8, 0, 0},          {RuleKind::kSpOffset, BpKind::kSame, 0, 0, 0},
      {RuleKind::kSpOffset, BpKind::kSame, -8, 0, 0},      {RuleKind::kSpOffset, BpKind::kSame, 12, 0, 0},
      {RuleKind::kSpOffset, BpKind::kSame, 2097152, 0, 0}, {RuleKind::kSpOffset, BpKind::kAtCfa, 16, 0, -8},
      {RuleKind::kSpOffset, BpKind::kAtCfa, 16, 0, -192},  {RuleKind::kSpOffset, BpKind::kAtCfa, 16, 0, -20},
      {RuleKind::kSpOffset, BpKind::kAtBp, 16, 0, 32},     {RuleKind::kSpDeref, BpKind::kSame, 16384, 0, 0},
      {RuleKind::kSpDeref, BpKind::kSame, 8, 512, 0},      {RuleKind::kBpDeref, BpKind::kSame, 8, -8, 0},
  };
  for (const Rule& rule : rules)
    EXPECT_EQ(Pack(rule), 0u) << rule.offset << ' ' << rule.addend << ' ' << rule.bp_offset;
}

}  // namespace
}  // namespace heaptally::unwind
