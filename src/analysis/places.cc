#include "analysis/places.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analysis/frame_table.h"

namespace heaptally::analysis {
namespace {

struct Gathered {
  Place place;
  std::set<uint32_t> callers;
  sampling::Estimate largest;
  bool counts = false;  // one of its sites has any of what is ranked; the others belong to its other numbers all the same
};

// The next frame outwards that is not plumbing and not the same function again: recursion, and functions that the
// compiler has split and inlined into themselves, tell nothing.
size_t CallerFrame(const FrameTable& table, const std::vector<uint32_t>& stack, size_t from) {
  for (size_t next = from + 1; next < stack.size(); ++next) {
    if (!table[stack[next]].words.empty()) break;
    if (!table.IsPlumbing(stack[next]) && table.FunctionOf(stack[next]) != table.FunctionOf(stack[from])) return next;
  }
  return stack.size();
}

class Gatherer {
 public:
  Gatherer(const std::vector<const profile::Profile*>& profiles, By by, const FrameTaste& taste)
      : profiles_(profiles), by_(by), table_(profiles, taste) {}

  std::vector<Place> Gather(std::string_view memory_class) {
    for (size_t number = 0; number < profiles_.size(); ++number) {
      for (const profile::Site& site : profiles_[number]->sites) {
        if (site.memory_class == memory_class) AddSite(number, site);
      }
    }
    std::vector<Place> out;
    out.reserve(order_.size());
    for (const uint32_t frame : order_) {
      Gathered& one = gathered_[frame];
      if (!one.counts) continue;
      one.place.callers = one.callers.size();
      out.push_back(std::move(one.place));
    }
    return out;
  }

 private:
  void AddSite(size_t number, const profile::Site& site) {
    const sampling::Estimate ranked = Ranked(site.measures, by_);
    table_.Stack(number, site, &stack_);
    const size_t at = table_.PlaceAt(stack_);
    const auto [entry, is_new] = gathered_.try_emplace(stack_[at]);
    if (is_new) order_.push_back(stack_[at]);
    Gathered& gathered = entry->second;
    Place& place = gathered.place;
    if (is_new) place.frame = table_[stack_[at]];
    place.unnamed = place.frame.words;
    place.has_frame = place.unnamed.empty();
    const bool largest = is_new || RanksBefore(ranked, gathered.largest);
    if (const size_t caller = place.has_frame ? CallerFrame(table_, stack_, at) : stack_.size();
        caller < stack_.size()) {
      gathered.callers.insert(stack_[caller]);
      if (!place.has_caller || largest) place.caller = table_[stack_[caller]];
      place.has_caller = true;
    }
    if (largest) gathered.largest = ranked;
    gathered.counts |= ranked.v > 0;
    place.sites.push_back({profiles_[number], &site});
    place.sum += site.measures;
    place.truncated = place.truncated || site.truncated;
    if (site.oldest_ns) place.oldest_ns = std::max(place.oldest_ns.value_or(0), *site.oldest_ns);
  }

  const std::vector<const profile::Profile*>& profiles_;
  By by_;
  FrameTable table_;
  std::unordered_map<uint32_t, Gathered> gathered_;  // by the place's frame
  std::vector<uint32_t> order_;                      // in which they were met
  std::vector<uint32_t> stack_;
};

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

std::vector<Place> RankPlaces(const std::vector<const profile::Profile*>& profiles, By by, const FrameTaste& taste,
                              std::string_view memory_class) {
  std::vector<Place> out = Gatherer(profiles, by, taste).Gather(memory_class);
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
