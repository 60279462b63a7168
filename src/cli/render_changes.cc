#include "cli/render_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/frame_names.h"
#include "cli/measure_option.h"
#include "cli/render_places.h"
#include "cli/text.h"
#include "cli/text_table.h"

namespace heaptally::cli {
namespace {

using analysis::ChangeKind;
using analysis::PlaceChange;
using sampling::Change;

std::string Signed(double value, bool bytes, NumberStyle style) {
  const std::string number = bytes ? FormatBytes(std::abs(value), style) : FormatCount(std::abs(value), style);
  return (value > 0 ? "+" : value < 0 ? "-" : "") + number;
}

// Both ends on one side of 0: without signs, read with the value's; else with them.
std::string Interval(const Change& change, bool bytes, NumberStyle style) {
  if (change.exact) return "";
  const double nowhere = std::numeric_limits<double>::infinity();
  const double lo = change.lo_known ? change.lo : -nowhere, hi = change.hi_known ? change.hi : nowhere;
  if (lo < 0 && hi > 0) {
    const std::string low = change.lo_known ? Signed(lo, bytes, style) : "not known";
    return low + " to " + (change.hi_known ? Signed(hi, bytes, style) : "not known");
  }
  const double near = lo >= 0 ? lo : -hi, far = lo >= 0 ? hi : -lo;
  return bytes ? FormatBytesRange(std::abs(change.v), near, far, style)
               : FormatCountRange(std::abs(change.v), near, far, style);
}

const char* KindWord(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kNew:
      return "new";
    case ChangeKind::kGone:
      return "gone";
    case ChangeKind::kGrown:
      return "grown";
    case ChangeKind::kShrunk:
      return "shrunk";
    case ChangeKind::kNoise:
      return "noise";
    case ChangeKind::kSame:
      return "same";
  }
  return "";
}

// From the change to the word.
RowTone ToneOf(const PlaceChange& place, bool sampled) {
  const bool more = place.kind == ChangeKind::kGrown || place.kind == ChangeKind::kNew;
  const bool less = place.kind == ChangeKind::kShrunk || place.kind == ChangeKind::kGone;
  return {more ? Tone::kGrown : less ? Tone::kShrunk : Tone::kPlain, 3, sampled ? size_t{5} : size_t{4}};
}

std::string Value(const sampling::Estimate& estimate, bool bytes, NumberStyle style) {
  if (!estimate.exact && estimate.n == 0) return "-";  // no sample: that is not 0
  return bytes ? FormatBytes(estimate.v, style) : FormatCount(estimate.v, style);
}

std::string Table(const analysis::Changes& changes, const ChangesView& view) {
  const bool bytes = analysis::RanksBytes(view.by), sampled = !changes.total.change.exact;
  std::vector<Column> columns = {{.title = "", .right = true},
                                 {.title = fmt::format("change of {}", MeasureWords(view.by)), .cut = Cut::kEnd},
                                 {.title = "", .cut = Cut::kBeginning, .at_most = view.width / 3},
                                 {.title = "change", .right = true}};
  if (sampled) columns.push_back({.title = "95 %", .right = true});
  columns.push_back({.title = ""});
  columns.push_back({.title = "before", .right = true});
  columns.push_back({.title = "after", .right = true});
  TextTable table(columns);
  for (size_t at = 0; at < std::min(view.limit, changes.ranked.size()); ++at) {
    const PlaceChange& place = changes.ranked[at];
    std::vector<std::string> cells = {std::to_string(at + 1),
                                      place.has_frame ? ShownName(place.frame) : Printable(place.unnamed),
                                      place.has_frame ? ShownPlace(place.frame) : "",
                                      Signed(place.change.v, bytes, view.style)};
    if (sampled) cells.push_back(Interval(place.change, bytes, view.style));
    cells.push_back(KindWord(place.kind));
    cells.push_back(Value(place.before, bytes, view.style));
    cells.push_back(Value(place.after, bytes, view.style));
    table.Add(std::move(cells), ToneOf(place, sampled));
    if (place.has_caller) table.Add({"", "  < " + ShownName(place.caller), ShownPlace(place.caller)}, {Tone::kDim});
  }
  return table.Render(view.width);
}

std::string RestLines(const analysis::Changes& changes, const ChangesView& view) {
  const bool bytes = analysis::RanksBytes(view.by);
  std::vector<std::string> parts;
  if (changes.ranked.size() > view.limit)
    parts.push_back(fmt::format("{} more (--limit 0 shows all)", changes.ranked.size() - view.limit));
  if (changes.noisy != 0) {
    parts.push_back(fmt::format("noise: {} place{}, {} together", changes.noisy, changes.noisy == 1 ? "" : "s",
                                ChangeWords(changes.noise.change, bytes, view.style)));
  }
  if (changes.same != 0) parts.push_back(fmt::format("{} unchanged", changes.same));
  std::string out;
  for (const std::string& part : parts) out += Wrap("     " + part, view.width, 5) + "\n";
  if (!changes.total.change.exact && !changes.ranked.empty()) {
    out += Wrap("     ranked by the lower end; of 20 places that did not change, about one seems to have changed", view.width, 5) + "\n";
  }
  return out;
}

}  // namespace

std::string ChangeWords(const Change& change, bool bytes, NumberStyle style) {
  const std::string interval = Interval(change, bytes, style);
  return Signed(change.v, bytes, style) + (interval.empty() ? "" : " (" + interval + ")");
}

std::string PlaceWords(const PlaceChange& place) {
  return place.has_frame ? ShownName(place.frame) + " " + ShownPlace(place.frame) : Printable(place.unnamed);
}

std::string RenderChanges(const analysis::Changes& changes, const ChangesView& view) {
  const bool bytes = analysis::RanksBytes(view.by);
  std::string out = Wrap("before: " + Printable(view.before_title), view.width, 10) + "\n" +
                    Wrap("after:  " + Printable(view.after_title), view.width, 10) + "\n" +
                    (view.narrowed.empty() ? "" : Wrap("only:   " + view.narrowed, view.width, 10) + "\n") + "\n";
  const PlaceChange& total = changes.total;
  std::string verdict = total.kind == ChangeKind::kNoise ? "; noise" : total.kind == ChangeKind::kSame ? "; no change" : "";
  // A total since the start goes on; what it was before is no news there.
  out += Wrap(fmt::format("  {}  {} -> {}: {}{}", MeasureName(view.by), WithInterval(total.before, bytes, view.style),
                          WithInterval(total.after, bytes, view.style), ChangeWords(total.change, bytes, view.style),
                          verdict),
              view.width, 8) +
         "\n\n";
  out += changes.ranked.empty() ? fmt::format("  No place has changed beyond noise, by {}.\n", MeasureName(view.by))
                                : Table(changes, view);
  return out + RestLines(changes, view);
}

}  // namespace heaptally::cli
