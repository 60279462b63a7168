#include "cli/report_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/places.h"
#include "cli/find_functions.h"
#include "cli/frame_names.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/render_place.h"

namespace heaptally::cli {
namespace {

void ComplainOfRow(size_t number, size_t places) {
  Complain(fmt::format("there is no place {} in the list: it has {}", number, places),
           places == 0 ? "another --by" : fmt::format("--site 1 to {}, or a function", places));
}

void ComplainOfFunction(const std::string& which, const FoundFunctions& found, analysis::By by) {
  if (found.names.empty()) {
    Complain("there is no function called \"" + which + "\"",
             found.nearest.empty() ? "a number or a name of the list" : "--site '" + found.nearest + "'");
  } else {
    Complain(found.names[0] + " is not the place of any stack: by " + MeasureName(by) +
                 ", it holds nothing itself but through what it calls",
             "--callees '" + found.names[0] + "'");
  }
}

}  // namespace

std::optional<std::vector<AskedPlace>> FindPlaces(const std::vector<profile::Profile>& profiles,
                                                  const std::string& which, analysis::By by) {
  std::vector<const profile::Profile*> all;
  for (const profile::Profile& profile : profiles) all.push_back(&profile);
  std::vector<analysis::Place> places = RankPlaces(all, by, ReportTaste());
  std::vector<AskedPlace> asked;
  size_t number = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  if (error == std::errc() && end == which.data() + which.size()) {
    if (number == 0 || number > places.size()) {
      ComplainOfRow(number, places.size());
      return std::nullopt;
    }
    asked.push_back({number, std::move(places[number - 1])});
    return asked;
  }
  const analysis::FrameTable table(all, ReportTaste());
  const FoundFunctions found = FindFunctions(table, which);
  for (size_t row = 0; row < places.size(); ++row) {
    const std::string name = ShownName(places[row].frame);
    if (std::find(found.names.begin(), found.names.end(), name) == found.names.end()) continue;
    asked.push_back({row + 1, std::move(places[row])});
  }
  if (!asked.empty()) return asked;
  ComplainOfFunction(which, found, by);
  return std::nullopt;
}

std::optional<std::string> ReportSite(const std::vector<profile::Profile>& profiles, const std::string& which,
                                      const ReportView& view) {
  const auto places = FindPlaces(profiles, which, view.by);
  if (!places) return std::nullopt;
  std::string out;
  for (const AskedPlace& one : *places) out += (out.empty() ? "" : "\n") + RenderPlace(one.place, view);
  return out;
}

}  // namespace heaptally::cli
