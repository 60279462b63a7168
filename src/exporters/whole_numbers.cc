#include "exporters/whole_numbers.h"

#include <cmath>

namespace heaptally::exporters {

const profile::Amount& AmountOf(const profile::Measures& measures, analysis::By by) {
  switch (by) {
    case analysis::By::kPeak:
      return measures.peak.bytes;
    case analysis::By::kChurn:
      return measures.allocated.bytes;
    case analysis::By::kCalls:
      return measures.allocated.objects;
    case analysis::By::kTemporary:
      return measures.temporary;
    default:
      return measures.live.bytes;
  }
}

// The sum runs in the order of the sites, as that of the totals does, so that both see the same fraction at the end.
std::vector<uint64_t> WholeNumbers(const profile::Profile& profile, analysis::By by) {
  std::vector<uint64_t> out;
  out.reserve(profile.sites.size());
  double running = 0;
  uint64_t given = 0;
  for (const profile::Site& site : profile.sites) {
    if (site.memory_class == "mapped") {
      out.push_back(0);
      continue;
    }
    const profile::Amount& amount = AmountOf(site.measures, by);
    if (amount.inferred > 0 && running + amount.inferred < 9e18) running += amount.inferred;
    const auto reached = static_cast<uint64_t>(std::llround(running));
    out.push_back(amount.proven + (reached - given));
    given = reached;
  }
  return out;
}

}  // namespace heaptally::exporters
