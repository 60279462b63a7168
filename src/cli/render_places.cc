#include "cli/render_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "cli/frame_names.h"
#include "cli/text.h"
#include "cli/text_table.h"

namespace heaptally::cli {
namespace {

using analysis::By;
using analysis::Place;
using sampling::Estimate;

std::string Number(const Estimate& estimate, bool bytes, NumberStyle style) {
  if (!estimate.known) return "-";
  return bytes ? FormatBytes(estimate.v, style) : FormatCount(estimate.v, style);
}

const char* BesideTitle(By by) {
  switch (by) {
    case By::kLive:
    case By::kPeak:
      return "objects";
    case By::kCalls:
      return "bytes";
    case By::kChurn:
    case By::kTemporary:
      return "calls";
  }
  return "";
}

const char* RankedTitle(By by) {
  if (analysis::RanksBytes(by)) return "bytes";
  return by == By::kCalls ? "calls" : "temporary";
}

// The last column: what tells most about this kind of number.
const char* LastTitle(By by) { return by == By::kLive ? "oldest" : by == By::kPeak ? "" : "temp."; }

std::string LastCell(const Place& place, By by) {
  if (by == By::kLive) return place.oldest_ns ? FormatDuration(static_cast<double>(*place.oldest_ns) / 1e9) : "";
  if (by == By::kPeak) return "";
  return FormatShare(place.sum.temporary.value(), place.sum.allocated.objects.value());
}

struct Layout {
  bool interval = false;
  bool share = false;
  bool last = false;
};

std::vector<Column> Columns(const PlacesView& view, const Layout& layout) {
  std::vector<Column> columns = {{.title = "", .right = true},
                                 {.title = view.by_words, .cut = Cut::kFunction},
                                 {.title = "", .cut = Cut::kBeginning, .at_most = view.width / 3},
                                 {.title = RankedTitle(view.by), .right = true}};
  if (layout.share) columns.push_back({.title = "share", .right = true});
  if (layout.interval) columns.push_back({.title = "95 %", .right = true});
  columns.push_back({.title = BesideTitle(view.by), .right = true});
  if (layout.last) columns.push_back({.title = LastTitle(view.by), .right = true});
  return columns;
}

void AddRow(size_t rank, const Place& place, double whole, const PlacesView& view, const Layout& layout,
            TextTable* table) {
  const bool bytes = analysis::RanksBytes(view.by);
  const Estimate ranked = Ranked(place.sum, view.by);
  std::vector<std::string> cells = {std::to_string(rank),
                                    place.has_frame ? ShownName(place.frame) : Printable(place.unnamed),
                                    place.has_frame ? ShownPlace(place.frame) : "", Number(ranked, bytes, view.style)};
  if (layout.share) cells.push_back(FormatShare(ranked.v, whole));
  if (layout.interval) cells.push_back(IntervalCell(ranked, bytes, view.style));
  cells.push_back(Number(Beside(place.sum, view.by), view.by == By::kCalls, view.style));
  if (layout.last) cells.push_back(LastCell(place, view.by));
  table->Add(std::move(cells), {ToneOfShare(ranked.v, whole)});
  if (!place.has_caller) return;
  const std::string others = place.callers > 1 ? fmt::format(" +{}", place.callers - 1) : "";
  table->Add({"", "  < " + ShownName(place.caller) + others, ShownPlace(place.caller)}, {Tone::kDim});
}

// What is not in the table: the rest of the places, and the sites that no sample has hit.
std::string RestLine(const std::vector<Place>& places, const std::vector<const profile::Profile*>& profiles,
                     const PlacesView& view, bool sampled) {
  const bool bytes = analysis::RanksBytes(view.by);
  std::vector<std::string> parts;
  if (places.size() > view.limit) {
    profile::Measures rest;
    for (size_t at = view.limit; at < places.size(); ++at) rest += places[at].sum;
    const size_t count = places.size() - view.limit;
    parts.push_back(fmt::format("{} more place{}, {}", count, count == 1 ? "" : "s",
                                Number(Ranked(rest, view.by), bytes, view.style)));
  }
  if (sampled && view.by == By::kLive) {
    sampling::UnseenSites unseen;
    double period = 0;
    for (const profile::Profile* profile : profiles) {
      period = std::max(period, profile->totals.period);
      for (const profile::Site& site : profile->sites) {
        if (!site.mapped()) unseen.AddSite(profile::MomentsOf(site.measures.live.bytes));
      }
    }
    parts.push_back("stacks without a sample: " + WithInterval(unseen.Bytes(period), true, view.style) + " together");
  }
  const std::string rest =
      parts.empty() ? "" : Wrap(fmt::format("     {}", fmt::join(parts, "; ")), view.width, 5) + "\n";
  return (sampled && places.size() > 1 ? "     ranked by the lower end of the interval\n" : "") + rest;
}

// Whether a note says it already, with its share and what works.
bool IsNoted(const analysis::StackFrame& frame, const std::vector<const profile::Profile*>& profiles) {
  const std::string words = "without names in " + frame.module + ":";
  return std::any_of(profiles.begin(), profiles.end(), [&](const profile::Profile* profile) {
    return std::any_of(profile->notes.begin(), profile->notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
  });
}

void NoteNameless(const analysis::StackFrame& frame, const std::vector<const profile::Profile*>& profiles,
                  std::set<std::string>* said) {
  if (!frame.function.empty() || frame.why.empty() || IsNoted(frame, profiles)) return;
  const std::string module = frame.module.empty() ? "" : frame.module.substr(frame.module.rfind('/') + 1) + ": ";
  said->insert(Printable(module + frame.why));
}

// Why some of the rows shown have no name.
std::string NamelessLines(const std::vector<Place>& places, const std::vector<const profile::Profile*>& profiles,
                          const PlacesView& view) {
  constexpr size_t kMost = 3;
  std::set<std::string> said;
  for (size_t at = 0; at < std::min(places.size(), view.limit); ++at) {
    if (places[at].has_frame) NoteNameless(places[at].frame, profiles, &said);
    if (places[at].has_caller) NoteNameless(places[at].caller, profiles, &said);
  }
  std::string out;
  size_t lines = 0;
  for (const std::string& why : said) {
    if (lines++ < kMost) out += Wrap("     no names in " + why, view.width, 7) + "\n";
  }
  return out;
}

}  // namespace

std::string IntervalCell(const Estimate& estimate, bool bytes, NumberStyle style) {
  if (estimate.exact) return "";
  const double hi = estimate.hi_known ? estimate.hi : std::numeric_limits<double>::infinity();
  return bytes ? FormatBytesRange(estimate.v, estimate.lo, hi, style)
               : FormatCountRange(estimate.v, estimate.lo, hi, style);
}

std::string WithInterval(const Estimate& estimate, bool bytes, NumberStyle style) {
  if (!estimate.exact && estimate.n == 0) {  // no sample: not nothing, but below this
    if (!estimate.hi_known) return "not known";
    return "below " + (bytes ? FormatBytes(estimate.hi, style) : FormatCount(estimate.hi, style));
  }
  const std::string interval = IntervalCell(estimate, bytes, style);
  return Number(estimate, bytes, style) + (interval.empty() ? "" : " (" + interval + ")");
}

std::string RenderPlaces(const std::vector<const profile::Profile*>& profiles, const PlacesView& view) {
  const std::vector<Place> places = RankPlaces(profiles, view.by, ReportTaste());
  if (places.empty()) return "";
  profile::Measures whole;
  bool sampled = false;
  for (const profile::Profile* profile : profiles) {
    for (const profile::Site& site : profile->sites) {
      if (!site.mapped()) whole += site.measures;
    }
    sampled = sampled || !IsExact(profile->totals);
  }
  const bool aged =
      std::any_of(places.begin(), places.end(), [](const Place& place) { return place.oldest_ns.has_value(); });
  const Layout layout = {.interval = sampled,
                         .share = !sampled || view.width >= 100,
                         .last = view.by == By::kLive ? aged : *LastTitle(view.by) != '\0'};
  TextTable table(Columns(view, layout));
  const double all = Ranked(whole, view.by).v;
  for (size_t at = 0; at < std::min(places.size(), view.limit); ++at)
    AddRow(at + 1, places[at], all, view, layout, &table);
  return table.Render(view.width) + RestLine(places, profiles, view, sampled) + NamelessLines(places, profiles, view);
}

}  // namespace heaptally::cli
