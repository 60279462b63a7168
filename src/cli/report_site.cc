#include "cli/report_site.h"

#include <fmt/format.h>

#include <charconv>

#include "analysis/places.h"
#include "cli/find_functions.h"
#include "cli/frame_names.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/render_place.h"

namespace heaptally::cli {
namespace {

std::optional<std::string> NoSuchRow(size_t number, size_t places) {
  Complain(fmt::format("there is no place {} in the list: it has {}", number, places),
           places == 0 ? "another --by" : fmt::format("--site 1 to {}, or a function", places));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ReportSite(const std::vector<profile::Profile>& profiles, const std::string& which,
                                      const ReportView& view) {
  std::vector<const profile::Profile*> all;
  for (const profile::Profile& profile : profiles) all.push_back(&profile);
  const std::vector<analysis::Place> places = RankPlaces(all, view.by, ReportTaste());
  size_t number = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  if (error == std::errc() && end == which.data() + which.size()) {
    if (number == 0 || number > places.size()) return NoSuchRow(number, places.size());
    return RenderPlace(places[number - 1], view);
  }
  const analysis::FrameTable table(all, ReportTaste());
  const FoundFunctions found = FindFunctions(table, which);
  std::string out;
  for (const analysis::Place& place : places) {
    const std::string name = ShownName(place.frame);
    if (std::find(found.names.begin(), found.names.end(), name) == found.names.end()) continue;
    out += (out.empty() ? "" : "\n") + RenderPlace(place, view);
  }
  if (!out.empty()) return out;
  if (found.names.empty()) {
    Complain("there is no function called \"" + which + "\"",
             found.nearest.empty() ? "a number or a name of the list" : "--site '" + found.nearest + "'");
  } else {
    Complain(found.names[0] + " is not the place of any stack: by " + MeasureName(view.by) +
                 ", it holds nothing itself but through what it calls",
             "--callees '" + found.names[0] + "'");
  }
  return std::nullopt;
}

}  // namespace heaptally::cli
