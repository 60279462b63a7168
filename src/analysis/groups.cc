#include "analysis/groups.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/frame_table.h"

namespace heaptally::analysis {
namespace {

// What a total needs of the measures: they are added millions of times.
struct Part {
  profile::Amount ranked, beside;
  uint64_t floor_bytes = UINT64_MAX;
  double period = 0;
};

// Amounts of measures that are our own.
profile::Amount& Own(const profile::Amount& amount) { return const_cast<profile::Amount&>(amount); }

profile::Measures MeasuresOf(const Part& part, By by) {
  profile::Measures out;
  Own(RankedAmount(out, by)) = part.ranked;
  Own(BesideAmount(out, by)) = part.beside;
  out.floor_bytes = part.floor_bytes;
  out.period = part.period;
  return out;
}

class Gatherer {
 public:
  Gatherer(const std::vector<const profile::Profile*>& profiles, GroupBy group, By by, const FrameTaste& taste,
           bool full)
      : profiles_(profiles), group_(group), by_(by), full_(full), table_(profiles, taste) {}

  std::vector<Group> Gather() {
    for (size_t number = 0; number < profiles_.size(); ++number) {
      for (const profile::Site& site : profiles_[number]->sites) {
        const bool counts = site.memory_class != "mapped" && RankedAmount(site.measures, by_).value() > 0;
        if (counts) AddSite(number, site);
      }
    }
    for (size_t index = 0; index < groups_.size(); ++index) groups_[index].total = MeasuresOf(totals_[index], by_);
    return std::move(groups_);
  }

 private:
  uint32_t Named(const std::string& name) {
    const auto [at, is_new] = named_.try_emplace(name, static_cast<uint32_t>(groups_.size()));
    if (is_new) New().name = name;
    return at->second;
  }

  Group& New() {
    totals_.emplace_back();
    return groups_.emplace_back();
  }

  uint32_t GroupOf(uint32_t frame) {
    if (frame >= group_of_frame_.size()) group_of_frame_.resize(frame + 1, kNone);
    uint32_t& known = group_of_frame_[frame];
    if (known != kNone) return known;
    if (group_ == GroupBy::kModule) return known = Named(table_[frame].module);
    const uint32_t function = table_.FunctionOf(frame);
    const auto [at, is_new] = functions_.try_emplace(function, static_cast<uint32_t>(groups_.size()));
    if (is_new) New().frame = table_[frame];
    return known = at->second;
  }

  void AddSelf(uint32_t group, const profile::Site& site) {
    groups_[group].self += site.measures;
    ++groups_[group].stacks;
  }

  void AddTotal(uint32_t group, const profile::Measures& measures) {
    Part& part = totals_[group];
    part.ranked += RankedAmount(measures, by_);
    part.beside += BesideAmount(measures, by_);
    part.floor_bytes = std::min(part.floor_bytes, measures.floor_bytes);
    part.period = std::max(part.period, measures.period);
  }

  void AddSite(size_t number, const profile::Site& site) {
    if (group_ == GroupBy::kThread) {
      const uint32_t group = Named(site.thread);
      AddSelf(group, site);
      return AddTotal(group, site.measures);
    }
    table_.Stack(number, site, &stack_);
    const size_t place = full_ ? 0 : table_.PlaceAt(stack_);
    AddSelf(GroupOf(stack_[place]), site);
    in_stack_.clear();
    for (size_t at = 0; at < stack_.size(); ++at) {
      const bool shown = full_ || group_ == GroupBy::kModule || !table_.IsPlumbing(stack_[at]);
      if (at == place || (shown && table_[stack_[at]].words.empty())) in_stack_.push_back(GroupOf(stack_[at]));
    }
    std::sort(in_stack_.begin(), in_stack_.end());
    in_stack_.erase(std::unique(in_stack_.begin(), in_stack_.end()), in_stack_.end());
    for (const uint32_t group : in_stack_) AddTotal(group, site.measures);
  }

  static constexpr uint32_t kNone = UINT32_MAX;

  const std::vector<const profile::Profile*>& profiles_;
  GroupBy group_;
  By by_;
  bool full_;
  FrameTable table_;
  std::vector<Group> groups_;
  std::vector<Part> totals_;              // parallel to groups_
  std::vector<uint32_t> group_of_frame_;  // by the table's frames
  std::unordered_map<uint32_t, uint32_t> functions_;
  std::unordered_map<std::string, uint32_t> named_;
  std::vector<uint32_t> stack_, in_stack_;
};

}  // namespace

std::vector<Group> RankGroups(const std::vector<const profile::Profile*>& profiles, GroupBy group, By by,
                              const FrameTaste& taste, bool full) {
  std::vector<Group> groups = Gatherer(profiles, group, by, taste, full).Gather();
  std::vector<sampling::Estimate> self, total;
  std::vector<uint32_t> order;
  for (const Group& one : groups) {
    order.push_back(static_cast<uint32_t>(order.size()));
    self.push_back(Ranked(one.self, by));
    total.push_back(Ranked(one.total, by));
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (RanksBefore(self[a], self[b])) return true;
    return !RanksBefore(self[b], self[a]) && RanksBefore(total[a], total[b]);
  });
  std::vector<Group> out;
  for (const uint32_t index : order) out.push_back(std::move(groups[index]));
  return out;
}

}  // namespace heaptally::analysis
