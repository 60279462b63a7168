#include "analysis/changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profile/estimates.h"
#include "sampling/terms.h"

namespace heaptally::analysis {
namespace {

using profile::ExactAmount;
using profile::Profile;
using profile::Site;

FrameTaste Taste() {
  return {.is_plumbing = [](const StackFrame& f) { return f.function == "malloc"; },
          .is_allocator = [](const StackFrame& f) { return f.function == "malloc"; }};
}

struct Line {
  std::string function;
  uint32_t line;
  uint64_t live;
};

// A program whose lines hold so much, exactly counted.
Profile Exact(const std::string& build_id, const std::vector<Line>& lines) {
  Profile profile;
  profile.exe = "/home/x/build-" + build_id + "/server";
  profile.modules = {{profile.exe, build_id, 0, 0, 0, false}};
  for (uint32_t i = 0; i < lines.size(); ++i) {
    profile.frames.push_back({0, 0x1000 * (build_id.size() + i), false});
    profile.sources.push_back({{lines[i].function, "/src/" + build_id + "/server.cc", lines[i].line, false, ""}});
    Site& site = profile.sites.emplace_back();
    site.id = i + 3;
    site.frames = {i};
    site.measures.allocated = site.measures.live = {ExactAmount(lines[i].live > 0), ExactAmount(lines[i].live)};
  }
  profile::SumTotals(&profile);
  return profile;
}

TEST(Changes, EachKindOfAnExactChange) {
  const Profile before = Exact("a", {{"stays", 1, 10}, {"grows", 2, 100}, {"shrinks", 3, 50}, {"goes", 4, 7}});
  const Profile after = Exact("a", {{"stays", 1, 10}, {"grows", 2, 400}, {"shrinks", 3, 30}, {"comes", 9, 5}});
  const Changes changes = Compare({before}, {after}, By::kLive, Taste());
  ASSERT_EQ(changes.ranked.size(), 4u);
  EXPECT_EQ(changes.ranked[0].frame.function, "grows");
  EXPECT_EQ(changes.ranked[0].kind, ChangeKind::kGrown);
  EXPECT_EQ(changes.ranked[0].change.v, 300);
  EXPECT_TRUE(changes.ranked[0].change.exact);
  EXPECT_EQ(changes.ranked[1].kind, ChangeKind::kShrunk);
  EXPECT_EQ(changes.ranked[1].change.v, -20);
  EXPECT_EQ(changes.ranked[2].kind, ChangeKind::kGone);
  EXPECT_EQ(changes.ranked[3].kind, ChangeKind::kNew);
  EXPECT_EQ(changes.same, 1u);
  EXPECT_EQ(changes.noisy, 0u);
  EXPECT_EQ(changes.total.change.v, 300 - 20 - 7 + 5);
}

TEST(Changes, TwoBuildsAreMatchedByFunctionThoughLinesMoved) {
  const Profile before = Exact("old", {{"grow", 10, 100}, {"load.constprop.0", 20, 30}});
  const Profile after = Exact("newer", {{"added", 5, 1}, {"grow", 17, 100}, {"load", 27, 30}});
  const Changes changes = Compare({before}, {after}, By::kLive, Taste());
  ASSERT_EQ(changes.ranked.size(), 1u);
  EXPECT_EQ(changes.ranked[0].frame.function, "added");
  EXPECT_EQ(changes.same, 2u);
}

TEST(Changes, OneBuildTellsLinesOfAFunctionApart) {
  const Profile before = Exact("a", {{"grow", 10, 100}, {"grow", 11, 100}});
  const Profile after = Exact("a", {{"grow", 10, 150}, {"grow", 11, 50}});
  EXPECT_EQ(Compare({before}, {after}, By::kLive, Taste()).ranked.size(), 2u);
  const Profile other = Exact("b", {{"grow", 10, 150}, {"grow", 11, 50}});
  EXPECT_EQ(Compare({before}, {other}, By::kLive, Taste()).ranked.size(), 0u);  // as a function, it is the same
}

// ------------------------------------------------------------------------------------------------------------- sampled

constexpr uint64_t kPeriod = 512 << 10;
using Random = std::mt19937_64;

struct Block {
  uint64_t bytes;
  uint32_t id;
  bool sampled;
};

Block Draw(uint64_t bytes, Random* random) {
  const double p = -std::expm1(-static_cast<double>(bytes + 1) / kPeriod);
  const auto id = static_cast<uint32_t>((*random)());
  return {bytes, id, static_cast<double>((*random)() >> 11) * 0x1p-53 < p};
}

// One moment of an image with one site that holds these blocks.
Profile Sampled(const std::vector<Block>& live, uint64_t taken, int pid) {
  Profile profile = Exact("a", {{"churns", 10, 0}});
  profile.mode = "bytes";
  profile.pid = pid;
  profile.started_unix_ns = 1;
  profile.taken_unix_ns = taken;
  sampling::Sums sums;
  Site& site = profile.sites[0];
  for (const Block& block : live) {
    if (!block.sampled) continue;
    sums.Add(sampling::TermsOf(block.bytes, kPeriod));
    site.live_samples.push_back({block.id, block.bytes, kPeriod});
  }
  std::sort(site.live_samples.begin(), site.live_samples.end());
  site.measures = {};
  site.measures.live = site.measures.allocated = profile::VolumeOf(sums);
  site.measures.period = kPeriod;
  profile::SumTotals(&profile);
  return profile;
}

struct Rates {
  double called_changed = 0;
  double held = 0;  // the interval held the true change
  double width = 0;
};

// Many runs of a site of `count` blocks, of which every `turnover`-th is replaced by one of the same size between the
// moments, and `leaked` come.
Rates Simulate(int count, int turnover, int leaked, uint64_t bytes, bool one_image) {
  constexpr int kRuns = 1000;
  Random random(20260101);
  Rates rates;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Block> live;
    for (int i = 0; i < count; ++i) live.push_back(Draw(i % 7 == 0 ? 40 * bytes : bytes, &random));
    const Profile before = Sampled(live, 10, 1);
    for (int i = 0; i < count; i += turnover) live[static_cast<size_t>(i)] = Draw(live[static_cast<size_t>(i)].bytes, &random);
    if (!one_image) {
      for (Block& block : live) block = Draw(block.bytes, &random);
    }
    for (int i = 0; i < leaked; ++i) live.push_back(Draw(bytes, &random));
    const Changes changes = Compare({before}, {Sampled(live, 20, one_image ? 1 : 2)}, By::kLive, Taste());
    EXPECT_EQ(changes.one_image, one_image);
    rates.called_changed += !changes.ranked.empty();
    const double truth = static_cast<double>(leaked) * static_cast<double>(bytes);
    rates.held += changes.total.change.lo <= truth && truth <= changes.total.change.hi;
    rates.width += changes.total.change.hi - changes.total.change.lo;
  }
  return {rates.called_changed / kRuns, rates.held / kRuns, rates.width / kRuns};
}

TEST(Changes, WhatStaysTheSameIsNoiseInNineteenOfTwenty) {
  for (const bool one_image : {true, false}) {
    for (const int turnover : {1, 3, 50}) {
      const Rates rates = Simulate(2000, turnover, 0, 8 << 10, one_image);
      EXPECT_LE(rates.called_changed, 0.05) << one_image << " " << turnover;
      EXPECT_GE(rates.held, 0.95) << one_image << " " << turnover;
    }
  }
}

// A site that no sample hit is not in a profile at all: that it is not there says as little as any number without a sample.
TEST(Changes, APlaceThatOneSideHasNoSampleOfMayBeThereAllTheSame) {
  Random random(20261203);
  int called_changed = 0, one_sided = 0;
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Profile> sides;
    for (int side = 0; side < 2; ++side) {
      std::vector<Block> live;
      for (int i = 0; i < 40; ++i) live.push_back(Draw(static_cast<uint64_t>(kPeriod) / 40, &random));
      sides.push_back(Sampled(live, 10, side + 1));
      sides.back().period_bytes = static_cast<uint64_t>(kPeriod);
      if (sides.back().sites[0].live_samples.empty()) sides.back().sites.clear();
      profile::SumTotals(&sides.back());
    }
    one_sided += sides[0].sites.size() != sides[1].sites.size();
    called_changed += !Compare({sides[0]}, {sides[1]}, By::kLive, Taste()).ranked.empty();
  }
  EXPECT_GT(one_sided, kRuns / 4);
  EXPECT_LE(called_changed, kRuns / 20);
}

