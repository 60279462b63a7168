// Sites without a sample: how well the sum of s q over the sites with one sample estimates what they hold together.
//
// Bars: within 3 % in the mean over 4,000 runs (where the mean is made of rare events: 5 standard errors), and the
// interval holds what was unseen in that very run in at least 94 %.
#include <gtest/gtest.h>

#include <cstdio>

#include "sampling/simulation.h"

namespace heaptally::sampling {
namespace {

constexpr uint64_t kT = 65536;

struct Tail {
  double covered[2] = {}, unseen[2] = {}, estimated[2] = {}, squares[2] = {}, periods_per_single = 0;

  void Add(int kind, double truth, const Estimate& e, double least) {
    covered[kind] += e.lo <= truth && least <= e.hi;
    unseen[kind] += truth;
    estimated[kind] += e.v;
    squares[kind] += (e.v - truth) * (e.v - truth);
  }
};

struct SiteTruth {
  double bytes = 0, objects = 0;
};

// One run. Blocks of different sizes at sites without a sample: "at most hi of the floor's size or more" would need
// their sizes; so the objects' upper end is judged where all blocks are of one size.
void TallyRun(const Program& program, const std::vector<SiteTruth>& truths, bool one_size, int run, Tail& tail) {
  const std::vector<Observed> sites = Run(program, run);
  UnseenSites bytes, objects;
  SiteTruth unseen;
  uint64_t floor_bytes = kNoFloor;
  for (size_t i = 0; i < sites.size(); ++i) {
    const Sums& sums = sites[i].allocated;
    bytes.AddSite(BytesOf(sums));
    objects.AddSite(ObjectsOf(sums));
    floor_bytes = std::min(floor_bytes, sites[i].floor_bytes);
    tail.periods_per_single += sums.n == 1;
    if (sums.n != 0) continue;
    unseen.bytes += truths[i].bytes;
    unseen.objects += truths[i].objects;
  }
  tail.Add(0, unseen.bytes, bytes.Bytes(kT), unseen.bytes);
  const Estimate e = objects.Objects(kT, floor_bytes);
  tail.Add(1, unseen.objects, e, one_size && e.hi_known ? unseen.objects : 0);
}

void Report(const Program& program, const Tail& tail) {
  const char* kinds[] = {"bytes", "objects"};
  for (int kind = 0; kind < 2; ++kind) {
    const double unseen = tail.unseen[kind] / kRuns, estimated = tail.estimated[kind] / kRuns;
    const double error = std::sqrt(tail.squares[kind]) / kRuns, covered = tail.covered[kind] / kRuns;
    std::printf("%-44s %-8s %12.1f  %7.3f  %+6.2f  %6.4f", program.name.c_str(), kinds[kind], unseen,
                unseen > 0 ? estimated / unseen : 0, error > 0 ? (estimated - unseen) / error : 0, covered);
    if (kind == 0) std::printf("  %9.3f", unseen > 0 ? kT * tail.periods_per_single / kRuns / unseen : 0);
    std::printf("\n");
    EXPECT_LE(std::fabs(estimated - unseen), std::max(0.03 * unseen, 5 * error)) << program.name << ": " << kinds[kind];
    EXPECT_LE(std::fabs(estimated - unseen), 5 * error + 1e-6) << program.name << ": " << kinds[kind];
    EXPECT_GE(covered, 0.94) << program.name << ": " << kinds[kind];
  }
}

void Measure(Program program) {
  program.Finish();
  std::vector<SiteTruth> truths(program.sites.size());
  bool one_size = true;
  for (const Allocation& a : program.allocations) {
    truths[a.site].bytes += a.size;
    ++truths[a.site].objects;
    one_size = one_size && a.size == program.allocations[0].size;
  }
  Tail tails[kWorkers];
  ForEachRun(kRuns, [&](int run, int worker) { TallyRun(program, truths, one_size, run, tails[worker]); });
  Tail tail = tails[0];
  for (int kind = 0; kind < 2; ++kind) {
    tail.covered[kind] += tails[1].covered[kind];
    tail.unseen[kind] += tails[1].unseen[kind];
    tail.estimated[kind] += tails[1].estimated[kind];
    tail.squares[kind] += tails[1].squares[kind];
  }
  tail.periods_per_single += tails[1].periods_per_single;
  Report(program, tail);
}

TEST(Unseen, ManySmallSites) {
  std::printf("%-44s %-8s %12s  %7s  %6s  %6s  %9s\n", "program", "", "unseen", "G/truth", "se", "covers",
              "T N1/truth");
  Program kibibytes("1000 sites of six 1 KiB blocks", 4, kT, 11);
  for (int i = 0; i < 1000; ++i) kibibytes.Blocks(kibibytes.Site(""), 6, 1024);
  Measure(kibibytes);
  Program tiny("200 sites of 400 blocks of 16 B", 4, kT, 12);
  for (int i = 0; i < 200; ++i) tiny.Blocks(tiny.Site(""), 400, 16);
  Measure(tiny);
  Program few("3 sites of 0.6 T", 4, kT, 13);
  for (int i = 0; i < 3; ++i) few.Blocks(few.Site(""), 38, 1024);
  Measure(few);
}

TEST(Unseen, SitesOfOneBlock) {
  Program one("500 sites of one block of T", 4, kT, 14);
  for (int i = 0; i < 500; ++i) one.Blocks(one.Site(""), 1, kT);
  Measure(one);
  Program two("500 sites of one block of 2 T", 4, kT, 15);
  for (int i = 0; i < 500; ++i) two.Blocks(two.Site(""), 1, 2 * kT);
  Measure(two);
  Program certain("200 sites of one block of 128 T", 4, kT, 16);
  for (int i = 0; i < 200; ++i) certain.Blocks(certain.Site(""), 1, 128 * kT);
  Measure(certain);
}

TEST(Unseen, SitesOfAllSizes) {
  Program zipf("1000 sites, Zipf 1.1, 1 KiB blocks", 4, kT, 17);
  for (int i = 1; i <= 1000; ++i) zipf.Blocks(zipf.Site(""), 1 + static_cast<int>(5000 * std::pow(i, -1.1)), 1024);
  Measure(zipf);
  Program mixed("1000 sites, Zipf 1.1, 16 B to 512 KiB", 4, kT, 18);
  for (int i = 1; i <= 1000; ++i) mixed.Blocks(mixed.Site(""), 1 + static_cast<int>(1000 * std::pow(i, -1.1)), 4, 19);
  Measure(mixed);
  Program both("200 sites: 8 T and 20 KiB of 1 KiB blocks", 4, kT, 19);
  for (int i = 0; i < 200; ++i) {
    const int site = both.Site("");
    both.Blocks(site, 1, 8 * kT);
    both.Blocks(site, 20, 1024);
  }
  Measure(both);
}

}  // namespace
}  // namespace heaptally::sampling
