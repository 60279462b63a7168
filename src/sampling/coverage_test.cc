// How often the intervals hold the truth: 4,000 runs of the real sampler and the real estimator over fixed programs.
//
// Bars. Bytes, live and churned: totals with 50 effective samples (E^2/V) or more are covered in 93 to 97.5 %, at a
// mean width of at most 1.10 of 2 x 1.96 x sqrt(sum s^2 (1-p)/p); everything else, sites that are mostly unseen
// included, in at least 94 %. Objects, calls and reallocs: "at least lo in all, at most hi of the floor's size or
// more" holds in at least 94 %. All values are unbiased, tested at 5 standard errors of the mean.
// 4,000 runs: a true 95 % falls below 94 % by chance in 0.2 %. The seeds were fixed before the first run.
#include <gtest/gtest.h>

#include <cstdio>

#include "sampling/simulation.h"

namespace heaptally::sampling {
namespace {

constexpr uint64_t kT = 65536;

enum Quantity { kChurnedBytes, kLiveBytes, kChangeOfBytes, kCalls, kLiveObjects, kReallocs, kQuantities };
constexpr const char* kNames[] = {"churned bytes", "live bytes", "bytes, change", "calls", "live objects", "reallocs"};

bool IsCounted(const Allocation& a, int quantity) {
  if (quantity == kChurnedBytes || quantity == kCalls) return true;
  if (quantity == kReallocs) return a.is_realloc;
  if (quantity == kChangeOfBytes) return a.freed == a.early;  // lost, or gained
  return !a.freed;
}

bool IsBytes(int quantity) { return quantity <= kChangeOfBytes; }

// What is true of one site (or the total) and one quantity.
struct Truth {
  double value = 0, variance = 0;
  double expected_inferred = 0, expected_variance = 0;  // means of E and V, for the effective number of samples
  std::vector<uint64_t> sizes;                          // sorted: how many are of a floor's size or more

