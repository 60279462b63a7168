// One site in full: the stack, what it allocated, how large the blocks were and how long they lived.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/source_stack.h"
#include "cli/frame_names.h"
#include "cli/render_places.h"
#include "cli/render_report.h"
#include "cli/text.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

constexpr size_t kLabelColumns = 19;  // of a histogram, with the blanks before it

const char* Bar(double share) {
  if (share <= 0) return ".";
  static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  return kBars[std::min<size_t>(7, static_cast<size_t>(share * 8))];
}

std::string ShortBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"", "K", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  while (bytes >= 1024 && unit < 6) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + kUnits[unit];
}

std::string PlainBytes(uint64_t bytes) { return std::to_string(bytes); }

std::string ShortTime(uint64_t ns) {
  if (ns < 1000) return std::to_string(ns) + "ns";
  if (ns < 1'000'000) return std::to_string(ns / 1000) + "us";
  if (ns < 1'000'000'000) return std::to_string(ns / 1'000'000) + "ms";
  return std::to_string(ns / 1'000'000'000) + "s";
}

// Two lines: the lower edges of the buckets, and bars under them. Neighbours are joined where there are more than fit.
std::string Histogram(const char* label, const std::vector<profile::Bucket>& buckets, size_t width,
                      std::string (*edge)(uint64_t)) {
  if (buckets.empty()) return "";
  size_t cell = 5;  // with at least one blank between neighbours
  for (const profile::Bucket& bucket : buckets) cell = std::max(cell, Width(edge(bucket.from)) + 1);
  const size_t most_bars = std::max<size_t>(1, (std::min<size_t>(width, 120) - kLabelColumns) / cell);
  const size_t join = (buckets.size() + most_bars - 1) / most_bars;
  std::vector<std::pair<uint64_t, double>> bars;
  for (size_t at = 0; at < buckets.size(); ++at) {
    if (at % join == 0) bars.emplace_back(buckets[at].from, 0);
    bars.back().second += buckets[at].objects.value();
  }
  double most = 0;
  for (const auto& [from, objects] : bars) most = std::max(most, objects);
  std::string edges, marks;
  for (const auto& [from, objects] : bars) {
    edges += PadLeft(edge(from), cell);
    marks += std::string(cell - 1, ' ') + std::string(Bar(most > 0 ? objects / most * 0.999 : 0));
  }
  return fmt::format("     {:<14}{}\n{}{}\n", label, edges, std::string(kLabelColumns, ' '), marks);
}

std::string Numbers(const profile::Site& site, NumberStyle style) {
  const profile::Measures& m = site.measures;
  const double objects = m.live.objects.value();
  const auto count = [style](const profile::Amount& amount) { return FormatCount(amount.value(), style); };
  std::string out = fmt::format(
      "     live {}{}; peak {}; allocated {} in {}, freed {}",
      WithInterval(BytesEstimate(m, m.live.bytes), true, style),
      objects > 0 || IsExact(m) ? " in " + FormatCounted(objects, "object", "objects", style) : "",
      WithInterval(PeakBytesEstimate(m), true, style), WithInterval(BytesEstimate(m, m.allocated.bytes), true, style),
      FormatCounted(m.allocated.objects.value(), "call", "calls", style), count(m.freed.objects));
  if (m.reallocs.value() > 0)
    out += fmt::format("; {}, {} in place", FormatCounted(m.reallocs.value(), "realloc", "reallocs", style),
                       count(m.reallocs_in_place));
  if (m.temporary.value() > 0) out += fmt::format("; {} temporary", count(m.temporary));
  if (site.oldest_ns) out += "; oldest " + FormatDuration(static_cast<double>(*site.oldest_ns) / 1e9);
  return out;
}

// Name and place on one line if they fit, else the place on a line of its own.
std::string FrameLines(const std::string& lead, const analysis::StackFrame& frame, size_t width) {
  const std::string name = lead + ShownWholeName(frame);
  const std::string place = ShownWholePlace(frame);
  if (place.empty()) return Wrap(name, width, 9) + "\n";
  if (Width(name) + 2 + Width(place) + 3 <= width) return name + "  " + place + "\n";
  return Wrap(name, width, 9) + "\n" + Wrap("         " + place, width, 9) + "\n";
}

}  // namespace

std::string RenderSite(const profile::Profile& profile, const profile::Site& site, const ReportView& view) {
  std::string out;
  bool first = true;
  for (const analysis::StackFrame& frame : analysis::SourceStack(profile, site)) {
    out += FrameLines(first ? "" : "     < ", frame, view.width);
    first = false;
  }
  if (first) out += site.other ? "other (no room to book it where it belongs)\n" : "no stack\n";
  if (site.truncated)
    out += "     < … cut: " + (site.truncated_why.empty() ? "callers are missing" : site.truncated_why) + "\n";
  out += Wrap(Numbers(site, view.style), view.width, 7) + "\n";
  return out + Histogram("size from", site.sizes, view.width, view.style.plain ? PlainBytes : ShortBytes) +
         Histogram("lifetime from", site.lifetimes_ns, view.width, ShortTime);
}

}  // namespace heaptally::cli
