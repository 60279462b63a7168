// The state machine against a slow model that keeps every site's sums at every instant. Statistics of the peak are in
// peak_coverage_test.cc.
#include "sampling/peak_halves.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace heaptally::sampling {
namespace {

constexpr uint64_t kPeriod = 65536;
constexpr int kSites = 7;

// Halves of all sites at one instant.
using Heap = std::array<std::array<Sums, 2>, kSites>;

Sums Total(const Heap& heap, int half) {
  Sums total;
  for (const auto& site : heap) total.Add(site[half]);
  return total;
}

// What the protocol should give, by definition: the last instant at which a half stood at its maximum.
class Model {
 public:
  void Change(int site, const PeakSample& sample, bool alloc, uint64_t now_ns) {
    for (int half = 0; half < 2; ++half) {
      if (!alloc && IsIn(sample.halves, half) && Total(heap_, half).ScaledBytes() >= maximum_[half]) Note(half, now_ns);
    }
    for (int half = 0; half < 2; ++half) {
      if (!IsIn(sample.halves, half)) continue;
      alloc ? heap_[site][half].Add(sample.half) : heap_[site][half].Subtract(sample.half);
      maximum_[half] = std::max(maximum_[half], Total(heap_, half).ScaledBytes());
    }
  }

  Sums SiteAt(int site, int half) const { return At(half)[site][1 - half]; }
  Sums TotalAt(int half) const { return Total(At(half), 1 - half); }
  uint64_t MomentOf(int half, uint64_t now_ns) const { return Stands(half) ? now_ns : moment_ns_[half]; }

 private:
  bool Stands(int half) const { return Total(heap_, half).ScaledBytes() >= maximum_[half]; }
  const Heap& At(int half) const { return Stands(half) ? heap_ : at_moment_[half]; }
  void Note(int half, uint64_t now_ns) {
    at_moment_[half] = heap_;
    moment_ns_[half] = now_ns;
  }

  Heap heap_{};
  std::array<Heap, 2> at_moment_{};
  std::array<Uint128, 2> maximum_{};
  std::array<uint64_t, 2> moment_ns_{};
};

struct Live {
  int site;
  PeakSample sample;
};

void ExpectSame(const PeakHalves& process, const std::array<SitePeak, kSites>& sites, const Model& model,
                uint64_t now) {
  Sums b_at_a, a_at_b;
  for (int site = 0; site < kSites; ++site) {
    const AtPeak at_peak = SiteAtPeak(process, sites[site]);
    ASSERT_EQ(at_peak.b_at_a, model.SiteAt(site, 0)) << site << " at " << now;
    ASSERT_EQ(at_peak.a_at_b, model.SiteAt(site, 1)) << site << " at " << now;
    ASSERT_FALSE(at_peak.torn);
    b_at_a.Add(at_peak.b_at_a);
    a_at_b.Add(at_peak.a_at_b);
  }
  const AtPeak total = TotalAtPeak(process);
  ASSERT_EQ(total.b_at_a, model.TotalAt(0));
  ASSERT_EQ(total.a_at_b, model.TotalAt(1));
  ASSERT_EQ(total.b_at_a, b_at_a) << "sites add up, bit by bit";
  ASSERT_EQ(total.a_at_b, a_at_b) << "sites add up, bit by bit";
  for (int half = 0; half < 2; ++half) ASSERT_EQ(MomentOf(process, half, now), model.MomentOf(half, now));
}

// Random walks of equal, small, mixed and certain blocks, near and far from the maximum.
TEST(PeakHalves, FollowTheModelThroughRandomHistories) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Generator generator(seed);
    PeakHalves process{};
    std::array<SitePeak, kSites> sites{};
    Model model;
    std::vector<Live> live;
    const uint64_t bias = 30 + generator.Next() % 40;  // chance of an allocation, percent
    for (uint64_t now = 1; now <= 400; ++now) {
      if (live.empty() || generator.Next() % 100 < bias) {
        const uint64_t size = seed % 3 == 0 ? 1000 : generator.Next() >> (44 + generator.Next() % 12);
        const int site = static_cast<int>(generator.Next() % kSites);
        live.push_back({site, MakePeakSample(size, kPeriod, AssignHalves(generator, size, kPeriod))});
        process.AfterAlloc(sites[site], live.back().sample);
        model.Change(site, live.back().sample, true, now);
      } else {
        std::swap(live[generator.Next() % live.size()], live.back());
        process.BeforeFree(sites[live.back().site], live.back().sample, now);
        model.Change(live.back().site, live.back().sample, false, now);
        live.pop_back();
      }
      ASSERT_NO_FATAL_FAILURE(ExpectSame(process, sites, model, now)) << "seed " << seed;
    }
    for (const Live& each : live) process.BeforeFree(sites[each.site], each.sample, 1000);
    EXPECT_EQ(process.whole, Sums{});
    EXPECT_EQ(process.live[0], Sums{});
    EXPECT_EQ(process.live[1], Sums{});
  }
}

TEST(PeakHalves, GrowthPeaksNow) {
  PeakHalves process{};
  SitePeak site{};
  for (int i = 0; i < 10; ++i) process.AfterAlloc(site, MakePeakSample(100, kPeriod, HalfMembership::kBoth));
  EXPECT_EQ(MomentOf(process, 0, 77), 77u);
  EXPECT_EQ(TotalAtPeak(process).b_at_a, process.live[1]);
}

TEST(PeakHalves, TheLastOfEqualMaximaIsTheMoment) {
  PeakHalves process{};
  SitePeak one{}, two{};
  const PeakSample sample = MakePeakSample(100, kPeriod, HalfMembership::kBoth);
  process.AfterAlloc(one, sample);
  process.BeforeFree(one, sample, 5);
  process.AfterAlloc(two, sample);
  process.BeforeFree(two, sample, 9);
  EXPECT_EQ(MomentOf(process, 0, 77), 9u);
  EXPECT_EQ(process.epoch[0], 2u);
  EXPECT_EQ(SiteAtPeak(process, one).b_at_a, Sums{});
  EXPECT_EQ(SiteAtPeak(process, two).b_at_a, sample.half);
}

TEST(PeakHalves, WholeSampleAtItsMaximumAndTheMostProven) {
  PeakHalves process{};
  SitePeak site{};
  const PeakSample small = MakePeakSample(100, kPeriod, HalfMembership::kA);       // stands for 65 KB
  const PeakSample large = MakePeakSample(40000, kPeriod, HalfMembership::kBoth);  // proves more, stands for 87 KB
  process.AfterAlloc(site, small);
  process.AfterAlloc(site, small);
  const Sums two = process.whole;
  process.BeforeFree(site, small, 1);
  process.BeforeFree(site, small, 2);
  process.AfterAlloc(site, large);
  EXPECT_EQ(process.whole_at_maximum, two);
  EXPECT_EQ(process.largest_proven, 40000u);
}

TEST(PeakHalves, ASiteReadLaterThanItsProcessIsTorn) {
  PeakHalves process{};
  SitePeak site{};
  const PeakSample sample = MakePeakSample(100, kPeriod, HalfMembership::kBoth);
  process.AfterAlloc(site, sample);
  const PeakHalves earlier = process;
  process.BeforeFree(site, sample, 1);
  EXPECT_TRUE(SiteAtPeak(earlier, site).torn);
  EXPECT_FALSE(SiteAtPeak(process, site).torn);
}

}  // namespace
}  // namespace heaptally::sampling
