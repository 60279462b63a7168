#include "analysis/changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "profile/estimates.h"
#include "sampling/terms.h"

namespace heaptally::analysis {
namespace {

using profile::Amount;
using profile::Measures;
using profile::Profile;
using profile::Site;
using profile::Volume;

// ---------------------------------------------------------------------------------------------------------------- names

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Objects that ran on both sides, by their paths.
std::set<std::string> SameBuilds(const std::vector<Profile>& before, const std::vector<Profile>& after) {
  std::map<std::string, std::string> id_of;  // path -> build id before
  std::set<std::string> old_ids, same;
  for (const Profile& profile : before) {
    for (const profile::Module& module : profile.modules) {
      if (!module.build_id.empty()) old_ids.insert(module.build_id);
    }
  }
  std::map<std::string, bool> all_known;  // a path may have been another object meanwhile
  for (const Profile& profile : after) {
    for (const profile::Module& module : profile.modules) {
      const auto [at, added] = all_known.try_emplace(module.path, true);
      at->second = at->second && old_ids.contains(module.build_id);
    }
  }
  std::set<std::string> new_ids;
  for (const Profile& profile : after) {
    for (const profile::Module& module : profile.modules) new_ids.insert(module.build_id);
  }
  for (const Profile& profile : before) {
    for (const profile::Module& module : profile.modules) {
      const auto [at, added] = all_known.try_emplace(module.path, true);
      at->second = at->second && new_ids.contains(module.build_id) && !module.build_id.empty();
    }
  }
  for (const auto& [path, known] : all_known) {
    if (known) same.insert(path);
  }
  return same;
}

// Two versions of a library, or of the program, are the same object here.
std::string StableModule(const std::string& path, const std::string& exe) {
  if (path == exe) return "";
  const std::string name = BaseName(path);
  return name.substr(0, name.find(".so"));
}

// function, file, line, module, address: the last three only as far as they can be compared.
using Key = std::tuple<std::string, std::string, uint32_t, std::string, uint64_t>;

Key KeyOf(const StackFrame& frame, const std::string& exe, const std::set<std::string>& same_builds) {
  const bool same = same_builds.contains(frame.module);
  if (frame.function.empty())
    return {"", "", 0, StableModule(frame.module, exe), same ? frame.address : 0};
  return {StableName(frame.function), BaseName(frame.file), same ? frame.line : 0,
          frame.file.empty() ? StableModule(frame.module, exe) : "", 0};
}

// -------------------------------------------------------------------------------------------------------------- amounts

Amount Minus(const Amount& a, const Amount& b) {
  Amount rest;
  rest.samples = a.samples > b.samples ? a.samples - b.samples : 0;
  rest.proven = a.proven > b.proven ? a.proven - b.proven : 0;
  if (rest.samples == 0) return rest;  // what is left is rounding
  rest.inferred = std::max(0.0, a.inferred - b.inferred);
  rest.variance = std::max(0.0, a.variance - b.variance);
  return rest;
}

// What is on both sides, sample by sample.
Volume Common(const Site& before, const Site& after) {
  sampling::Sums sums;
  auto a = before.live_samples.begin();
  auto b = after.live_samples.begin();
  while (a != before.live_samples.end() && b != after.live_samples.end()) {
    if (*a < *b) {
      ++a;
    } else if (*b < *a) {
      ++b;
    } else {
      sums.Add(sampling::TermsOf(a->bytes, a->period));
      ++a, ++b;
    }
  }
  return profile::VolumeOf(sums);
}

// One place on both sides. What happened before the earlier of two snapshots of an image is `common` to both: it is no
// part of a change.
struct Sides {
  Measures before, after;
  Volume live_common;
  Volume churn_common;      // allocated
  Amount temporary_common;
  bool alone_before = false, alone_after = false;  // images that are on one side only, or the earlier one
};

Amount CommonAmount(const Sides& sides, By by) {
  switch (by) {
    case By::kLive:
      return sides.live_common.bytes;
    case By::kPeak:
      return {};
    case By::kChurn:
      return sides.churn_common.bytes;
    case By::kCalls:
      return sides.churn_common.objects;
    case By::kTemporary:
      return sides.temporary_common;
  }
  return {};
}

// One side less what is common. Where all of it is common (a total since the start that went on), nothing is left that a
// sample could have missed.
sampling::Estimate Rest(const Measures& side, const Amount& common, By by, bool may_have_missed) {
  const Amount rest = Minus(RankedAmount(side, by), common);
  if (!may_have_missed) {
    sampling::Estimate nothing;
    nothing.exact = true;
    return nothing;
  }
  return RanksBytes(by) ? profile::BytesEstimate(side, rest) : profile::ObjectsEstimate(side, rest);
}

sampling::Change ChangeOf(const Sides& sides, By by) {
  if (by == By::kPeak) {
    return sampling::Difference(profile::PeakBytesEstimate(sides.after), profile::PeakBytesEstimate(sides.before));
  }
  const Amount common = CommonAmount(sides, by);
  const bool state = by == By::kLive;
  return sampling::Difference(Rest(sides.after, common, by, state || sides.alone_after),
                              Rest(sides.before, common, by, state || sides.alone_before));
}

ChangeKind KindOf(const PlaceChange& place) {
  const sampling::Change& change = place.change;
  if (change.exact && change.v == 0) return ChangeKind::kSame;
  if (!change.exact && !change.IsReal()) return place.before.v == place.after.v ? ChangeKind::kSame : ChangeKind::kNoise;
  if (!(place.before.v > 0)) return ChangeKind::kNew;
  if (!(place.after.v > 0)) return ChangeKind::kGone;
  return change.v > 0 ? ChangeKind::kGrown : ChangeKind::kShrunk;
}

By BesideOf(By by) { return RanksBytes(by) || by == By::kTemporary ? By::kCalls : By::kChurn; }

// The value alone of the number of the other kind.
sampling::Change BesideChange(const Sides& sides, By by) {
  const auto value = [by](const Measures& m) {
    if (by == By::kLive) return m.live.objects.value();
    if (by == By::kPeak) return m.peak.objects.value();
    return RankedAmount(m, BesideOf(by)).value();
  };
  const double v = value(sides.after) - value(sides.before);
  return {v, v, v, true, true, true};
}

void Fill(const Sides& sides, By by, PlaceChange* place) {
  place->before = Ranked(sides.before, by);
  place->after = Ranked(sides.after, by);
  place->change = ChangeOf(sides, by);
  place->beside = BesideChange(sides, by);
  place->kind = KindOf(*place);
}

double Certain(const sampling::Change& change) {
  if (change.exact) return std::abs(change.v);
  return change.lo > 0 ? change.lo : -change.hi;
}

// ------------------------------------------------------------------------------------------------------------- gathering

// What is known of a place on a side that has no site of it: nothing is there where every allocation was counted, else as
// much as can be without a sample.
struct Unseen {
  Measures measures;
  bool alone = false;  // an image of that side is
};

struct Gathered {
  Sides sides;
  PlaceChange place;
  double largest = -1;  // of the sites whose caller is shown
  bool seen_after = false;
};

class Comparison {
 public:
  Comparison(const std::vector<Profile>& before, const std::vector<Profile>& after, By by, const FrameTaste& taste)
      : by_(by), taste_(taste), same_builds_(SameBuilds(before, after)) {
    Pair(before, after);
    for (const Profile& profile : after) AddUnseen(profile, &unseen_after_);
    for (const Profile& profile : before) AddUnseen(profile, &unseen_before_);
    for (const Profile& profile : after) AddProfile(profile, true);
    for (const Profile& profile : before) AddProfile(profile, false);
  }

