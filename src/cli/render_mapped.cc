#include "cli/render_mapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/places.h"
#include "cli/frame_names.h"
#include "cli/text.h"
#include "cli/text_table.h"

namespace heaptally::cli {
namespace {

using analysis::Place;

struct Row {
  const Place* place;
  uint64_t reserved = 0;
  uint64_t at_peak = 0;              // reserved, when most was
  std::optional<uint64_t> resident;  // known of at least one of its sites
};

std::string Bytes(uint64_t bytes, NumberStyle style) { return FormatBytes(static_cast<double>(bytes), style); }

// Of a process that runs, both columns are of one moment. One that has ended was last looked at some time before, and has
// given back since what it gave back.
bool Ended(const profile::Profile& profile) { return profile.state != profile::State::kRunning; }

// Largest first: by what was reserved at the peak, of a process that runs by what is resident.
std::vector<Row> RowsOf(const std::vector<Place>& places, bool ended) {
  std::vector<Row> rows;
  for (const Place& place : places) {
    Row row = {&place, place.sum.live.bytes.proven, place.sum.peak.bytes.proven, std::nullopt};
    for (const analysis::PlaceSite& one : place.sites) {
      const std::optional<uint64_t> resident = one.profile->coverage.ResidentOf(one.site->id);
      if (resident) row.resident = row.resident.value_or(0) + *resident;
    }
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [ended](const Row& a, const Row& b) {
    const auto key = [ended](const Row& row) {
      return ended ? std::tuple(row.at_peak, row.reserved, row.resident.value_or(0))
                   : std::tuple(row.resident.value_or(0), row.reserved, row.at_peak);
    };
    return key(a) > key(b);
  });
  return rows;
}

// Less than a hundredth of what the heap held tells nobody anything. JSON has it.
bool IsWorthSaying(const std::vector<const profile::Profile*>& profiles) {
  double heap = 0, mapped = 0;
  for (const profile::Profile* profile : profiles) {
    heap += profile->totals.peak.bytes.value();
    mapped += profile::MappedTotals(*profile).peak.bytes.value();
  }
  return mapped > 0 && mapped * 100 >= heap;
}

std::string RestLine(const std::vector<Row>& rows, const MappedView& view) {
  if (rows.size() <= view.limit) return "";
  uint64_t reserved = 0;
  for (size_t at = view.limit; at < rows.size(); ++at) reserved += rows[at].reserved;
  const size_t count = rows.size() - view.limit;
  return fmt::format("     {} more place{}, {} reserved\n", count, count == 1 ? "" : "s", Bytes(reserved, view.style));
}

}  // namespace

std::string RenderMappedTotals(const profile::Profile& profile, size_t width, NumberStyle style) {
  const profile::Measures totals = profile::MappedTotals(profile);
  if (totals.allocated.objects.proven == 0 || !IsWorthSaying({&profile})) return "";
  std::string text = Bytes(totals.live.bytes.proven, style) + " reserved";
  if (Ended(profile)) text += " at the end";
  if (const std::optional<uint64_t> resident = profile.coverage.mapped_resident_bytes; resident && !Ended(profile)) {
    text += ", " + Bytes(*resident, style) + " of it resident,";
  }
  text += " in " + FormatCounted(totals.live.objects.value(), "mapping", "mappings", style);
  const std::string most = Bytes(totals.peak.bytes.proven, style);
  if (most != Bytes(totals.live.bytes.proven, style)) text += "; most " + most;
  return Labelled("mapped", text, width);
}

std::string RenderMappedPlaces(const std::vector<const profile::Profile*>& profiles, const MappedView& view) {
  if (!IsWorthSaying(profiles)) return "";
  const bool ended = std::all_of(profiles.begin(), profiles.end(), [](const auto* profile) { return Ended(*profile); });
  const std::vector<Place> places =
      RankPlaces(profiles, ended ? analysis::By::kPeak : analysis::By::kLive, ReportTaste(), "mapped");
  const std::vector<Row> rows = RowsOf(places, ended);
  if (rows.empty()) return "";
  const bool known = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.resident.has_value(); });
  std::vector<Column> columns = {{.title = "", .right = true},
                                 {.title = "mapped, not by malloc", .cut = Cut::kEnd},
                                 {.title = "", .cut = Cut::kBeginning, .at_most = view.width / 3},
                                 {.title = ended ? "peak" : "reserved", .right = true}};
  if (ended) columns.push_back({.title = "end", .right = true});
  if (known) columns.push_back({.title = "resident", .right = true});
  columns.push_back({.title = "mappings", .right = true});
  TextTable table(columns);
  for (size_t at = 0; at < std::min(rows.size(), view.limit); ++at) {
    const Place& place = *rows[at].place;
    std::vector<std::string> cells = {std::to_string(at + 1),
                                      place.has_frame ? ShownName(place.frame) : Printable(place.unnamed),
                                      place.has_frame ? ShownPlace(place.frame) : ""};
    if (ended) cells.push_back(Bytes(rows[at].at_peak, view.style));
    cells.push_back(Bytes(rows[at].reserved, view.style));
    if (known) cells.push_back(rows[at].resident ? Bytes(*rows[at].resident, view.style) : "");
    cells.push_back(FormatCount((ended ? place.sum.peak : place.sum.live).objects.value(), view.style));
    table.Add(std::move(cells));
  }
  const char* remark = !known  ? ""
                       : ended ? "     resident: when the process was last looked at\n"
                               : "     ranked by what is resident\n";
  return table.Render(view.width) + RestLine(rows, view) + remark;
}

}  // namespace heaptally::cli