// Where everything was counted, what is not there is not there.
TEST(Changes, AnExactSideWithoutThePlaceIsNothing) {
  const Changes changes = Compare({Exact("a", {{"goes", 4, 7}})}, {Exact("a", {})}, By::kLive, Taste());
  ASSERT_EQ(changes.ranked.size(), 1u);
  EXPECT_EQ(changes.ranked[0].kind, ChangeKind::kGone);
  EXPECT_EQ(changes.ranked[0].change.v, -7);
}

TEST(Changes, ALeakIsFoundAndOneImageTellsMoreThanTwoRuns) {
  const Rates one = Simulate(2000, 50, 4000, 8 << 10, true), two = Simulate(2000, 50, 4000, 8 << 10, false);
  EXPECT_GT(one.called_changed, 0.99);
  EXPECT_GE(one.held, 0.94);
  EXPECT_GE(two.held, 0.94);
  EXPECT_LT(one.width, 0.6 * two.width);  // what lives in both cancels
}

TEST(Changes, ChurnSinceAnEarlierMomentIsWhatHappenedInBetween) {
  Random random(7);
  std::vector<Block> early, all;
  for (int i = 0; i < 4000; ++i) early.push_back(Draw(16 << 10, &random));
  all = early;
  for (int i = 0; i < 400; ++i) all.push_back(Draw(16 << 10, &random));
  const Profile before = Sampled(early, 10, 1), after = Sampled(all, 20, 1);
  const sampling::Change change = Compare({before}, {after}, By::kChurn, Taste()).total.change;
  EXPECT_GE(change.lo, 0);
  EXPECT_LE(change.lo, 400 * (16 << 10));
  EXPECT_GE(change.hi, 400 * (16 << 10));
  const sampling::Change back = Compare({after}, {before}, By::kChurn, Taste()).total.change;
  EXPECT_EQ(back.v, -change.v);
  EXPECT_LE(back.hi, 0);
}

TEST(Changes, AMomentAgainstItselfIsNoChange) {
  Random random(8);
  std::vector<Block> live;
  for (int i = 0; i < 4000; ++i) live.push_back(Draw(16 << 10, &random));
  const Profile moment = Sampled(live, 10, 1);
  const Changes changes = Compare({moment}, {moment}, By::kLive, Taste());
  EXPECT_EQ(changes.total.change.v, 0);
  EXPECT_TRUE(changes.ranked.empty());
}

}  // namespace
}  // namespace heaptally::analysis
