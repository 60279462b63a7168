#include "analysis/places.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace heaptally::analysis {
namespace {

// What makes two frames the same place: name, file, line, module, and the address only where there is no name.
using Key = std::tuple<std::string, std::string, uint32_t, std::string, uint64_t>;

Key KeyOf(const StackFrame& frame) {
  return {frame.function, frame.file, frame.line, frame.module, frame.function.empty() ? frame.address : 0};
}

struct Gathered {
  Place place;
  std::set<Key> callers;
  sampling::Estimate largest;
};

bool SameFunction(const StackFrame& a, const StackFrame& b) {
  return a.function.empty() ? a.SamePlace(b) : a.function == b.function && a.module == b.module;
}

// The next frame outwards that is not plumbing and not the same function again: recursion, and functions that the
// compiler has split and inlined into themselves, tell nothing.
size_t CallerFrame(const std::vector<StackFrame>& stack, size_t from, const FrameTaste& taste) {
  for (size_t next = from + 1; next < stack.size(); ++next) {
    if (!taste.is_plumbing(stack[next]) && !SameFunction(stack[next], stack[from])) return next;
  }
  return stack.size();
}

std::string WhyUnnamed(const profile::Site& site) {
  if (site.other) return "other (no room to book it where it belongs)";
  return site.truncated_why.empty() ? "no stack" : "no stack: " + site.truncated_why;
}

void AddSite(const profile::Profile& profile, const profile::Site& site, By by, const FrameTaste& taste,
             std::map<Key, Gathered>* places) {
  const sampling::Estimate ranked = Ranked(site.measures, by);
  if (!(ranked.v > 0)) return;
  const std::vector<StackFrame> stack = SourceStack(profile, site);
  const size_t at = PlaceFrame(stack, taste);
  const bool has_frame = at < stack.size();
  const std::string unnamed = has_frame ? "" : WhyUnnamed(site);
  Gathered& gathered = (*places)[has_frame ? KeyOf(stack[at]) : Key{"", unnamed, 0, "", 0}];
  Place& place = gathered.place;
  place.has_frame = has_frame;
  place.unnamed = unnamed;
  if (has_frame) place.frame = stack[at];
  if (const size_t caller = has_frame ? CallerFrame(stack, at, taste) : stack.size(); caller < stack.size()) {
    gathered.callers.insert(KeyOf(stack[caller]));
    if (!place.has_caller || RanksBefore(ranked, gathered.largest)) place.caller = stack[caller];
    place.has_caller = true;
  }
  if (place.sites.empty() || RanksBefore(ranked, gathered.largest)) gathered.largest = ranked;
  place.sites.push_back({&profile, &site});
  place.sum += site.measures;
  place.truncated = place.truncated || site.truncated;
  if (site.oldest_ns) place.oldest_ns = std::max(place.oldest_ns.value_or(0), *site.oldest_ns);
}

}  // namespace

size_t PlaceFrame(const std::vector<StackFrame>& stack, const FrameTaste& taste) {
  for (size_t at = 0; at < stack.size(); ++at) {
    if (!taste.is_plumbing(stack[at])) return at;
  }
  for (size_t at = 0; at < stack.size(); ++at) {
    if (!taste.is_allocator(stack[at])) return at;
  }
  return stack.empty() ? 0 : stack.size() - 1;
}

std::vector<Place> RankPlaces(const std::vector<const profile::Profile*>& profiles, By by, const FrameTaste& taste) {
  std::map<Key, Gathered> gathered;
  for (const profile::Profile* profile : profiles) {
    for (const profile::Site& site : profile->sites) {
      if (site.memory_class == "malloc") AddSite(*profile, site, by, taste, &gathered);
    }
  }
  std::vector<Place> out;
  out.reserve(gathered.size());
  for (auto& [key, one] : gathered) {
    one.place.callers = one.callers.size();
    out.push_back(std::move(one.place));
  }
  for (Place& place : out) {
    std::stable_sort(place.sites.begin(), place.sites.end(), [by](const PlaceSite& a, const PlaceSite& b) {
      return RanksBefore(Ranked(a.site->measures, by), Ranked(b.site->measures, by));
    });
  }
  // Intervals are made once, not in every comparison.
  std::vector<std::pair<sampling::Estimate, size_t>> order;
  for (size_t index = 0; index < out.size(); ++index) order.emplace_back(Ranked(out[index].sum, by), index);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return RanksBefore(a.first, b.first); });
  std::vector<Place> ranked;
  ranked.reserve(out.size());
  for (const auto& [estimate, index] : order) ranked.push_back(std::move(out[index]));
  return ranked;
}

}  // namespace heaptally::analysis
