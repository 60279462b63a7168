#include "analysis/suppressions.h"

#include <gtest/gtest.h>

namespace heaptally::analysis {
namespace {

TEST(SuppressionsTest, PatternsMatchAnywhereUnlessHeldToAnEnd) {
  EXPECT_TRUE(MatchesSuppression("warm", "Cache::warm_up"));
  EXPECT_FALSE(MatchesSuppression("warmup", "Cache::warm_up"));
  EXPECT_TRUE(MatchesSuppression("^Cache", "Cache::warm_up"));
  EXPECT_FALSE(MatchesSuppression("^warm", "Cache::warm_up"));
  EXPECT_TRUE(MatchesSuppression("_up$", "Cache::warm_up"));
  EXPECT_FALSE(MatchesSuppression("warm$", "Cache::warm_up"));
  EXPECT_TRUE(MatchesSuppression("^main$", "main"));
  EXPECT_FALSE(MatchesSuppression("^main$", "mainmain"));
  EXPECT_FALSE(MatchesSuppression("^main$", "domain"));
}

TEST(SuppressionsTest, AStarMatchesAnyText) {
  EXPECT_TRUE(MatchesSuppression("Cache*up", "Cache::warm_up"));
  EXPECT_TRUE(MatchesSuppression("^Ca*warm*$", "Cache::warm_up"));
  EXPECT_TRUE(MatchesSuppression("a*a$", "aba"));
  EXPECT_FALSE(MatchesSuppression("^a*a$", "a")) << "one letter cannot be both";
  EXPECT_FALSE(MatchesSuppression("up*Cache", "Cache::warm_up"));
  EXPECT_TRUE(MatchesSuppression("operator new[](unsigned long)", "operator new[](unsigned long)"));
  EXPECT_TRUE(MatchesSuppression("*", "any"));
  EXPECT_FALSE(MatchesSuppression("x", ""));
}

std::string Fault(std::string_view text) {
  std::string error;
  EXPECT_FALSE(ParseSuppressions(text, "lsan.supp", &error));
  return error;
}

TEST(SuppressionsTest, LinesAreReadAsLeakSanitizerDoes) {
  std::string error;
  const auto list = ParseSuppressions("# why\n\n  leak:foo \r\nleak:a:b\nleak:last", "f", &error);
  ASSERT_TRUE(list) << error;
  ASSERT_EQ(list->size(), 3u);
  EXPECT_EQ((*list)[0].pattern, "foo");
  EXPECT_EQ((*list)[1].pattern, "a:b");
  EXPECT_EQ((*list)[2].pattern, "last");
}

TEST(SuppressionsTest, ABadLineIsNamed) {
  EXPECT_EQ(Fault("leak:ok\nfoo\n"), "lsan.supp:2: \"foo\" has no colon");
  EXPECT_EQ(Fault("race:foo"), "lsan.supp:1: there is no kind \"race\", only leak");
  EXPECT_NE(Fault("\n\nleak:").find("lsan.supp:3: the pattern is empty"), std::string::npos);
  EXPECT_NE(Fault("leak:^$").find("empty"), std::string::npos);
}

TEST(SuppressionsTest, WhatIsSuppressedIsSummedByTheFirstPatternThatMatches) {
  profile::Profile profile;
  profile.modules = {{.path = "/usr/lib/libfoo.so.1"}};
  profile.frames = {{0, 1, false}, {profile::kNoModule, 2, false}, {profile::kNoModule, 3, false}};
  profile.sources = {{{"", "", 0, false, "stripped"}}, {{"load", "src/load.c", 1, false, ""}},
                     {{"main", "src/main.c", 1, false, ""}}};
  for (const std::vector<uint32_t>& frames : {std::vector<uint32_t>{0, 2}, {1, 2}, {2}, {}}) {
    profile::Site& site = profile.sites.emplace_back();
    site.frames = frames;
    site.measures.live.bytes.proven = 10 + profile.sites.size();
  }
  profile::SumTotals(&profile);
  std::string error;
  auto list = ParseSuppressions("leak:libfoo.so\nleak:load.c\nleak:^lo*\nleak:nowhere\n", "f", &error);
  Suppress([](const std::string& name) { return name; }, &*list, &profile);
  EXPECT_EQ((*list)[0].sum.live.bytes.proven, 11u) << "by module";
  EXPECT_EQ((*list)[1].sum.live.bytes.proven, 12u) << "by file";
  EXPECT_EQ((*list)[1].stacks, 1u);
  EXPECT_EQ((*list)[2].stacks, 0u) << "the first has it";
  EXPECT_EQ(profile.sites.size(), 2u);
  EXPECT_EQ(profile.totals.live.bytes.proven, 27u);
}

}  // namespace
}  // namespace heaptally::analysis
