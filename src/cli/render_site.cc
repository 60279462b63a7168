// One site in full: the stack, what it allocated, how large the blocks were and how long they lived.
#include <fmt/format.h>

#include "analysis/source_stack.h"
#include "cli/frame_names.h"
#include "cli/render_histogram.h"
#include "cli/render_places.h"
#include "cli/render_report.h"
#include "cli/text.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

}  // namespace

std::string MeasuresSentence(const profile::Measures& m, std::optional<uint64_t> oldest_ns, NumberStyle style) {
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
  if (oldest_ns) out += "; oldest " + FormatDuration(static_cast<double>(*oldest_ns) / 1e9);
  return out;
}

namespace {

// Name and place on one line if they fit, if need be with the place's beginning cut; else the place has a line of its own.
std::string FrameLines(const std::string& lead, const analysis::StackFrame& frame, size_t width) {
  const std::string name = lead + ShownWholeName(frame);
  const std::string place = ShownWholePlace(frame);
  if (place.empty()) return Wrap(name, width, 9) + "\n";
  // The first one's lead, of up to five columns, stands there already.
  const size_t begin = Width(name) + 2 + (lead.empty() ? 5 : 0);
  const size_t slash = place.rfind('/'), folder = slash == std::string::npos || slash == 0 ? 0 : place.rfind('/', slash - 1);
  const size_t least = folder == std::string::npos ? Width(place) : Width(place) - folder + 1;
  if (begin + std::min(Width(place), least) <= width)
    return name + "  " + (begin + Width(place) <= width ? place : FitPath(place, width - begin)) + "\n";
  const std::string below = 9 + Width(place) <= width || frame.file.empty() ? place : FitPath(place, width - 9);
  return Wrap(name, width, 9) + "\n" + Wrap("         " + below, width, 9) + "\n";
}

}  // namespace

std::string StackLines(const profile::Profile& profile, const profile::Site& site, size_t width) {
  std::string out;
  bool first = true;
  for (const analysis::StackFrame& frame : analysis::SourceStack(profile, site)) {
    out += FrameLines(first ? "" : "     < ", frame, width);
    first = false;
  }
  if (first) {
    out += site.other                   ? "other (no room to book it where it belongs)\n"
           : site.truncated_why.empty() ? "no stack\n"
                                        : "no stack: " + site.truncated_why + "\n";
  }
  if (site.truncated)
    out += "     < … cut: " + (site.truncated_why.empty() ? "callers are missing" : site.truncated_why) + "\n";
  return out;
}

std::string RenderSite(const profile::Profile& profile, const profile::Site& site, const ReportView& view) {
  std::string out = StackLines(profile, site, view.width);
  out += Wrap(MeasuresSentence(site.measures, site.oldest_ns, view.style), view.width, 7) + "\n";
  return out + SizeHistogram(site.sizes, view.width, view.style) +
         LifetimeHistogram(site.lifetimes_ns, site.measures.live.objects.value());
}

}  // namespace heaptally::cli
