#include "cli/render_histogram.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/histograms.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

constexpr size_t kLabelColumns = 14;  // with the blanks before it

struct Bar {
  std::string edge;
  double objects;
};

const char* Mark(double share) {
  if (share <= 0) return ".";
  static constexpr const char* kMarks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  return kMarks[std::min<size_t>(7, static_cast<size_t>(share * 8))];
}

std::string ShortBytes(uint64_t bytes, NumberStyle style) {
  static constexpr const char* kUnits[] = {"", "K", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  while (!style.plain && bytes >= 1024 && unit < 6) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + kUnits[unit];
}

// Two lines without their ends.
std::pair<std::string, std::string> Lines(const char* label, const std::vector<Bar>& bars) {
  size_t cell = 5;  // with at least one blank between neighbours
  double most = 0;
  for (const Bar& bar : bars) {
    cell = std::max(cell, Width(bar.edge) + 1);
    most = std::max(most, bar.objects);
  }
  std::string edges = "     " + FitName(label, kLabelColumns - 5), marks(kLabelColumns, ' ');
  for (const Bar& bar : bars) {
    edges += PadLeft(bar.edge, cell);
    marks += std::string(cell - 1, ' ') + Mark(most > 0 ? bar.objects / most * 0.999 : 0);
  }
  return {edges, marks};
}

// "64-127 B", "4.00-7.99 KiB": the class, or one size where it has only one.
std::string RangeWords(uint64_t from, uint64_t to, NumberStyle style) {
  if (from == to) return FormatBytes(static_cast<double>(from), style);
  return FormatBytes(static_cast<double>(from), style) + " to " + FormatBytes(static_cast<double>(to) + 1, style);
}

std::string MainWords(const std::vector<profile::Bucket>& sizes, NumberStyle style) {
  const std::vector<analysis::MainSize> main = analysis::MainSizes(sizes);
  if (main.empty() || (main.size() == 1 && main[0].share > 0.995)) return "";
  std::string out = main.size() == 1 ? "mostly" : main.size() == 2 ? "two sizes:" : "three sizes:";
  for (size_t at = 0; at < main.size(); ++at)
    out += fmt::format("{} {} ({})", at > 0 ? "," : "", RangeWords(main[at].from, main[at].to, style),
                       FormatShare(main[at].share, 1));
  return out;
}

}  // namespace

std::string SizeHistogram(const std::vector<profile::Bucket>& sizes, size_t width, NumberStyle style) {
  if (sizes.empty()) return "";
  const std::vector<profile::Bucket> filled = analysis::WithoutGaps(sizes);
  const size_t cell = style.plain ? 12 : 6;
  const size_t most_bars = std::max<size_t>(1, (std::min<size_t>(width, 120) - kLabelColumns) / cell);
  const size_t join = (filled.size() + most_bars - 1) / most_bars;  // neighbours, where there are more than fit
  std::vector<Bar> bars;
  for (size_t at = 0; at < filled.size(); ++at) {
    if (at % join == 0) bars.push_back({ShortBytes(filled[at].from, style), 0});
    bars.back().objects += filled[at].objects.value();
  }
  const auto [edges, marks] = Lines("size", bars);
  const std::string words = MainWords(sizes, style);
  if (words.empty()) return edges + "\n" + marks + "\n";
  if (Width(edges) + 4 + Width(words) <= width) return edges + "    " + words + "\n" + marks + "\n";
  const std::string below = Wrap(std::string(kLabelColumns + 1, ' ') + words, width, kLabelColumns + 1);
  return edges + "\n" + marks + "\n" + below + "\n";
}

std::string LifetimeHistogram(const std::vector<profile::Bucket>& lifetimes_ns, double live) {
  if (lifetimes_ns.empty() && live <= 0) return "";
  static constexpr const char* kEdges[analysis::kDecades] = {"<1us", "1us",  "10us", ".1ms", "1ms",
                                                             "10ms", ".1s", "1s",   "10s"};
  const std::vector<double> decades = analysis::LifetimeDecades(lifetimes_ns);
  std::vector<Bar> bars;
  for (size_t at = 0; at < decades.size(); ++at) bars.push_back({kEdges[at], decades[at]});
  bars.push_back({"live", live});
  const auto [edges, marks] = Lines("lifetime", bars);
  return edges + "\n" + marks + "\n";
}

}  // namespace heaptally::cli
