#include "collect/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "collect/clock_scale.h"
#include "collect/image_profile.h"
#include "collect/mapped_segments.h"
#include "collect/resident.h"
#include "collect/test_directory.h"
#include "profile/estimates.h"
#include "segment/reader.h"
#include "segment/segment_builder.h"
#include "segment/site_reader.h"

namespace heaptally::collect {
namespace {

using profile::Profile;
using profile::Site;
using sampling::HalfMembership;
using segment::Mode;
using segment::Origin;
using segment::SegmentBuilder;

constexpr uint64_t kPeriod = 512 << 10;

class SnapshotTest : public testing::Test {
 protected:
  Snapshot Take(SegmentBuilder& builder, const SnapshotOptions& options = {}) {
    const auto bytes = builder.Build();
    path_ = directory_.Write("4711-1-a.seg", {bytes.begin(), bytes.end()});
    return TakeSnapshot({path_}, options);
  }
  Profile TakeOne(SegmentBuilder& builder) {
    Snapshot snapshot = Take(builder);
    EXPECT_EQ(snapshot.errors, std::vector<std::string>{});
    EXPECT_EQ(snapshot.profiles.size(), builder.images.size());
    return snapshot.profiles.empty() ? Profile{} : snapshot.profiles[0];
  }
  TestDirectory directory_;
  std::string path_;
};

// A segment of one site; `image` may still be changed.
SegmentBuilder OneExactSite(segment::Counts allocated, segment::Counts freed) {
  SegmentBuilder builder(Mode::kExact);
  SegmentBuilder::Image& image = builder.images[0];
  image.header.pid = 4711;
  SegmentBuilder::AddModule(image, "/usr/bin/example");
  const uint32_t main_node = SegmentBuilder::AddNode(image, 0, 1, 0x1100);
  const uint32_t leaf = SegmentBuilder::AddNode(image, main_node, 1, 0x1200 | segment::kExactPcBit);
  SegmentBuilder::AddExactSite(image, leaf, allocated, freed);
  return builder;
}

TEST_F(SnapshotTest, ExactNumbersAreTheSegmentsNumbers) {
  SegmentBuilder builder = OneExactSite({10, 1000}, {4, 300});
  segment::ExactSite& raw = builder.images[0].exact_sites[1];
  raw.reallocs = 3;
  raw.reallocs_in_place = 2;
  raw.temporary = 1;
  builder.images[0].header.unknown_frees = 9;
  builder.images[0].header.unattributed_bytes = 64;
  const Profile profile = TakeOne(builder);
  ASSERT_EQ(profile.sites.size(), 1u);  // "other" had no event
  const profile::Measures& measures = profile.sites[0].measures;
  EXPECT_EQ(measures.allocated.objects.proven, 10u);
  EXPECT_EQ(measures.freed.bytes.proven, 300u);
  EXPECT_EQ(measures.live.objects.proven, 6u);
  EXPECT_EQ(measures.live.bytes.proven, 700u);
  EXPECT_EQ(measures.reallocs.proven, 3u);
  EXPECT_EQ(measures.reallocs_in_place.proven, 2u);
  EXPECT_EQ(measures.temporary.proven, 1u);
  EXPECT_TRUE(profile::IsExact(profile.totals));
  EXPECT_EQ(profile.totals.live.bytes.proven, 700u);
  EXPECT_EQ(profile.unknown_frees, 9u);
  EXPECT_EQ(profile.unattributed_bytes, 64u);
  EXPECT_EQ(profile.mode, "exact");
}

TEST_F(SnapshotTest, FramesAreInnermostFirstAndShared) {
  SegmentBuilder builder = OneExactSite({1, 1}, {0, 0});
  SegmentBuilder::Image& image = builder.images[0];
  SegmentBuilder::AddExactSite(image, SegmentBuilder::AddNode(image, 2, 1, 0x1100), {1, 1}, {0, 0});
  SegmentBuilder::AddExactSite(image, SegmentBuilder::AddNode(image, 0, 99, 0x7f00), {1, 1}, {0, 0});
  const Profile profile = TakeOne(builder);
  ASSERT_EQ(profile.sites.size(), 3u);
  EXPECT_EQ(profile.frames.size(), 3u);
  const Site& site = profile.sites[0];
  ASSERT_EQ(site.frames.size(), 2u);
  EXPECT_EQ(profile.frames[site.frames[0]], (profile::Frame{0, 0x1200, true}));
  EXPECT_EQ(profile.frames[site.frames[1]], (profile::Frame{0, 0x1100, false}));
  EXPECT_EQ(profile.sites[1].frames[0], site.frames[1]);                             // recursion: the same frame
  EXPECT_EQ(profile.frames[profile.sites[2].frames[0]].module, profile::kNoModule);  // a module that isn't there
  EXPECT_EQ(profile.modules.at(0).path, "/usr/bin/example");
  EXPECT_EQ(profile.modules.at(0).build_id.size(), 40u);
}

TEST_F(SnapshotTest, PeakIsKeptBySitesThatChangedSince) {
  SegmentBuilder builder = OneExactSite({10, 1000}, {4, 300});
  SegmentBuilder::Image& image = builder.images[0];
  SegmentBuilder::AddExactSite(image, 1, {5, 50}, {0, 0});
  image.header.exact_peak.peak_epoch = 7;
  image.exact_sites[1].peak_epoch = 7;  // changed since the peak
  image.exact_sites[1].peak = {9, 900};
  image.exact_sites[2].peak_epoch = 6;  // did not: its copy is of an older peak
  image.exact_sites[2].peak = {1, 1};
  Profile profile = TakeOne(builder);
  EXPECT_EQ(profile.sites[0].measures.peak.bytes.proven, 900u);
  EXPECT_EQ(profile.sites[1].measures.peak.bytes.proven, 50u);
  EXPECT_EQ(profile.totals.peak.bytes.proven, 950u);
  image.header.exact_peak.at_peak = 1;  // the peak is now
  profile = TakeOne(builder);
  EXPECT_EQ(profile.sites[0].measures.peak.bytes.proven, 700u);
  EXPECT_EQ(profile.totals.peak.bytes.proven, profile.totals.live.bytes.proven);
}

TEST_F(SnapshotTest, TheFirstClassOfAHistogramIsWhatTheChainLeaves) {
  SegmentBuilder builder = OneExactSite({10, 1000}, {4, 300});
  SegmentBuilder::Image& image = builder.images[0];
  segment::ExactHistogram tail = {}, head = {};
  tail.entry[0] = 4ull << 56 | 2;  // two of 4..7
  head.entry[0] = 8ull << 56 | 1;  // one of 64..127
  head.next = 1;
  image.exact_histograms = {tail, head};
  image.exact_sites[1].head.size_histogram = 2;
  image.exact_sites[1].head.first_size_class = 5 + 1;  // 16..31
  image.exact_sites[1].head.first_life_class = 0 + 1;
  const Profile profile = TakeOne(builder);
  const auto& sizes = profile.sites[0].sizes;
  ASSERT_EQ(sizes.size(), 3u);
  EXPECT_EQ(std::tie(sizes[0].from, sizes[0].to, sizes[0].objects.proven), std::make_tuple(4u, 7u, 2u));
  EXPECT_EQ(std::tie(sizes[1].from, sizes[1].to, sizes[1].objects.proven), std::make_tuple(16u, 31u, 7u));
  EXPECT_EQ(std::tie(sizes[2].from, sizes[2].to, sizes[2].objects.proven), std::make_tuple(64u, 127u, 1u));
  ASSERT_EQ(profile.sites[0].lifetimes_ns.size(), 1u);
  EXPECT_EQ(profile.sites[0].lifetimes_ns[0].objects.proven, 4u);
}

TEST_F(SnapshotTest, AHistogramChainThatBitesItsTailEnds) {
  SegmentBuilder builder = OneExactSite({10, 1000}, {4, 300});
  segment::ExactHistogram loop = {};
  loop.entry[0] = 4ull << 56 | 2;
  loop.next = 1;
  builder.images[0].exact_histograms = {loop};
  builder.images[0].exact_sites[1].head.size_histogram = 1;
  builder.images[0].exact_sites[1].head.first_size_class = 2;
  EXPECT_EQ(TakeOne(builder).sites.size(), 1u);
}

TEST_F(SnapshotTest, WhatFoundNoRoomIsUnderOtherAndInTheLoss) {
  SegmentBuilder builder = OneExactSite({1, 10}, {0, 0});
  builder.images[0].exact_sites[0].allocated = {5, 50};
  builder.images[0].header.loss[static_cast<int>(segment::Loss::kSiteTableFull)] = 5;
  builder.images[0].header.image_flags = segment::kImageFlagGrowthRefused;
  builder.header.lost_children = 2;
  const Profile profile = TakeOne(builder);
  ASSERT_EQ(profile.sites.size(), 2u);
  EXPECT_TRUE(profile.sites[0].other);
  EXPECT_TRUE(profile.sites[0].frames.empty());
  EXPECT_EQ(profile.loss, (std::map<std::string, uint64_t>{{"child-not-recorded", 2}, {"site-table-full", 5}}));
  EXPECT_EQ(profile.totals.allocated.bytes.proven, 60u);
  EXPECT_FALSE(profile.notes.empty());
}

SegmentBuilder SampledSegment() {
  SegmentBuilder builder(Mode::kBytes);
  SegmentBuilder::Image& image = builder.images[0];
  image.header.pid = 4711;
  image.header.clock_kind = segment::ClockKind::kCoarse;
  for (uint32_t i = 0; i < 3; ++i) {
    SegmentBuilder::AddSampledSite(image, SegmentBuilder::AddNode(image, 0, 0, 0x1000 + i));
  }
  return builder;
}

TEST_F(SnapshotTest, SampledLiveIsAllocatedMinusFreed) {
  SegmentBuilder builder = SampledSegment();
  SegmentBuilder::Image& image = builder.images[0];
  for (int i = 0; i < 10; ++i) SegmentBuilder::Allocate(image, 3, 1000, kPeriod, HalfMembership::kA);
  for (int i = 0; i < 4; ++i) SegmentBuilder::Free(image, 3, 1000, kPeriod, HalfMembership::kA, 77);
  SegmentBuilder::Allocate(image, 4, 64 << 20, kPeriod, HalfMembership::kBoth);
  const Profile profile = TakeOne(builder);
  ASSERT_EQ(profile.sites.size(), 2u);  // the third site has no sample
  const profile::Measures& small = profile.sites[0].measures;
  EXPECT_EQ(small.live.objects.samples, 6u);
  EXPECT_EQ(small.live.bytes.proven, 6000u);
  EXPECT_NEAR(small.live.bytes.value(), 6.0 * kPeriod, 6 * 600);
  EXPECT_EQ(small.floor_bytes, 1000u);
  EXPECT_EQ(small.period, kPeriod);
  EXPECT_EQ(profile.sites[1].measures.live.bytes.proven, 64u << 20);
  EXPECT_EQ(profile.totals.live.objects.samples, 7u);
  EXPECT_EQ(profile.totals.floor_bytes, 1000u);
  EXPECT_EQ(profile.period_bytes, kPeriod);
}

TEST_F(SnapshotTest, SitesAtTheSampledPeakAddUpToTheWhole) {
  SegmentBuilder builder = SampledSegment();
  SegmentBuilder::Image& image = builder.images[0];
  for (int i = 0; i < 20; ++i) {
    SegmentBuilder::Allocate(image, 3 + i % 3, 1000, kPeriod, i % 2 ? HalfMembership::kA : HalfMembership::kB);
  }
  const sampling::PeakHalves& peak = image.header.sampled_peak;
  SegmentBuilder::Free(image, 4, 1000, kPeriod, HalfMembership::kA, 50);
  SegmentBuilder::Free(image, 3, 1000, kPeriod, HalfMembership::kB, 60);
  const profile::Volume whole = profile::VolumeOf(sampling::TotalAtPeak(peak));
  const Profile profile = TakeOne(builder);
  EXPECT_EQ(profile.totals.peak.bytes.proven, whole.bytes.proven);
  EXPECT_NEAR(profile.totals.peak.bytes.value(), whole.bytes.value(), 1);
  EXPECT_EQ(profile.totals.peak_most_proven, 20'000u);
  EXPECT_GT(profile.totals.peak_whole.bytes.value(), profile.totals.live.bytes.value());
  const auto estimate = profile::PeakBytesEstimate(profile.totals);
  EXPECT_GE(estimate.lo, 0);
  EXPECT_LE(estimate.lo, estimate.v);
  EXPECT_EQ(profile.peak_moments_unix_ns.size(), 2u);
}

TEST_F(SnapshotTest, TheOldestLiveBlockOfASite) {
  SegmentBuilder builder = SampledSegment();
  SegmentBuilder::Image& image = builder.images[0];
  SegmentBuilder::Allocate(image, 3, 1000, kPeriod, HalfMembership::kA);
  SegmentBuilder::Allocate(image, 3, 1000, kPeriod, HalfMembership::kA);
  SegmentBuilder::Allocate(image, 4, 1000, kPeriod, HalfMembership::kA);
  image.pieces = {std::vector<segment::SampleBucket>(1)};
  const uint64_t births[] = {5000, 2000};
  for (int i = 0; i < 2; ++i) {
    image.pieces[0][0].key[i] = (0x7000u + i) << 4 | static_cast<uint64_t>(segment::SlotState::kLive);
    image.pieces[0][0].sample[i].site = 3;
    image.pieces[0][0].sample[i].clock = births[i];
  }
  const Profile profile = TakeOne(builder);
  EXPECT_EQ(profile.sites[0].oldest_ns, 3000u);  // dead: until the latest moment that the image knows of
  EXPECT_FALSE(profile.sites[1].oldest_ns);
}

TEST_F(SnapshotTest, AnEventCutByDeathIsUndoneAndCounted) {
  SegmentBuilder builder = SampledSegment();
  SegmentBuilder::Image& image = builder.images[0];
  SegmentBuilder::Allocate(image, 3, 1000, kPeriod, HalfMembership::kA);
  image.sampled_sites[segment::kSiteUndoId] = image.sampled_sites[3];
  image.header.undo_peak = image.header.sampled_peak;
  image.header.undo_site = 4;
  image.header.tally_sequence = 3;
  image.sampled_sites[3].allocated.n = 2;
  const Profile profile = TakeOne(builder);
  EXPECT_EQ(profile.sites[0].measures.allocated.objects.proven, 1u);
  EXPECT_EQ(profile.loss.at("event-cut-by-death"), 1u);
}

TEST_F(SnapshotTest, AForkedChildHasItsParentsModulesAndProgram) {
  SegmentBuilder builder = OneExactSite({1, 1}, {0, 0});
  std::strcpy(builder.images[0].header.exe, "/usr/bin/example");
  SegmentBuilder::AddModule(builder.images[0], "/usr/lib/loaded-after-the-fork.so");
  std::memcpy(builder.images[0].header.argv, "example\0-x\0", 11);
  builder.images[0].header.argv_bytes = 11;
  for (uint32_t generation = 1; generation <= 2; ++generation) {
    SegmentBuilder::Image& child = builder.AddImage(Mode::kExact, Origin::kFork);
    child.header.pid = static_cast<int32_t>(4711 + generation);
    child.header.parent_image = generation - 1;
    child.header.inherited_modules = generation;
    SegmentBuilder::AddModule(child, "/usr/lib/of-child-" + std::to_string(generation) + ".so");
    const uint32_t old_frame = SegmentBuilder::AddNode(child, 0, 0 + 1, 0x1100);
    SegmentBuilder::AddExactSite(child, SegmentBuilder::AddNode(child, old_frame, generation + 1, 0x5500), {2, 2},
                                 {0, 0});
  }
  const Snapshot snapshot = Take(builder);
  ASSERT_EQ(snapshot.profiles.size(), 3u);
  const Profile& grandchild = snapshot.profiles[2];
  EXPECT_EQ(grandchild.exe, "/usr/bin/example");
  EXPECT_EQ(grandchild.argv, (std::vector<std::string>{"example", "-x"}));
  EXPECT_EQ(grandchild.origin, "fork");
  ASSERT_EQ(grandchild.modules.size(), 3u);
  const auto module_of = [&](int i) {
    return grandchild.modules.at(grandchild.frames.at(grandchild.sites.at(0).frames.at(i)).module).path;
  };
  EXPECT_EQ(module_of(0), "/usr/lib/of-child-2.so");
  EXPECT_EQ(module_of(1), "/usr/bin/example");
}

TEST_F(SnapshotTest, AncestorsThatGoInCirclesEnd) {
  SegmentBuilder builder = OneExactSite({1, 1}, {0, 0});
  builder.AddImage(Mode::kExact, Origin::kFork).header.parent_image = 2;
  builder.AddImage(Mode::kExact, Origin::kFork).header.parent_image = 1;
  for (int i = 1; i <= 2; ++i) builder.images[i].header.inherited_modules = UINT32_MAX;
  EXPECT_EQ(Take(builder).profiles.size(), 3u);
}

TEST_F(SnapshotTest, StateAndEnd) {
  SegmentBuilder builder = OneExactSite({1, 1}, {0, 0});
  builder.images[0].header.pid = 0x3fffffff;
  EXPECT_EQ(TakeOne(builder).state, profile::State::kUnknown);
  builder.images[0].header.ended_orderly = 1;
  EXPECT_EQ(TakeOne(builder).state, profile::State::kExited);
  SnapshotOptions options;
  options.ended[0x3fffffff].exit.signal = 9;
  const Snapshot killed = Take(builder, options);
  EXPECT_EQ(killed.profiles[0].state, profile::State::kKilled);
  EXPECT_EQ(killed.profiles[0].exit.signal, 9);
  builder.images[0].header.ended_orderly = 0;
  builder.images[0].header.pid = getpid();
  builder.images[0].header.start_ticks = StartTicks(getpid());
  EXPECT_EQ(TakeOne(builder).state, profile::State::kExecd);  // we live, but do not map it
}

TEST_F(SnapshotTest, AProcessThatMapsTheFileRuns) {
  SegmentBuilder builder = OneExactSite({1, 1}, {0, 0});
  builder.images[0].header.pid = getpid();
  Take(builder);
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapping = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  EXPECT_EQ(TakeSnapshot({path_}).profiles.at(0).state, profile::State::kRunning);
  munmap(mapping, 4096);
  EXPECT_NE(TakeSnapshot({path_}).profiles.at(0).state, profile::State::kRunning);
}

TEST_F(SnapshotTest, ImagesOfAProcessAreNumberedByStart) {
  SegmentBuilder first = OneExactSite({1, 1}, {0, 0}), second = OneExactSite({2, 2}, {0, 0});
  first.images[0].header.started_unix_ns = 100;
  second.images[0].header.started_unix_ns = 200;
  const auto a = first.Build(), b = second.Build();
  const std::string path_a = directory_.Write("4711-1-a.seg", {a.begin(), a.end()});
  const std::string path_b = directory_.Write("4711-1-b.seg", {b.begin(), b.end()});
  const Snapshot snapshot = TakeSnapshot({path_b, path_a, directory_.path() + "/none.seg"});
  ASSERT_EQ(snapshot.profiles.size(), 2u);
  EXPECT_EQ(snapshot.profiles[0].image, 0u);
  EXPECT_EQ(snapshot.profiles[0].started_unix_ns, 100u);
  EXPECT_EQ(snapshot.profiles[0].state, profile::State::kExecd);
  EXPECT_EQ(snapshot.profiles[1].image, 1u);
  EXPECT_EQ(snapshot.errors.size(), 1u);
}

TEST(ClockScale, ThereAndBack) {
  const ClockScale scale(1000, 5'000'000, 0.5);
  EXPECT_EQ(scale.ToNs(10), 5u);
  EXPECT_EQ(scale.ToUnixNs(1000 + 2'000'000), 6'000'000u);
  EXPECT_EQ(scale.ToUnixNs(3), 5'000'000u);
  EXPECT_EQ(scale.ToClock(6'000'000), 2'001'000u);
}

TEST(ClockScale, TheMeasuredTickIsThatOfTheLifeOfThisTest) {
  segment::ImageHeader header = {};
  header.started_clock = ClockNow(segment::ClockKind::kTsc);
  header.started_unix_ns = UnixNow();
  usleep(30'000);
  const ClockScale scale = ClockScale::Of(header, true);
  const double shown = static_cast<double>(scale.ToUnixNs(ClockNow(segment::ClockKind::kTsc)));
  EXPECT_NEAR(shown, static_cast<double>(UnixNow()), 5e6);
}

}  // namespace
}  // namespace heaptally::collect
