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

bool IsOf(Classes classes, const profile::Site& site) {
  return classes == Classes::kAll || (site.memory_class == "mapped") == (classes == Classes::kMapped);
}

// The sum runs in the order of the sites, as that of the totals does, so that both see the same fraction at the end.
std::vector<uint64_t> WholeNumbers(const profile::Profile& profile, const AmountOfMeasures& amount_of, Classes classes) {
  std::vector<uint64_t> out;
  out.reserve(profile.sites.size());
  double running = 0;
  uint64_t given = 0;
  for (const profile::Site& site : profile.sites) {
    if (!IsOf(classes, site)) {
      out.push_back(0);
      continue;
    }
    const profile::Amount& amount = amount_of(site.measures);
    if (amount.inferred > 0 && running + amount.inferred < 9e18) running += amount.inferred;
    const auto reached = static_cast<uint64_t>(std::llround(running));
    out.push_back(amount.proven + (reached - given));
    given = reached;
  }
  return out;
}

std::vector<uint64_t> WholeNumbers(const profile::Profile& profile, analysis::By by) {
  const auto amount_of = [by](const profile::Measures& m) -> const profile::Amount& { return AmountOf(m, by); };
  return WholeNumbers(profile, amount_of, Classes::kHeap);
}

}  // namespace heaptally::exporters