  void Add(const Allocation& a, int quantity, double period) {
    const double p = -std::expm1(-(a.size + 1.0) / period), weight = IsBytes(quantity) ? a.size : 1.0;
    value += quantity == kChangeOfBytes && a.freed ? -weight : weight;
    variance += weight * weight * (1 - p) / p;
    expected_inferred += weight * (1 - p);
    if (!IsBytes(quantity)) sizes.push_back(a.size);
  }
  double Effective() const { return variance > 0 ? expected_inferred * expected_inferred / variance : 0; }
  double OfAtLeast(uint64_t floor_bytes) const {
    return static_cast<double>(sizes.end() - std::lower_bound(sizes.begin(), sizes.end(), floor_bytes));
  }
};

struct Row {
  Truth truth[kQuantities];
  Tallied tallied[kWorkers][kQuantities];
};

// The last row is the total.
std::vector<Row> TrueRows(const Program& program) {
  std::vector<Row> rows(program.sites.size() + 1);
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& a = program.allocations[i];
    const auto period = static_cast<double>(i < program.allocations.size() / 2 ? program.period : program.later_period);
    for (int quantity = 0; quantity < kQuantities; ++quantity) {
      if (!IsCounted(a, quantity)) continue;
      rows[a.site].truth[quantity].Add(a, quantity, period);
      rows.back().truth[quantity].Add(a, quantity, period);
    }
  }
  for (Row& row : rows) {
    for (Truth& truth : row.truth) std::sort(truth.sizes.begin(), truth.sizes.end());
  }
  return rows;
}

void TallyBytes(const Estimate& e, const Truth& truth, Tallied& tallied) {
  tallied.covered += e.lo <= truth.value && truth.value <= e.hi;
  tallied.v += e.v;
  tallied.width += e.hi - e.lo;
  ++tallied.known;
}

void TallyChange(const Change& c, const Truth& truth, Tallied& tallied) {
  TallyBytes({c.v, c.lo, c.hi}, truth, tallied);
}

void TallyObjects(const Estimate& e, const Truth& truth, Tallied& tallied) {
  tallied.covered += e.lo <= truth.value && (!e.hi_known || truth.OfAtLeast(e.floor_bytes) <= e.hi);
  tallied.v += e.v;
  if (e.hi_known) tallied.width += e.hi - e.lo;
  tallied.known += e.hi_known;
}

void Tally(const Observed& o, const Program& program, Row& row, int worker) {
  const auto t = static_cast<double>(program.LargestPeriod());
  Tallied* tallied = row.tallied[worker];
  const Sums live = Minus(o.allocated, o.freed);
  TallyBytes(EstimateBytes(BytesOf(o.allocated), t), row.truth[kChurnedBytes], tallied[kChurnedBytes]);
  TallyBytes(EstimateBytes(BytesOf(live), t), row.truth[kLiveBytes], tallied[kLiveBytes]);
  TallyChange(Difference(EstimateBytes(BytesOf(o.gained), t), EstimateBytes(BytesOf(o.lost), t)),
              row.truth[kChangeOfBytes], tallied[kChangeOfBytes]);
  TallyObjects(EstimateObjects(ObjectsOf(o.allocated), t, o.floor_bytes), row.truth[kCalls], tallied[kCalls]);
  TallyObjects(EstimateObjects(ObjectsOf(live), t, o.floor_bytes), row.truth[kLiveObjects], tallied[kLiveObjects]);
  TallyObjects(EstimateObjects(ObjectsOf(o.reallocs), t, o.floor_bytes), row.truth[kReallocs], tallied[kReallocs]);
}

void Check(const std::string& name, bool is_total, int quantity, const Truth& truth, const Tallied& tallied) {
  if (truth.value == 0 && truth.variance == 0) return;  // the site does no such thing
  const double sigma = std::sqrt(truth.variance), covered = tallied.covered / kRuns,
               bias = tallied.v / kRuns - truth.value;
  const double error = sigma / std::sqrt(1.0 * kRuns), effective = truth.Effective();
  const double width = tallied.known > 0 && sigma > 0 ? tallied.width / tallied.known / (2 * 1.959964 * sigma) : 0;
  std::printf("%-30s %-14s %12.0f %8.1f  %6.4f  %7.3f  %+6.2f\n", name.c_str(), kNames[quantity], truth.value,
              effective, covered, width, error > 0 ? bias / error : 0);
  const std::string what = name + ": " + kNames[quantity];
  EXPECT_LE(std::fabs(bias), 5 * error + 1e-6 * std::fabs(truth.value) + 0.01) << what << " is biased";
  if (is_total && effective >= 50 && quantity <= kLiveBytes) {
    EXPECT_GE(covered, 0.93) << what;
    EXPECT_LE(covered, 0.975) << what;
    EXPECT_LE(width, 1.10) << what << " is wider than theory";
  } else {
    EXPECT_GE(covered, 0.94) << what;
  }
}

void Measure(Program program) {
  program.Finish();
  std::vector<Row> rows = TrueRows(program);
  ForEachRun(kRuns, [&](int run, int worker) {
    const std::vector<Observed> sites = Run(program, run);
    Observed total;
    for (size_t site = 0; site < sites.size(); ++site) {
      Tally(sites[site], program, rows[site], worker);
      total.Add(sites[site]);
    }
    Tally(total, program, rows.back(), worker);
  });
  std::printf("\n%s: %zu allocations, %d threads\n%-30s %-14s %12s %8s  %6s  %7s  %6s\n", program.name.c_str(),
              program.allocations.size(), program.threads, "site", "quantity", "truth", "E^2/V", "covers", "width/th",
              "bias/se");
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_total = i + 1 == rows.size();
    for (int quantity = 0; quantity < kQuantities; ++quantity) {
      Tallied tallied = rows[i].tallied[0][quantity];
      tallied.Add(rows[i].tallied[1][quantity]);
      Check(is_total ? "TOTAL" : program.sites[i], is_total, quantity, rows[i].truth[quantity], tallied);
    }
  }
}

TEST(Coverage, SmallBlocks) {
  Program program("small blocks", 4, kT, 1);
  program.Blocks(program.Site("16 B"), 60000, 16);
  program.Blocks(program.Site("16 B, a third of a T"), 1400, 16);
  program.Blocks(program.Site("0 to 1 B"), 3000, 0, 1);
  program.Blocks(program.Site("256 B, 40 T"), 10000, 256);
  program.Blocks(program.Site("1 KiB, 160 T"), 10000, 1024);
  program.Blocks(program.Site("1 KiB, 10 T"), 640, 1024);
  program.Blocks(program.Site("1 KiB, 3 T"), 192, 1024);
  program.Blocks(program.Site("1 KiB, T"), 64, 1024);
  program.Blocks(program.Site("1 KiB, T/10"), 6, 1024);
  program.Blocks(program.Site("64 B, mostly unseen"), 20, 64);
  program.Blocks(program.Site("16 B to 4 KiB, 60 T"), 6000, 4, 12);
  Measure(program);
}

