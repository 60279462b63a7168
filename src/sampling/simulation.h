// For tests: programs whose every allocation is known beforehand, and many runs of the real sampler over each. Only
// the sampler's random numbers differ between runs, so the truth is one number, and how often the intervals hold it is
// their coverage.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "sampling/draw.h"
#include "sampling/estimate.h"
#include "sampling/terms.h"

namespace heaptally::sampling {

inline constexpr int kRuns = 4000;
inline constexpr int kWorkers = 2;  // always two, whatever the machine has: results do not depend on it

struct Allocation {
  uint32_t size;
  uint16_t site;
  uint8_t thread;
  bool freed;       // before the second snapshot
  bool is_realloc;  // its predecessor is freed by it
  bool early;       // before the first snapshot
};

class Program {
 public:
  Program(std::string its_name, int thread_count, uint64_t its_period, uint64_t its_seed)
      : name(std::move(its_name)),
        threads(thread_count),
        period(its_period),
        later_period(its_period),
        seed(its_seed),
        random_(its_seed) {}

  std::string name;
  int threads;
  uint64_t period, later_period;  // T of draws in the first and in the second half of the run
  uint64_t seed;                  // of the program, and of the runs over it
  std::vector<std::string> sites;
  std::vector<Allocation> allocations;

  int Site(const std::string& site) {
    sites.push_back(site);
    return static_cast<int>(sites.size()) - 1;
  }

  // `count` blocks at a site, of sizes 2^low .. 2^high, equal in their logarithms.
  void Blocks(int site, int count, double low, double high) {
    for (int i = 0; i < count; ++i) Chain(site, {Size(low, high)});
  }
  void Blocks(int site, int count, uint64_t size) {
    for (int i = 0; i < count; ++i) Chain(site, {size});
  }

  // One block and its reallocs, each a fresh allocation of its full size. Half of the last ones are freed.
  void Chain(int site, const std::vector<uint64_t>& sizes) {
    const auto thread = static_cast<uint8_t>(random_.Next() % static_cast<uint64_t>(threads));
    const bool dies = random_.Next() % 2 == 0;
    std::vector<uint64_t> times(sizes.size());
    for (uint64_t& time : times) time = random_.Next();
    std::sort(times.begin(), times.end());
    for (size_t i = 0; i < sizes.size(); ++i) {
      const bool last = i + 1 == sizes.size();
      keyed_.push_back(
          {times[i],
           {static_cast<uint32_t>(sizes[i]), static_cast<uint16_t>(site), thread, last ? dies : true, i > 0, false}});
    }
  }

  uint64_t Size(double low, double high) {
    return static_cast<uint64_t>(std::exp2(low + (high - low) * std::ldexp(static_cast<double>(random_.Next()), -64)));
  }

  // Interleaves everything. The first third comes before the first snapshot.
  void Finish() {
    std::stable_sort(keyed_.begin(), keyed_.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    for (const Keyed& each : keyed_) allocations.push_back(each.allocation);
    for (size_t i = 0; i < allocations.size() / 3; ++i) allocations[i].early = true;
  }

  uint64_t LargestPeriod() const { return std::max(period, later_period); }

 private:
  struct Keyed {
    uint64_t time;
    Allocation allocation;
  };
  Generator random_;
  std::vector<Keyed> keyed_;
};

// What one run tells of one site.
struct Observed {
  Sums allocated, freed, gained, lost;
  ObjectSums reallocs;
  uint64_t floor_bytes = kNoFloor;

  void Add(const Observed& other) {
    allocated.Add(other.allocated);
    freed.Add(other.freed);
    gained.Add(other.gained);
    lost.Add(other.lost);
    reallocs.Add(other.reallocs);
    floor_bytes = std::min(floor_bytes, other.floor_bytes);
  }

  void AddSample(const Allocation& allocation, uint64_t drawn_period) {
    const Terms terms = TermsOf(allocation.size, drawn_period);
    allocated.Add(terms);
    if (allocation.freed) freed.Add(terms);
    if (allocation.freed && allocation.early) lost.Add(terms);
    if (!allocation.freed && !allocation.early) gained.Add(terms);
    if (allocation.is_realloc) reallocs.Add(terms);
    floor_bytes = std::min<uint64_t>(floor_bytes, allocation.size);
  }
};

// One run of the real countdown, allocation by allocation, each thread with its own.
inline std::vector<Observed> Run(const Program& program, int run) {
  struct Thread {
    Generator generator;
    int64_t countdown;
    uint64_t period;
    void Draw(uint64_t new_period) {
      period = new_period;
      countdown = static_cast<int64_t>(DrawCountdown(generator, period));
    }
  };
  std::vector<Thread> threads(static_cast<size_t>(program.threads));
  for (size_t t = 0; t < threads.size(); ++t) {
    threads[t].generator = Generator(((program.seed << 32) + static_cast<uint64_t>(run)) * 64 + t);
    threads[t].Draw(program.period);
  }
  std::vector<Observed> observed(program.sites.size());
  const size_t half = program.allocations.size() / 2;
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& allocation = program.allocations[i];
    Thread& thread = threads[allocation.thread];
    thread.countdown -= static_cast<int64_t>(allocation.size) + 1;
    if (thread.countdown >= 0) continue;
    observed[allocation.site].AddSample(allocation, thread.period);
    thread.Draw(i < half ? program.period : program.later_period);
  }
  return observed;
}

// Calls work(run, worker) for every run, on two threads; run numbers are dealt out the same way every time.
template <typename Work>
void ForEachRun(int runs, Work work) {
  std::vector<std::thread> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([=] {
      for (int run = worker; run < runs; run += kWorkers) work(run, worker);
    });
  }
  for (std::thread& each : workers) each.join();
}

// Means over runs of one number, one per worker and then added.
struct Tallied {
  double covered = 0, v = 0, width = 0, known = 0;

  void Add(const Tallied& other) {
    covered += other.covered;
    v += other.v;
    width += other.width;
    known += other.known;
  }
};

}  // namespace heaptally::sampling
