#include "analysis/places.h"

#include <gtest/gtest.h>

namespace heaptally::analysis {
namespace {

using profile::Profile;
using profile::Site;

// A profile whose frame i is the function names[i] at line 10 + i.
Profile WithFrames(const std::vector<std::string>& names) {
  Profile profile;
  for (size_t index = 0; index < names.size(); ++index) {
    profile.frames.push_back({.module = profile::kNoModule, .address = 0x1000 + index, .exact_pc = false});
    profile.sources.push_back({{.function = names[index],
                                .file = "dir/" + names[index] + ".c",
                                .line = static_cast<uint32_t>(10 + index),
                                .inlined = false,
                                .why = ""}});
  }
  return profile;
}

Site ExactSite(std::vector<uint32_t> frames, uint64_t live_bytes, uint64_t objects = 1) {
  Site site;
  site.frames = std::move(frames);
  site.measures.live.bytes.proven = live_bytes;
  site.measures.live.objects.proven = objects;
  site.measures.allocated = site.measures.live;
  return site;
}

FrameTaste Taste() {
  return {.is_plumbing = [](const StackFrame& f) { return f.function == "malloc" || f.function == "xmalloc"; },
          .is_allocator = [](const StackFrame& f) { return f.function == "malloc"; }};
}

TEST(PlacesTest, StacksOfOneLineAreOnePlaceWithItsLargestCaller) {
  Profile profile = WithFrames({"malloc", "xmalloc", "grow", "load", "save"});
  profile.sites = {ExactSite({0, 1, 2, 3}, 100), ExactSite({0, 2, 4}, 300), ExactSite({0, 3}, 50)};
  const auto places = RankPlaces({&profile}, By::kLive, Taste());
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].frame.function, "grow");
  EXPECT_EQ(places[0].sum.live.bytes.proven, 400u);
  EXPECT_EQ(places[0].caller.function, "save");
  EXPECT_EQ(places[0].callers, 2u);
  EXPECT_EQ(places[0].sites[0].site->measures.live.bytes.proven, 300u);
  EXPECT_EQ(places[1].frame.function, "load");
  EXPECT_FALSE(places[1].has_caller);
}

TEST(PlacesTest, APlacesNumbersAreOfAllItsStacksWhateverItIsRankedBy) {
  Profile profile = WithFrames({"malloc", "split", "quick", "slow", "never"});
  profile.sites = {ExactSite({0, 1, 2}, 100, 10), ExactSite({0, 1, 3}, 300, 30), ExactSite({0, 4}, 1, 1)};
  profile.sites[0].measures.temporary.proven = 10;
  const auto places = RankPlaces({&profile}, By::kTemporary, Taste());
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].sum.temporary.proven, 10u);
  EXPECT_EQ(places[0].sum.allocated.objects.proven, 40u) << "as by calls";
  EXPECT_EQ(places[0].sites.size(), 2u);
  EXPECT_EQ(places[0].caller.function, "quick");
}

TEST(RankingTest, TheUsualViewOfManyProcessesIsThatOfTheLargest) {
  Profile large, small;
  large.totals.peak.bytes.proven = 100 << 20;
  large.totals.live.bytes.proven = 1 << 20;
  small.totals.peak.bytes.proven = small.totals.live.bytes.proven = 2 << 20;
  EXPECT_EQ(UsualView({small, large, small}), By::kPeak);
  large.totals.live.bytes.proven = 90 << 20;
  EXPECT_EQ(UsualView({small, large, small}), By::kLive);
  EXPECT_EQ(UsualView({small}), By::kLive);
}

TEST(PlacesTest, ProcessesAreSummedByNameNotByNumber) {
  Profile a = WithFrames({"grow"}), b = WithFrames({"other", "grow"});
  b.sources[1][0].line = 10;
  a.sites = {ExactSite({0}, 1)};
  b.sites = {ExactSite({1}, 2)};
  const auto places = RankPlaces({&a, &b}, By::kLive, Taste());
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].sum.live.bytes.proven, 3u);
}

TEST(PlacesTest, TheCallerIsAnotherFunction) {
  Profile profile = WithFrames({"walk", "walk", "start"});
  profile.sites = {ExactSite({0, 1, 2}, 5)};
  EXPECT_EQ(RankPlaces({&profile}, By::kLive, Taste())[0].caller.function, "start");
}

TEST(PlacesTest, WhereAllIsPlumbingTheInnermostNonAllocatorStands) {
  Profile profile = WithFrames({"malloc", "xmalloc"});
  profile.sites = {ExactSite({0, 1}, 5)};
  EXPECT_EQ(RankPlaces({&profile}, By::kLive, Taste())[0].frame.function, "xmalloc");
}

TEST(PlacesTest, SitesWithoutFramesSayWhy) {
  Profile profile;
  Site other = ExactSite({}, 7);
  other.other = true;
  Site beyond = ExactSite({12}, 3);  // a number beyond the table
  profile.sites = {other, beyond};
  const auto places = RankPlaces({&profile}, By::kLive, Taste());
  ASSERT_EQ(places.size(), 2u);
  EXPECT_FALSE(places[0].has_frame);
  EXPECT_NE(places[0].unnamed.find("no room"), std::string::npos);
}

TEST(PlacesTest, SampledPlacesAreRankedByTheirLowerEnd) {
  Profile profile = WithFrames({"one_lucky_sample", "many_samples"});
  Site lucky = ExactSite({0}, 100), steady = ExactSite({1}, 60'000);
  lucky.measures.live.bytes = {.proven = 100, .inferred = 524'000, .variance = 524'000.0 * 524'000, .samples = 1};
  steady.measures.live.bytes = {.proven = 60'000, .inferred = 440'000, .variance = 4e9, .samples = 60};
  lucky.measures.period = steady.measures.period = 524'288;
  profile.sites = {lucky, steady};
  EXPECT_EQ(RankPlaces({&profile}, By::kLive, Taste())[0].frame.function, "many_samples");
}

TEST(PlacesTest, NothingOfTheMeasureIsLeftOut) {
  Profile profile = WithFrames({"freed", "kept"});
  Site freed = ExactSite({0}, 0, 0);
  freed.measures.allocated.bytes.proven = 1000;
  profile.sites = {freed, ExactSite({1}, 1)};
  EXPECT_EQ(RankPlaces({&profile}, By::kLive, Taste()).size(), 1u);
  EXPECT_EQ(RankPlaces({&profile}, By::kChurn, Taste())[0].frame.function, "freed");
}

}  // namespace
}  // namespace heaptally::analysis
