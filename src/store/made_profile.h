// Profiles for tests, made of a seed: every field holds something. The same seed gives the same profile for good, since a
// capture of an old format is compared with it.
#pragma once

#include <algorithm>
#include <random>

#include "profile/estimates.h"
#include "profile/profile.h"

namespace heaptally::store {

using profile::Amount;
using profile::ExactAmount;
using profile::Profile;
using profile::Site;

using Random = std::mt19937_64;

inline uint64_t RandomNumber(Random& random) { return random() >> (random() % 64); }

inline Amount RandomAmount(Random& random, bool exact) {
  if (exact || random() % 3 == 0) return ExactAmount(RandomNumber(random));
  return {RandomNumber(random), static_cast<double>(random()) / 3, static_cast<double>(random()) * 1e9,
          random() % 1000};
}

inline Site RandomSite(Random& random, uint32_t id, size_t frames) {
  const bool exact = random() % 2 == 0;
  Site site;
  site.id = id;
  if (random() % 8 == 0) site.memory_class = "mapped";
  if (id % 9 != 0) site.thread = id % 2 == 0 ? "worker-#" : "io";
  for (uint64_t i = random() % 40; i > 0; --i) site.frames.push_back(static_cast<uint32_t>(random() % frames));
  site.truncated = random() % 4 == 0;
  if (site.truncated) site.truncated_why = "code without unwind information";
  site.other = random() % 9 == 0;
  site.torn = random() % 9 == 0;
  profile::Measures& m = site.measures;
  for (Amount* amount :
       {&m.allocated.objects, &m.allocated.bytes, &m.freed.objects, &m.freed.bytes, &m.live.objects, &m.live.bytes,
        &m.peak.objects, &m.peak.bytes, &m.reallocs, &m.reallocs_in_place, &m.temporary, &m.peak_whole.bytes}) {
    if (random() % 2 == 0) *amount = RandomAmount(random, exact);
  }
  if (!exact) m.floor_bytes = RandomNumber(random);
  if (!exact) m.period = 524288;
  if (!exact && id % 3 == 0) m.objects_per_sample = 1000.5;
  m.bytes_known = m.objects_per_sample == 0 || id % 2 == 0;
  for (uint64_t i = random() % 4; i > 0; --i)
    site.sizes.push_back({16u << i, (32u << i) - 1, RandomAmount(random, exact)});
  for (uint64_t i = random() % 4; i > 0; --i)
    site.lifetimes_ns.push_back({RandomNumber(random), RandomNumber(random), RandomAmount(random, exact)});
  if (random() % 2 == 0) site.oldest_ns = RandomNumber(random);
  return site;
}

inline Profile RandomProfile(uint64_t seed) {
  Random random(seed);
  Profile profile;
  profile.pid = static_cast<int32_t>(random() % 100000);
  profile.exe = std::string("/usr/bin/with space \xff and NUL") + '\0';
  profile.argv = {"a", "", "b c"};
  profile.mode = "bytes";
  profile.period_bytes = 524288;
  profile.started_unix_ns = random();
  profile.taken_unix_ns = random();
  profile.state = static_cast<profile::State>(random() % 5);
  if (random() % 2 == 0) profile.exit.signal = 9;
  if (random() % 2 == 0) profile.exit.oom = true;
  profile.coverage.rss_bytes = random();
  if (seed > 2) {  // not in files of format 1
    profile.coverage.heap_resident_bytes = 4711 * seed;
    profile.coverage.heap_live = profile::Amount{seed, 1.5, 2.5, 7};
    profile.coverage.resident_by_site = {{3, seed}, {1u << 24, UINT64_MAX}};
  }
  profile.loss = {{"segment-full", 3}, {"lost-release", UINT64_MAX}};
  profile.notes = {"One.", "Two."};
  profile.peak_moments_unix_ns = {random(), random()};
  profile.unknown_frees = random();
  for (int i = 0; i < 5; ++i)
    profile.modules.push_back({"/lib/m" + std::to_string(i), "ab", random(), random(), random(), i == 2});
  for (int i = 0; i < 200; ++i) {
    profile.frames.push_back(
        {i % 7 == 0 ? profile::kNoModule : static_cast<uint32_t>(random() % 5), RandomNumber(random), i % 5 == 0});
    auto& sources = profile.sources.emplace_back();
    for (uint64_t j = random() % 3; j > 0; --j) {
      sources.push_back(
          {"f" + std::to_string(random() % 50), "x.cc", static_cast<uint32_t>(random() % 900), j > 1, ""});
    }
    if (sources.empty() && i % 2 == 0) sources.push_back({"", "", 0, false, "no such file"});
  }
  for (uint32_t i = 0; i < 100; ++i) profile.sites.push_back(RandomSite(random, i * 3, profile.frames.size()));
  profile.totals.peak_whole.bytes = {5, 0.25, 3, 2};
  profile::SumTotals(&profile);
  return profile;
}


// The same image a while later: counters go on, sites, frames and modules came, one site is gone.
inline void Change(Profile& profile, uint64_t seed) {
  Random random(seed);
  profile.taken_unix_ns += 1'000'000'000;
  profile.modules.push_back({"/lib/later" + std::to_string(seed), "cd", random(), random(), 7, false});
  profile.modules[0].unloaded = true;
  const auto first_new = static_cast<uint32_t>(profile.frames.size());
  for (uint32_t i = 0; i < 5; ++i) {
    profile.frames.push_back({0, (seed << 20) + i, false});
    if (!profile.sources.empty()) profile.sources.push_back({{"later" + std::to_string(i), "y.cc", i, false, ""}});
  }
  for (Site& site : profile.sites) {
    if (site.oldest_ns) *site.oldest_ns += 1'000'000'000;
    if (random() % 4 != 0) continue;
    site.torn = random() % 2 == 0;
    site.measures.allocated.bytes += RandomAmount(random, random() % 2 == 0);
    site.measures.allocated.objects.proven += random() % 10;
    if (random() % 2 == 0) site.measures.freed = site.measures.live;
    if (random() % 2 == 0) site.measures.peak = site.measures.live;
    if (random() % 4 == 0) site.oldest_ns = random() % 2 == 0 ? std::optional<uint64_t>(random()) : std::nullopt;
    if (!site.sizes.empty()) site.sizes[0].objects.proven += random() % 3;
    if (random() % 3 == 0) site.lifetimes_ns.push_back({RandomNumber(random), RandomNumber(random), {1, 0, 0, 0}});
    std::erase_if(site.live_samples, [&](const auto&) { return random() % 3 == 0; });
    for (uint64_t i = random() % 4; i > 0; --i)
      site.live_samples.push_back({static_cast<uint32_t>(random()), RandomNumber(random), i == 2 ? 65536u : 524288u});
    std::sort(site.live_samples.begin(), site.live_samples.end());
  }
  profile.sites.erase(profile.sites.begin() + static_cast<ptrdiff_t>(random() % profile.sites.size()));
  for (uint32_t i = 0; i < 3; ++i) {
    profile.sites.push_back(RandomSite(random, profile.sites.back().id + 1 + i, profile.frames.size()));
    profile.sites.back().frames = {first_new, first_new + i, first_new};
  }
  profile::SumTotals(&profile);
}

}  // namespace heaptally::store
