// What intervals ought to cover: the plan of statistics_sites.c through the real sampler and the real estimator, many
// times, in one process. Prints one object of JSON: for each site and "totals", how often each quantity's interval held
// the truth, and the sizes that there are, from which truths follow.
//
//   statistics_model [RUNS]      default 40,000: a coverage of 0.95 is then known to 0.001
//
// The order of calls is not the program's: draws have no memory, so it makes no difference to any of these numbers.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "sampling/simulation.h"
#include "statistics_plan.h"

namespace heaptally::sampling {
namespace {

constexpr double kPeriod = kPlanPeriod;
enum Quantity { kAllocatedBytes, kLiveBytes, kAllocations, kLiveObjects, kQuantities };
constexpr const char* kNames[] = {"allocated_bytes", "live_bytes", "allocations", "live_objects"};

struct Counted {
  uint64_t allocations = 0, freed = 0;
};
using Sizes = std::map<uint64_t, Counted>;

struct Site {
  std::string name;
  Sizes sizes;
  uint64_t covered[kWorkers][kQuantities] = {};
};

// The plan as the simulation wants it, and the sites, with the totals as the last.
class Plan {
 public:
  Plan() : program("plan", 1 + kPlanThreads, kPlanPeriod, 20240501) {
#define PLAN(name, thread, size, count, freed) AddLine(#name, thread, size, count, freed);
    STATISTICS_PLAN
#undef PLAN
    AddBlocks(SiteOf("chain_start"), STATISTICS_CHAIN_START, STATISTICS_CHAINS, STATISTICS_CHAINS, 0);
    const size_t step = SiteOf("chain_step");
    for (uint64_t size = 2 * STATISTICS_CHAIN_START; size <= STATISTICS_CHAIN_END; size *= 2) {
      AddBlocks(step, size, STATISTICS_CHAINS,
                size < STATISTICS_CHAIN_END ? STATISTICS_CHAINS : STATISTICS_CHAINS_FREED, 0);
    }
    Site totals{"totals", {}, {}};
    for (const Site& site : sites) {
      for (const auto& [size, counted] : site.sizes) {
        totals.sizes[size].allocations += counted.allocations;
        totals.sizes[size].freed += counted.freed;
      }
    }
    sites.push_back(totals);
  }

  Program program;
  std::vector<Site> sites;

 private:
  size_t SiteOf(const std::string& name) {
    for (size_t i = 0; i < sites.size(); ++i) {
      if (sites[i].name == name) return i;
    }
    sites.push_back({name, {}, {}});
    program.Site(name);
    return sites.size() - 1;
  }

  void AddLine(const char* name, plan_thread thread, uint64_t size, int count, int freed) {
    const size_t site = SiteOf(name);
    if (thread == kMain) return AddBlocks(site, size, count, freed, 0);
    for (int i = 1; i <= kPlanThreads; ++i) AddBlocks(site, size, count, freed, i);
  }

  void AddBlocks(size_t site, uint64_t size, int count, int freed, int thread) {
    for (int i = 0; i < count; ++i) {
      program.allocations.push_back({static_cast<uint32_t>(size), static_cast<uint16_t>(site),
                                     static_cast<uint8_t>(thread), i < freed, false, false});
    }
    sites[site].sizes[size].allocations += static_cast<uint64_t>(count);
    sites[site].sizes[size].freed += static_cast<uint64_t>(freed);
  }
};

double TrueBytes(const Sizes& sizes, bool live) {
  double bytes = 0;
  for (const auto& [size, counted] : sizes)
    bytes += static_cast<double>(size * (counted.allocations - (live ? counted.freed : 0)));
  return bytes;
}

double TrueObjects(const Sizes& sizes, bool live, uint64_t floor_bytes) {
  double objects = 0;
  for (auto at = sizes.lower_bound(floor_bytes); at != sizes.end(); ++at) {
    objects += static_cast<double>(at->second.allocations - (live ? at->second.freed : 0));
  }
  return objects;
}

bool CoversBytes(const Sums& sums, const Sizes& sizes, bool live) {
  const Estimate e = EstimateBytes(BytesOf(sums), kPeriod);
  const double truth = TrueBytes(sizes, live);
  return e.lo <= truth && truth <= e.hi;
}

// "At least lo in all, at most hi of the floor's size or more."
bool CoversObjects(const Sums& sums, uint64_t floor_bytes, const Sizes& sizes, bool live) {
  const Estimate e = EstimateObjects(ObjectsOf(sums), kPeriod, floor_bytes);
  return e.lo <= TrueObjects(sizes, live, 0) && (!e.hi_known || TrueObjects(sizes, live, e.floor_bytes) <= e.hi);
}

void Tally(const Observed& seen, Site* site, int worker) {
  const Sums live = Minus(seen.allocated, seen.freed);
  uint64_t* covered = site->covered[worker];
  covered[kAllocatedBytes] += CoversBytes(seen.allocated, site->sizes, false);
  covered[kLiveBytes] += CoversBytes(live, site->sizes, true);
  covered[kAllocations] += CoversObjects(seen.allocated, seen.floor_bytes, site->sizes, false);
  covered[kLiveObjects] += CoversObjects(live, seen.floor_bytes, site->sizes, true);
}

void Print(const Site& site, int runs, const char* end) {
  std::printf("  \"%s\": {\"covered\": {", site.name.c_str());
  for (int quantity = 0; quantity < kQuantities; ++quantity) {
    uint64_t covered = 0;
    for (const auto& of_worker : site.covered) covered += of_worker[quantity];
    std::printf("%s\"%s\": %.6f", quantity > 0 ? ", " : "", kNames[quantity], static_cast<double>(covered) / runs);
  }
  std::printf("}, \"sizes\": [");
  const char* comma = "";
  for (const auto& [size, counted] : site.sizes) {
    std::printf("%s[%llu, %llu, %llu]", comma, static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(counted.allocations), static_cast<unsigned long long>(counted.freed));
    comma = ", ";
  }
  std::printf("]}%s\n", end);
}

int Main(int runs) {
  Plan plan;
  ForEachRun(runs, [&plan](int run, int worker) {
    Observed total;
    const std::vector<Observed> sites = Run(plan.program, run);
    for (size_t i = 0; i < sites.size(); ++i) {
      Tally(sites[i], &plan.sites[i], worker);
      total.Add(sites[i]);
    }
    Tally(total, &plan.sites.back(), worker);
  });
  std::printf("{\"runs\": %d, \"period\": %d, \"sites\": {\n", runs, kPlanPeriod);
  for (const Site& site : plan.sites) Print(site, runs, &site == &plan.sites.back() ? "" : ",");
  std::printf("}}\n");
  return 0;
}

}  // namespace
}  // namespace heaptally::sampling

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 40000;
  return heaptally::sampling::Main(runs > 0 ? runs : 1);
}
