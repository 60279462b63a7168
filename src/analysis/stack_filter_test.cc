#include "analysis/stack_filter.h"

#include <gtest/gtest.h>

#include "analysis/source_stack.h"

namespace heaptally::analysis {
namespace {

using profile::Profile;

// Frames 0..3: malloc, parse inlined into load, main, and code without a name. Stacks of 100, 20 and 3 bytes.
Profile Made() {
  Profile profile;
  profile.modules = {{.path = "/usr/bin/server"}, {.path = "/usr/lib/libz.so.1"}};
  profile.frames = {{0, 0x10, false}, {0, 0x20, false}, {0, 0x30, false}, {1, 0x40, false}};
  profile.sources = {{{"malloc", "", 0, false, ""}},
                     {{"int json::parse<char>(char*)", "src/json.cc", 3, true, ""}, {"load", "src/load.cc", 9, false, ""}},
                     {{"main", "src/main.cc", 12, false, ""}},
                     {{"", "", 0, false, "stripped"}}};
  const auto add = [&](std::vector<uint32_t> frames, uint64_t bytes) {
    profile::Site& site = profile.sites.emplace_back();
    site.frames = std::move(frames);
    site.measures.live.bytes.proven = bytes;
  };
  add({0, 1, 2}, 100);
  add({0, 3, 2}, 20);
  add({}, 3);
  profile::SumTotals(&profile);
  return profile;
}

Profile Filtered(const FilterWords& words) {
  std::string error;
  const auto short_name = [](const std::string& name) { return name.starts_with("int json") ? "json::parse" : name; };
  const auto filter = StackFilter::Make(words, short_name, &error);
  EXPECT_TRUE(filter) << error;
  Profile profile = Made();
  if (filter) filter->Apply(&profile);
  return profile;
}

uint64_t Live(const FilterWords& words) {
  const Profile profile = Filtered(words);
  uint64_t sum = 0;
  for (const profile::Site& site : profile.sites) sum += site.measures.live.bytes.proven;
  EXPECT_EQ(profile.totals.live.bytes.proven, sum);
  return sum;
}

std::string Fault(const FilterWords& words) {
  std::string error;
  EXPECT_FALSE(StackFilter::Make(words, [](const std::string& name) { return name; }, &error));
  return error;
}

TEST(StackFilterTest, FocusKeepsStacksWithAMatchInFunctionFileOrModule) {
  EXPECT_EQ(Live({}), 123u);
  EXPECT_EQ(Live({.focus = "main"}), 120u);
  EXPECT_EQ(Live({.focus = "^json::parse$"}), 100u) << "the name that reports show";
  EXPECT_EQ(Live({.focus = "parse<char>"}), 100u) << "the whole name";
  EXPECT_EQ(Live({.focus = "load\\.cc"}), 100u);
  EXPECT_EQ(Live({.focus = "libz"}), 20u);
  EXPECT_EQ(Live({.focus = "0x40$"}), 20u) << "what is shown where there is no name";
  EXPECT_EQ(Live({.focus = "nowhere"}), 0u);
}

TEST(StackFilterTest, IgnoreWinsOverFocus) {
  EXPECT_EQ(Live({.ignore = "parse"}), 23u);
  EXPECT_EQ(Live({.focus = "main", .ignore = "libz"}), 100u);
}

TEST(StackFilterTest, HideTakesFramesAndKeepsTheirStacks) {
  const Profile profile = Filtered({.hide = "parse|malloc"});
  EXPECT_EQ(profile.totals.live.bytes.proven, 123u);
  const std::vector<StackFrame> stack = SourceStack(profile, profile.sites[0]);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].function, "load") << "the function that the hidden one was inlined into";
  EXPECT_EQ(stack[1].function, "main");
}

TEST(StackFilterTest, AStackOfHiddenFramesOnlyStaysAndSaysSo) {
  const Profile profile = Filtered({.hide = "."});
  ASSERT_EQ(profile.sites.size(), 3u);
  EXPECT_EQ(profile.totals.live.bytes.proven, 123u);
  EXPECT_TRUE(profile.sites[0].frames.empty());
  EXPECT_EQ(profile.sites[0].truncated_why, "all of its frames are hidden");
  EXPECT_EQ(profile.sites[2].truncated_why, "");
}

TEST(StackFilterTest, FocusIsAskedBeforeFramesAreHidden) {
  EXPECT_EQ(Live({.focus = "parse", .hide = "parse"}), 100u);
}

TEST(StackFilterTest, ThePeakOfTheWholeProcessIsNotThatOfAPart) {
  std::string error;
  const auto filter = StackFilter::Make({.focus = "parse"}, [](const std::string& name) { return name; }, &error);
  Profile profile = Made();
  profile.totals.peak_whole.bytes.proven = profile.totals.peak_most_proven = 5000;
  filter->Apply(&profile);
  EXPECT_EQ(profile.totals.peak_whole.bytes.proven, 0u);
  EXPECT_EQ(profile.totals.peak_most_proven, 0u);
}

TEST(StackFilterTest, AFaultyExpressionSaysWhere) {
  EXPECT_EQ(Fault({.focus = "json(parse"}),
            "--focus \"json(parse\" is no regular expression: missing ), at character 5 ((parse)");
  EXPECT_NE(Fault({.ignore = "a)b"}).find("--ignore"), std::string::npos);
  EXPECT_NE(Fault({.ignore = "a)b"}).find("at character 2"), std::string::npos) << Fault({.ignore = "a)b"});
  EXPECT_NE(Fault({.hide = "ab*?**"}).find("at character 3"), std::string::npos) << Fault({.hide = "ab*?**"});
  EXPECT_NE(Fault({.hide = "x[a-"}).find("at character 2"), std::string::npos) << Fault({.hide = "x[a-"});
  EXPECT_NE(Fault({.hide = "abc\\"}).find("at character 4"), std::string::npos) << Fault({.hide = "abc\\"});
}

TEST(StackFilterTest, AnHonestNameOfAMegabyteIsNoTrouble) {
  Profile profile = Made();
  profile.sources[1][0].function = std::string(1 << 20, 'a');
  std::string error;
  const auto filter = StackFilter::Make({.focus = "(a|b)*json.cc$"}, [](const std::string& name) { return name; }, &error);
  filter->Apply(&profile);
  EXPECT_EQ(profile.totals.live.bytes.proven, 100u) << "src/json.cc";
}

}  // namespace
}  // namespace heaptally::analysis