TEST(Coverage, LargeBlocks) {
  Program program("large blocks", 6, kT, 2);
  program.Blocks(program.Site("T/4 x 40"), 40, kT / 4);
  program.Blocks(program.Site("T/2 x 6"), 6, kT / 2);
  program.Blocks(program.Site("T x 20"), 20, kT);
  program.Blocks(program.Site("T x 300"), 300, kT);
  program.Blocks(program.Site("2 T x 50"), 50, 2 * kT);
  program.Blocks(program.Site("3.5 T x 12"), 12, 7 * kT / 2);
  program.Blocks(program.Site("5 T x 26"), 26, 5 * kT);
  program.Blocks(program.Site("6 T x 100"), 100, 6 * kT);
  program.Blocks(program.Site("8 T x 400"), 400, 8 * kT);
  program.Blocks(program.Site("64 T x 2"), 2, 64 * kT);
  program.Blocks(program.Site("T/8 to 8 T x 60"), 60, 13, 19);
  Measure(program);
}

TEST(Coverage, MixedSizes) {
  Program program("mixed sizes", 8, kT, 3);
  const int rare = program.Site("16 B x 40000 and 4 T x 10");
  program.Blocks(rare, 40000, 16);
  program.Blocks(rare, 10, 4 * kT);
  const int one = program.Site("64 T x 1 and 64 B x 3000");
  program.Blocks(one, 1, 64 * kT);
  program.Blocks(one, 3000, 64);
  const int steps = program.Site("16 B x 6000 and T/2 x 20");
  program.Blocks(steps, 6000, 16);
  program.Blocks(steps, 20, kT / 2);
  program.Blocks(program.Site("16 B to 8 T x 300"), 300, 4, 19);
  program.Blocks(program.Site("16 B to 256 KiB x 30"), 30, 4, 18);
  program.Blocks(program.Site("16 B to 64 KiB x 2000"), 2000, 4, 16);
  Measure(program);
}

TEST(Coverage, ReallocChains) {
  Program program("realloc chains", 5, kT, 4);
  const int doubling = program.Site("16 B doubled to 1 MiB"), steps = program.Site("+4 KiB up to 60 times");
  const int random = program.Site("shrinks and grows"), rare = program.Site("doubled to 4 KiB, rare");
  std::vector<uint64_t> doubled, stepped, few;
  for (uint64_t size = 16; size <= 1 << 20; size *= 2) doubled.push_back(size);
  for (uint64_t size = 4096; size <= 60 * 4096; size += 4096) stepped.push_back(size);
  for (uint64_t size = 16; size <= 4096; size *= 2) few.push_back(size);
  for (int i = 0; i < 6; ++i) program.Chain(doubling, doubled);
  for (int i = 0; i < 6; ++i) program.Chain(steps, {stepped.begin(), stepped.begin() + 10 * i + 10});
  for (int i = 0; i < 40; ++i) {
    std::vector<uint64_t> sizes(8);
    for (uint64_t& size : sizes) size = program.Size(6, 17);
    program.Chain(random, sizes);
  }
  for (int i = 0; i < 3; ++i) program.Chain(rare, few);
  Measure(program);
}

TEST(Coverage, PeriodChangedWhileRunning) {
  Program program("period from 512 to 64 KiB half way", 4, 8 * kT, 5);
  program.later_period = kT;
  program.Blocks(program.Site("1 KiB x 40000"), 40000, 1024);
  program.Blocks(program.Site("1 KiB x 600"), 600, 1024);
  program.Blocks(program.Site("16 B to 1 MiB x 1000"), 1000, 4, 20);
  program.Blocks(program.Site("1 MiB x 20"), 20, 1 << 20);
  Measure(program);
}

}  // namespace
}  // namespace heaptally::sampling
