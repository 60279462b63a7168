// `heaptally report --site N|FUNCTION`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/places.h"
#include "cli/render_report.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct AskedPlace {
  size_t row = 0;  // in the list that the same options give, from 1
  analysis::Place place;
};

// Place number N of the list that `by` gives, or all places in a function. Nothing after a complaint; else at least one.
std::optional<std::vector<AskedPlace>> FindPlaces(const std::vector<profile::Profile>& profiles,
                                                  const std::string& which, analysis::By by);

// The same as text.
std::optional<std::string> ReportSite(const std::vector<profile::Profile>& profiles, const std::string& which,
                                      const ReportView& view);

}  // namespace heaptally::cli
