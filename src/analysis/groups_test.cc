#include "analysis/groups.h"

#include <gtest/gtest.h>

namespace heaptally::analysis {
namespace {

using profile::Profile;

// Functions a to d, "m" the allocator; a and b in /bin/a, the others in /lib/m.
class GroupsTest : public testing::Test {
 protected:
  GroupsTest() {
    profile_.modules = {{.path = "/bin/a"}, {.path = "/lib/m"}};
    for (const char letter : std::string("mabcd")) {
      const bool in_program = letter == 'a' || letter == 'b';
      profile_.frames.push_back({.module = in_program ? 0u : 1u, .address = static_cast<uint64_t>(letter)});
      profile_.sources.push_back({{std::string(1, letter), "f.c", static_cast<uint32_t>(letter), false, ""}});
    }
  }

  profile::Site& Add(const std::string& innermost_first, uint64_t bytes) {
    profile::Site& site = profile_.sites.emplace_back();
    for (const char letter : innermost_first)
      site.frames.push_back(static_cast<uint32_t>(std::string("mabcd").find(letter)));
    site.measures.live = {{.proven = 1}, {.proven = bytes}};
    return site;
  }

  // "name self/total:stacks ..."
  std::string Text(GroupBy group, bool full = false) {
    std::string out;
    for (const Group& one : RankGroups({&profile_}, group, By::kLive, Taste(), full)) {
      out += (out.empty() ? "" : " ") + (group == GroupBy::kFunction ? NameOf(one.frame) : one.name) + " " +
             std::to_string(one.self.live.bytes.proven) + "/" + std::to_string(one.total.live.bytes.proven) + ":" +
             std::to_string(one.stacks);
    }
    return out;
  }

  static FrameTaste Taste() {
    const auto is_m = [](const StackFrame& f) { return f.function == "m"; };
    return {.is_plumbing = is_m, .is_allocator = is_m};
  }

  Profile profile_;
};

TEST_F(GroupsTest, SelfIsOfThePlaceAndTotalOfAllItsCallees) {
  Add("mba", 5), Add("mca", 2), Add("ma", 1);
  EXPECT_EQ(Text(GroupBy::kFunction), "b 5/5:1 c 2/2:1 a 1/8:1");
  EXPECT_EQ(Text(GroupBy::kFunction, true), "m 8/8:3 a 0/8:0 b 0/5:0 c 0/2:0");
}

TEST_F(GroupsTest, RecursionCountsOncePerStack) {
  Add("mbabab", 7), Add("mb", 1);
  EXPECT_EQ(Text(GroupBy::kFunction), "b 8/8:2 a 0/7:0");
}

TEST_F(GroupsTest, AModuleHoldsWhatItsPlacesHold) {
  Add("mba", 5), Add("mca", 2), Add("md", 1);
  EXPECT_EQ(Text(GroupBy::kModule), "/bin/a 5/7:1 /lib/m 3/8:2");
}

TEST_F(GroupsTest, ASiteWithoutAStackIsAGroupToo) {
  Add("", 4), Add("ma", 3).memory_class = "mapped";
  EXPECT_EQ(Text(GroupBy::kFunction), "no stack 4/4:1");
  EXPECT_EQ(Text(GroupBy::kModule), " 4/4:1");
}

TEST_F(GroupsTest, WhatStandsBesideIsSummedForTotalsToo) {
  Add("mba", 5), Add("mca", 2);
  const auto groups = RankGroups({&profile_}, GroupBy::kFunction, By::kLive, Taste(), false);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[2].total.live.objects.proven, 2u);
  EXPECT_EQ(groups[2].self.live.objects.proven, 0u);
}

}  // namespace
}  // namespace heaptally::analysis