  Changes Result() {
    Changes changes;
    Sides all, noise;
    for (auto& [key, one] : gathered_) {
      Add(one.sides, &all);
      Fill(one.sides, by_, &one.place);
      if (one.place.kind == ChangeKind::kSame) {
        ++changes.same;
      } else if (one.place.kind == ChangeKind::kNoise) {
        ++changes.noisy;
        Add(one.sides, &noise);
      } else {
        changes.ranked.push_back(std::move(one.place));
      }
    }
    std::stable_sort(changes.ranked.begin(), changes.ranked.end(), [](const auto& a, const auto& b) {
      return Certain(a.change) > Certain(b.change);
    });
    Fill(all, by_, &changes.total);
    Fill(noise, by_, &changes.noise);
    changes.one_image = !partner_.empty();
    return changes;
  }

 private:
  // The same image on both sides. Profiles are numbered by their addresses.
  void Pair(const std::vector<Profile>& before, const std::vector<Profile>& after) {
    for (const Profile& a : before) {
      for (const Profile& b : after) {
        const bool same = a.pid != 0 && a.started_unix_ns != 0 && a.pid == b.pid &&
                          a.started_unix_ns == b.started_unix_ns && a.host == b.host && a.mode == b.mode;
        if (!same) continue;
        partner_[&a] = &b;
        partner_[&b] = &a;
      }
    }
    for (const auto& [profile, partner] : partner_) {
      for (const Site& site : profile->sites) sites_[profile][site.id] = &site;
    }
  }

