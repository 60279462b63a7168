// For tests: small profiles made by hand, exact or sampled.
#pragma once

#include <string>
#include <vector>

#include "exporters/shown_stack.h"
#include "exporters/whole_numbers.h"
#include "profile/estimates.h"

namespace heaptally::exporters {

class MadeProfile {
 public:
  MadeProfile() {
    profile_.pid = 7;
    profile_.exe = "/opt/server";
    profile_.modules = {{.path = "/opt/server"}};
  }

  // One machine frame; of several names the first is inlined into the second, and so on.
  uint32_t Frame(const std::vector<std::string>& innermost_first, uint32_t line = 1) {
    profile_.frames.push_back({.module = 0, .address = 0x1000 + profile_.frames.size(), .exact_pc = false});
    std::vector<profile::SourceFrame>& sources = profile_.sources.emplace_back();
    for (const std::string& name : innermost_first) {
      sources.push_back({.function = name, .file = "/src/a.cc", .line = line, .inlined = false, .why = ""});
    }
    return static_cast<uint32_t>(profile_.frames.size() - 1);
  }

  // Innermost first. Live, peak, churn, calls and temporary are `amount` times 1, 2, 3, 4 and 5.
  profile::Site& Site(std::vector<uint32_t> frames, const profile::Amount& amount) {
    profile::Site& site = profile_.sites.emplace_back();
    site.frames = std::move(frames);
    site.measures.live.bytes = Times(amount, 1);
    site.measures.peak.bytes = Times(amount, 2);
    site.measures.allocated.bytes = Times(amount, 3);
    site.measures.allocated.objects = Times(amount, 4);
    site.measures.temporary = Times(amount, 5);
    if (amount.samples > 0) site.measures.period = 1000;
    return site;
  }

  profile::Profile Done() {
    SumTotals(&profile_);
    return profile_;
  }

  profile::Profile profile_;

 private:
  static profile::Amount Times(const profile::Amount& amount, uint64_t factor) {
    const auto real = static_cast<double>(factor);
    return {amount.proven * factor, amount.inferred * real, amount.variance * real * real, amount.samples};
  }
};

inline profile::Profile ExactProfile() {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"}), parse = made.Frame({"inner", "outer"}), malloc = made.Frame({"malloc"});
  made.Site({malloc, parse, main}, profile::ExactAmount(100));
  made.Site({malloc, main}, profile::ExactAmount(23));
  made.Site({malloc, parse, main}, profile::ExactAmount(0));
  made.Site({}, profile::ExactAmount(5));
  made.Site({parse}, profile::ExactAmount(1)).truncated = true;
  made.Site({main}, profile::ExactAmount(1'000'000)).memory_class = "mapped";
  return made.Done();
}

// Three hundred sites of fractions.
inline profile::Profile SampledProfile() {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"});
  for (uint64_t i = 0; i < 300; ++i) {
    const double third = static_cast<double>(i % 7) * 0.31 + 0.17;
    made.Site({made.Frame({"f" + std::to_string(i)}), main}, {i % 3, third, 2 * third, 1});
  }
  return made.Done();
}

// Of mode `count`, with numbers of bytes that mean nothing and must not be seen.
inline profile::Profile CountedProfile() {
  profile::Profile profile = SampledProfile();
  profile.mode = "count";
  profile.period_calls = 200;
  for (profile::Site& site : profile.sites) {
    site.measures.live.objects = site.measures.live.bytes;
    site.measures.bytes_known = false;
    site.measures.period = 0;
    site.measures.objects_per_sample = 200;
  }
  SumTotals(&profile);
  return profile;
}

// `malloc` is the allocator, names are shown as they are.
inline Wording PlainWording() {
  const auto is_malloc = [](const analysis::StackFrame& frame) { return frame.function == "malloc"; };
  return {.taste = {.is_plumbing = is_malloc, .is_allocator = is_malloc},
          .short_name = analysis::NameOf,
          .whole_name = analysis::NameOf};
}

}  // namespace heaptally::exporters
