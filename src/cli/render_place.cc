#include "cli/render_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/histograms.h"
#include "cli/frame_names.h"
#include "cli/render_histogram.h"
#include "cli/render_places.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

using analysis::Place;
using analysis::PlaceSite;

// "cache::insert  cache.cc:88 < Server::put  server.cc:410 < main": from the place on, without plumbing, of its largest
// stack.
std::string Chain(const Place& place, size_t width) {
  if (!place.has_frame) return Printable(place.unnamed) + "\n";
  const analysis::FrameTaste taste = ReportTaste();
  const auto stack = analysis::SourceStack(*place.sites[0].profile, *place.sites[0].site);
  std::vector<std::string> parts;
  for (size_t at = analysis::PlaceFrame(stack, taste); at < stack.size(); ++at) {
    if (!parts.empty() && taste.is_plumbing(stack[at])) continue;
    const std::string where = ShownPlace(stack[at]);
    parts.push_back((parts.empty() ? "" : "< ") + ShownName(stack[at]) + (where.empty() ? "" : "  " + where));
  }
  constexpr size_t kMost = 8;
  if (parts.size() > kMost) {
    parts.resize(kMost);
    parts.push_back("< …");
  }
  return WrapParts(parts, width, 5) + "\n";
}

// "threads: worker-# (62 %), main (38 %)"; "" where it is not known.
std::string Threads(const Place& place, analysis::By by) {
  std::map<std::string, double> values;
  double all = 0;
  for (const PlaceSite& one : place.sites) {
    const double value = analysis::RankedAmount(one.site->measures, by).value();
    values[one.site->thread] += value;
    all += value;
  }
  if (values.size() == 1 && values.begin()->first.empty()) return "";
  std::vector<std::pair<std::string, double>> order(values.begin(), values.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = order.size() == 1 ? "thread:" : "threads:";
  constexpr size_t kMost = 5;
  for (size_t at = 0; at < std::min(order.size(), kMost); ++at) {
    const std::string name = order[at].first.empty() ? "not known" : Printable(order[at].first);
    out += fmt::format("{} {}", at > 0 ? "," : "", name);
    if (order.size() > 1) out += " (" + FormatShare(order[at].second, all) + ")";
  }
  return order.size() > kMost ? out + fmt::format(" and {} more", order.size() - kMost) : out;
}

std::string Stacks(const Place& place, const ReportView& view) {
  constexpr size_t kMost = 3;
  const size_t most = view.full ? place.sites.size() : std::min(kMost, place.sites.size());
  const bool bytes = analysis::RanksBytes(view.by);
  std::string out;
  for (size_t at = 0; at < most; ++at) {
    const PlaceSite& one = place.sites[at];
    const sampling::Estimate part = Ranked(one.site->measures, view.by);
    out += fmt::format("\n     {} of {} stack{}{}: {}\n     ", at + 1, place.sites.size(),
                       place.sites.size() == 1 ? "" : "s",
                       one.site->thread.empty() ? "" : ", thread " + Printable(one.site->thread),
                       WithInterval(part, bytes, view.style));
    out += StackLines(*one.profile, *one.site, view.width);
  }
  if (most < place.sites.size()) out += "     (--full shows all stacks)\n";
  return out;
}

}  // namespace

std::string RenderPlace(const Place& place, const ReportView& view) {
  std::vector<profile::Bucket> sizes, lifetimes;
  for (const PlaceSite& one : place.sites) {
    analysis::AddHistogram(one.site->sizes, &sizes);
    analysis::AddHistogram(one.site->lifetimes_ns, &lifetimes);
  }
  std::string out = "  " + Chain(place, view.width - 2);
  out += Wrap(MeasuresSentence(place.sum, place.oldest_ns, view.style), view.width, 7) + "\n";
  if (const std::string threads = Threads(place, view.by); !threads.empty())
    out += Wrap("     " + threads, view.width, 7) + "\n";
  out += SizeHistogram(sizes, view.width, view.style) + LifetimeHistogram(lifetimes, place.sum.live.objects.value());
  return out + Stacks(place, view);
}

}  // namespace heaptally::cli
