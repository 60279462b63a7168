#include "exporters/known_columns.h"

#include <algorithm>

namespace heaptally::exporters {

bool Knows(const profile::Profile& profile, Column column) {
  switch (column) {
    case Column::kAllocatedBytes:
    case Column::kLiveBytes:
    case Column::kPeakObjects:
    case Column::kPeakBytes:
      return profile.totals.bytes_known;
    default:
      return true;
  }
}

bool AllKnow(const std::vector<profile::Profile>& profiles, Column column) {
  return std::all_of(profiles.begin(), profiles.end(), [column](const auto& profile) { return Knows(profile, column); });
}

bool AllKnowBytes(const std::vector<profile::Profile>& profiles) { return AllKnow(profiles, Column::kLiveBytes); }

}  // namespace heaptally::exporters