  const Site* PartnerOf(const Profile& profile, const Site& site) const {
    const auto partner = partner_.find(&profile);
    if (partner == partner_.end()) return nullptr;
    const auto& sites = sites_.at(partner->second);
    const auto found = sites.find(site.id);
    return found != sites.end() ? found->second : nullptr;
  }

  bool IsAlone(const Profile& profile) const {
    const auto partner = partner_.find(&profile);
    return partner == partner_.end() || partner->second->taken_unix_ns <= profile.taken_unix_ns;
  }

  void AddUnseen(const Profile& profile, Unseen* unseen) const {
    // Totals of a profile that filters left nothing of know no period.
    const double period = profile.mode == "bytes" ? static_cast<double>(profile.period_bytes) : 0;
    unseen->measures.period = std::max({unseen->measures.period, profile.totals.period, period});
    unseen->measures.objects_per_sample = std::max(unseen->measures.objects_per_sample, profile.totals.objects_per_sample);
    unseen->measures.bytes_known &= profile.totals.bytes_known;
    unseen->alone |= IsAlone(profile);
  }

  void AddProfile(const Profile& profile, bool after) {
    const auto partner = partner_.find(&profile);
    const bool alone = IsAlone(profile);
    for (const Site& site : profile.sites) {
      if (site.memory_class == "mapped") continue;
      Gathered& one = Place(profile, site, after);
      (after ? one.sides.after : one.sides.before) += site.measures;
      // Of two snapshots of an image the earlier one's totals are contained in the later one's.
      (after ? one.sides.alone_after : one.sides.alone_before) |= alone;
      if (partner == partner_.end() || !after) continue;
      const Site* other = PartnerOf(profile, site);
      if (other == nullptr) continue;
      const Measures& earlier = alone ? other->measures : site.measures;
      one.sides.live_common += Common(*other, site);
      one.sides.churn_common += earlier.allocated;
      one.sides.temporary_common += earlier.temporary;
    }
  }

  Gathered& Place(const Profile& profile, const Site& site, bool after) {
    const std::vector<StackFrame> stack = SourceStack(profile, site);
    const size_t at = PlaceFrame(stack, taste_);
    const bool has_frame = at < stack.size();
    const std::string unnamed = has_frame         ? ""
                                : site.other      ? "other (no room to book it where it belongs)"
                                : site.truncated  ? "no stack: " + site.truncated_why
                                                  : "no stack";
    const auto [entry, is_new] =
        gathered_.try_emplace(has_frame ? KeyOf(stack[at], profile.exe, same_builds_) : Key{"", unnamed, 1, "", 0});
    Gathered& one = entry->second;
    if (is_new) {
      one.sides.before = unseen_before_.measures;
      one.sides.after = unseen_after_.measures;
      one.sides.alone_before = unseen_before_.alone;
      one.sides.alone_after = unseen_after_.alone;
    }
    const double size = Ranked(site.measures, by_).v;
    if (!after && one.seen_after) return one;  // shown as it is afterwards
    one.seen_after = after;
    if (size <= one.largest) return one;
    one.largest = size;
    one.place.has_frame = has_frame;
    one.place.unnamed = unnamed;
    if (has_frame) one.place.frame = stack[at];
    one.place.has_caller = false;
    for (size_t next = at + 1; next < stack.size() && !one.place.has_caller; ++next) {
      if (taste_.is_plumbing(stack[next]) || stack[next].function == stack[at].function) continue;
      one.place.caller = stack[next];
      one.place.has_caller = true;
    }
    return one;
  }

  static void Add(const Sides& from, Sides* to) {
    to->before += from.before;
    to->after += from.after;
    to->live_common += from.live_common;
    to->churn_common += from.churn_common;
    to->temporary_common += from.temporary_common;
    to->alone_before |= from.alone_before;
    to->alone_after |= from.alone_after;
  }

  By by_;
  const FrameTaste& taste_;
  std::set<std::string> same_builds_;
  std::map<const Profile*, const Profile*> partner_;
  std::map<const Profile*, std::map<uint32_t, const Site*>> sites_;
  std::map<Key, Gathered> gathered_;
  Unseen unseen_before_, unseen_after_;
};

}  // namespace

std::string StableName(const std::string& function) {
  std::string name = function.substr(0, function.find(" [clone "));
  for (const char* suffix : {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm."}) {
    name = name.substr(0, name.find(suffix));
  }
  return name;
}

Changes Compare(const std::vector<Profile>& before, const std::vector<Profile>& after, By by, const FrameTaste& taste) {
  return Comparison(before, after, by, taste).Result();
}

}  // namespace heaptally::analysis
