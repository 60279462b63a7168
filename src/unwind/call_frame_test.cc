#include "unwind/call_frame.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "unwind/frame_bytes.h"

namespace heaptally::unwind {
namespace {

constexpr uint64_t kStart = 0x401000;
constexpr uint64_t kLength = 0x100;

// The rule at kStart + offset of one FDE with this program; nullopt if the parser refuses.
std::optional<Rule> RuleOf(std::initializer_list<uint8_t> program, uint64_t offset,
                           std::string_view augmentation = "zR",
                           std::initializer_list<uint8_t> common = FrameBytes::kEntryRow) {
  FrameBytes bytes;
  bytes.Cie(augmentation, common);
  const size_t fde = bytes.size();
  bytes.Fde(0, kStart, kLength, program, augmentation.starts_with('z'));
  const ExactCopy copy(bytes.bytes());
  Rule rule;
  if (!RuleFromFde(copy.section(), copy.at(fde), kStart + offset, &rule)) return std::nullopt;
  return rule;
}

const Rule kNoRule{};

Rule SpRule(int32_t offset) { return {RuleKind::kSpOffset, BpKind::kSame, offset, 0, 0}; }

TEST(RuleFromFde, FollowsAPrologueAndAnEpilogue) {
  // push rbp (1 byte); mov rsp, rbp (3); ...; at 32: leave; ret
  const auto program = {uint8_t{0x41}, uint8_t{0x0e}, uint8_t{16},   uint8_t{0x86}, uint8_t{2}, uint8_t{0x43},
                        uint8_t{0x0d}, uint8_t{6},    uint8_t{0x5c}, uint8_t{0x0c}, uint8_t{7}, uint8_t{8}};
  EXPECT_EQ(RuleOf(program, 0), SpRule(8));
  EXPECT_EQ(RuleOf(program, 1), (Rule{RuleKind::kSpOffset, BpKind::kAtCfa, 16, 0, -16}));
  EXPECT_EQ(RuleOf(program, 4), (Rule{RuleKind::kBpOffset, BpKind::kAtCfa, 16, 0, -16}));
  EXPECT_EQ(RuleOf(program, 31), (Rule{RuleKind::kBpOffset, BpKind::kAtCfa, 16, 0, -16}));
  EXPECT_EQ(RuleOf(program, 32), (Rule{RuleKind::kSpOffset, BpKind::kAtCfa, 8, 0, -16}));
}

TEST(RuleFromFde, KnowsEveryWidthOfAdvance) {
  EXPECT_EQ(RuleOf({0x02, 5, 0x0e, 24}, 4), SpRule(8));
  EXPECT_EQ(RuleOf({0x02, 5, 0x0e, 24}, 5), SpRule(24));
  EXPECT_EQ(RuleOf({0x03, 5, 0, 0x0e, 24}, 5), SpRule(24));
  EXPECT_EQ(RuleOf({0x04, 5, 0, 0, 0, 0x0e, 24}, 4), SpRule(8));
  EXPECT_EQ(RuleOf({0x04, 5, 0, 0, 0, 0x0e, 24}, 5), SpRule(24));
}

TEST(RuleFromFde, RemembersAndRestoresRows) {
  EXPECT_EQ(RuleOf({0x0e, 16, 0x0a, 0x0e, 32, 0x41, 0x0b}, 0), SpRule(32));
  EXPECT_EQ(RuleOf({0x0e, 16, 0x0a, 0x0e, 32, 0x41, 0x0b}, 1), SpRule(16));
  EXPECT_EQ(RuleOf({0x0b}, 0), std::nullopt) << "nothing was remembered";
  EXPECT_EQ(RuleOf({0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a}, 0), std::nullopt) << "too deep";
}

TEST(RuleFromFde, RestoresColumnsToTheCommonPart) {
  EXPECT_EQ(RuleOf({0x86, 2, 0xc6}, 0), SpRule(8));
  EXPECT_EQ(RuleOf({0x86, 2, 0x06, 6}, 0), SpRule(8));
  EXPECT_EQ(RuleOf({0x86, 2, 0x08, 6}, 0), SpRule(8)) << "same value";
}

TEST(RuleFromFde, KnowsTheSignedAndTheGnuForms) {
  EXPECT_EQ(RuleOf({0x12, 7, 0x7e}, 0), SpRule(16)) << "def_cfa_sf: -2 * -8";
  EXPECT_EQ(RuleOf({0x13, 0x7d}, 0), SpRule(24)) << "def_cfa_offset_sf";
  EXPECT_EQ(RuleOf({0x11, 6, 2}, 0)->bp_offset, -16) << "offset_extended_sf";
  EXPECT_EQ(RuleOf({0x2f, 6, 0}, 0)->bp_offset, 0) << "negative_offset_extended";
  EXPECT_EQ(RuleOf({0x2e, 0x90, 0x01, 0x0e, 16}, 0), SpRule(16)) << "args_size";
}

TEST(RuleFromFde, LosesBpWhereItCannotBeFollowed) {
  EXPECT_EQ(RuleOf({0x07, 6}, 0)->bp_kind, BpKind::kLost) << "undefined";
  EXPECT_EQ(RuleOf({0x09, 6, 3}, 0)->bp_kind, BpKind::kLost) << "in another register";
  EXPECT_EQ(RuleOf({0x14, 6, 2}, 0)->bp_kind, BpKind::kLost) << "val_offset";
  EXPECT_EQ(RuleOf({0x16, 6, 2, 0x77, 0}, 0)->bp_kind, BpKind::kLost) << "val_expression";
  EXPECT_EQ(RuleOf({0x10, 6, 2, 0x76, 0}, 0)->bp_kind, BpKind::kAtBp) << "*(rbp+0)";
  EXPECT_EQ(RuleOf({0x10, 6, 2, 0x70, 0}, 0)->bp_kind, BpKind::kLost) << "*(rax+0)";
}

TEST(RuleFromFde, KnowsTheShapesOfCfaExpressions) {
  EXPECT_EQ(RuleOf({0x0f, 3, 0x76, 0x78, 0x06}, 0), (Rule{RuleKind::kBpDeref, BpKind::kSame, -8, 0, 0}));
  EXPECT_EQ(RuleOf({0x0f, 5, 0x77, 0x28, 0x06, 0x23, 0x08}, 0), (Rule{RuleKind::kSpDeref, BpKind::kSame, 40, 8, 0}));
  EXPECT_EQ(RuleOf({0x0f, 5, 0x77, 0x28, 0x06, 0x38, 0x22}, 0), (Rule{RuleKind::kSpDeref, BpKind::kSame, 40, 8, 0}));
  EXPECT_EQ(RuleOf({0x0f, 2, 0x77, 0x10}, 0), SpRule(16));
  EXPECT_EQ(RuleOf({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, 0),
            (Rule{RuleKind::kPlt, BpKind::kSame, 11, 0, 0}));
  EXPECT_EQ(RuleOf({0x0f, 3, 0x73, 0x10, 0x06}, 0), kNoRule) << "*(rbx+16)";
  EXPECT_EQ(RuleOf({0x0f, 0}, 0), kNoRule) << "empty";
  EXPECT_EQ(RuleOf({0x0f, 4, 0x77, 0x28, 0x06, 0x06}, 0), kNoRule) << "dereferenced twice";
}

TEST(RuleFromFde, EndsAtAnUndefinedReturnAddress) {
  EXPECT_EQ(RuleOf({0x07, 16}, 0), (Rule{RuleKind::kStop, BpKind::kSame, kStopOutermost, 0, 0}));
}

TEST(RuleFromFde, HasNoRuleWhereMoreThanTwoRegistersAreNeeded) {
  EXPECT_EQ(RuleOf({0x0d, 10}, 0), kNoRule) << "CFA = r10 + 8";
  EXPECT_EQ(RuleOf({0x09, 16, 5}, 0), kNoRule) << "return address in rdi";
  EXPECT_EQ(RuleOf({0x90, 2}, 0), kNoRule) << "return address at CFA-16";
  EXPECT_EQ(RuleOf({0x87, 2}, 0), kNoRule) << "rsp saved";
}

TEST(RuleFromFde, KnowsTheKernelsSignalFrame) {
  const auto frame = {uint8_t{0x0f}, uint8_t{4},  uint8_t{0x77}, uint8_t{0xa0}, uint8_t{0x01}, uint8_t{0x06},
                      uint8_t{0x10}, uint8_t{6},  uint8_t{3},    uint8_t{0x77}, uint8_t{0xf8}, uint8_t{0x00},
                      uint8_t{0x10}, uint8_t{16}, uint8_t{3},    uint8_t{0x77}, uint8_t{0xa8}, uint8_t{0x01}};
  EXPECT_EQ(RuleOf(frame, 0, "zRS"), (Rule{RuleKind::kSignal, BpKind::kSame, 0, 0, 0}));
  EXPECT_EQ(RuleOf({0x0e, 16}, 0, "zRS"), kNoRule);
  EXPECT_EQ(RuleOf(frame, 0, "zR"), kNoRule);
}

TEST(RuleFromFde, CoversExactlyItsRange) {
  EXPECT_EQ(RuleOf({}, kLength - 1), SpRule(8));
  EXPECT_EQ(RuleOf({}, kLength), std::nullopt);
  EXPECT_EQ(RuleOf({}, static_cast<uint64_t>(-1)), std::nullopt);
}

TEST(RuleFromFde, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(RuleOf({0x1f}, 0), std::nullopt) << "no such instruction";
  EXPECT_EQ(RuleOf({0x01, 0, 0, 0, 0, 0, 0, 0, 0}, 0), std::nullopt) << "set_loc";
  EXPECT_EQ(RuleOf({}, 0, "eh"), std::nullopt);
  EXPECT_EQ(RuleOf({}, 0, "zX"), std::nullopt);
  EXPECT_EQ(RuleOf({}, 0, "", {0x0c, 7, 8, 0x90, 1}), SpRule(8)) << "no augmentation at all is fine";
}

TEST(RuleFromFde, RefusesHugeNumbers) {
  EXPECT_EQ(RuleOf({0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 0), std::nullopt);
  EXPECT_EQ(RuleOf({0x86, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 0), std::nullopt);
  EXPECT_EQ(RuleOf({0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x77}, 0), std::nullopt) << "a block beyond the end";
  EXPECT_EQ(RuleOf({0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 0), std::nullopt);
}

// An FDE that names itself, a later record, or nothing as its CIE.
TEST(RuleFromFde, RefusesWrongCiePointers) {
  for (const uint32_t to_cie : {0u, 4u, 1000000u, 0xffffffffu}) {
    FrameBytes bytes;
    bytes.Cie();
    const size_t fde = bytes.size();
    bytes.Fde(0, kStart, kLength, {});
    std::memcpy(bytes.bytes().data() + fde + 4, &to_cie, sizeof(to_cie));
    const ExactCopy copy(bytes.bytes());
    Rule rule;
    EXPECT_FALSE(RuleFromFde(copy.section(), copy.at(fde), kStart, &rule)) << to_cie;
  }
}

TEST(RuleFromFde, RefusesLengthsThatDoNotFit) {
  for (const uint32_t length : {0u, 1u, 0x7fffffffu, 0xfffffff0u, 0xffffffffu}) {
    for (const bool in_cie : {false, true}) {
      FrameBytes bytes;
      bytes.Cie();
      const size_t fde = bytes.size();
      bytes.Fde(0, kStart, kLength, {0x0e, 16});
      std::memcpy(bytes.bytes().data() + (in_cie ? 0 : fde), &length, sizeof(length));
      const ExactCopy copy(bytes.bytes());
      Rule rule;
      EXPECT_FALSE(RuleFromFde(copy.section(), copy.at(fde), kStart, &rule)) << length << " in the CIE: " << in_cie;
    }
  }
}

TEST(RuleFromFde, RefusesAddressesOutsideOfTheSection) {
  FrameBytes bytes;
  bytes.Cie();
  const ExactCopy copy(bytes.bytes());
  Rule rule;
  EXPECT_FALSE(RuleFromFde(copy.section(), nullptr, kStart, &rule));
  EXPECT_FALSE(RuleFromFde(copy.section(), copy.section().end, kStart, &rule));
  EXPECT_FALSE(RuleFromFde(copy.section(), copy.section().end - 1, kStart, &rule));
}

FrameBytes RichRecords(size_t* fde) {
  FrameBytes bytes;
  bytes.Cie("zRS");
  *fde = bytes.size();
  bytes.Fde(0, kStart, kLength, {0x41, 0x0e, 16, 0x86, 2,    0x43, 0x0d, 6, 0x0a, 0x0f, 5, 0x77, 0x28, 0x06, 0x23,
                                 8,    0x10, 6,  2,    0x76, 0,    0x02, 9, 0x0b, 0x16, 3, 2,    0x77, 0});
  return bytes;
}

// Cut at every length. Meant for the sanitizer: it sees any read beyond the end.
TEST(RuleFromFde, NeverReadsBeyondTruncatedRecords) {
  size_t fde = 0;
  FrameBytes bytes = RichRecords(&fde);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const ExactCopy copy(bytes.bytes(), size);
    Rule rule;
    EXPECT_FALSE(RuleFromFde(copy.section(), copy.at(fde), kStart + 20, &rule)) << size;
  }
}

TEST(RuleFromFde, NeverReadsBeyondMutatedRecords) {
  std::mt19937_64 random(7);
  size_t fde = 0;
  const FrameBytes original = RichRecords(&fde);
  for (int i = 0; i < 200000; ++i) {
    FrameBytes bytes = original;
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      bytes.bytes()[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    const ExactCopy copy(bytes.bytes());
    Rule rule;
    RuleFromFde(copy.section(), copy.at(fde), kStart + random() % kLength, &rule);
  }
}

}  // namespace
}  // namespace heaptally::unwind
