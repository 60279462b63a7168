#include "cli/render_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/render_account.h"
#include "cli/render_mapped.h"
#include "cli/render_places.h"
#include "cli/render_summary.h"
#include "cli/render_tree.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

using analysis::By;
using profile::Profile;

std::string Heading(const Profile& profile, size_t width, NumberStyle style) {
  const std::string command = profile.argv.empty() ? profile.exe : ShellQuoted(profile.argv);
  const double seconds = profile.taken_unix_ns > profile.started_unix_ns
                             ? static_cast<double>(profile.taken_unix_ns - profile.started_unix_ns) / 1e9
                             : 0;
  const std::string cut = FitName(Printable(command), std::min(Width(command), width * 2));
  return Wrap(fmt::format("{} (pid {}), {}, {}; {}", cut, profile.pid != 0 ? std::to_string(profile.pid) : "not known",
                          FormatDuration(seconds), StateWords(profile), ModeWords(profile, style)),
              width, 2) +
         "\n\n";
}

// What was seen from outside, where somebody looked.
std::string ResidentLine(const Profile& profile, const ReportView& view) {
  if (!profile.coverage.rss_bytes) return "";
  std::string text = FormatBytes(static_cast<double>(*profile.coverage.rss_bytes), view.style);
  const uint64_t seen = profile.coverage.as_of_unix_ns.value_or(0);
  if (seen != 0 && seen < profile.taken_unix_ns) {
    text += ", last seen " + FormatDuration(static_cast<double>(profile.taken_unix_ns - seen) / 1e9) +
            (profile.state == profile::State::kRunning ? " ago" : " before the end");
  }
  const std::string parts = AccountWords(profile.coverage, view.style);
  return Labelled("RSS", text + (parts.empty() ? "" : " = " + parts), view.width);
}

struct RankedSite {
  sampling::Estimate rank;
  const Profile* profile;
  const profile::Site* site;
};

std::string RenderSites(const std::vector<const Profile*>& profiles, const ReportView& view) {
  std::vector<RankedSite> order;
  for (const Profile* profile : profiles) {
    for (const profile::Site& site : profile->sites) {
      if (site.mapped()) continue;
      const sampling::Estimate rank = Ranked(site.measures, view.by);
      if (rank.v > 0) order.push_back({rank, profile, &site});
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return RanksBefore(a.rank, b.rank); });
  std::string out;
  for (size_t at = 0; at < std::min(order.size(), view.limit); ++at) {
    out += fmt::format("{}. ", at + 1) + RenderSite(*order[at].profile, *order[at].site, view) + "\n";
  }
  if (order.size() > view.limit)
    out += fmt::format("  {} more stacks (--limit 0 shows all)\n", order.size() - view.limit);
  return out;
}

std::string NothingToShow(const std::vector<Profile>& profiles, const ReportView& view) {
  std::string text = fmt::format("  Nothing to show by {}: no block that was seen counts there.", ByWords(view.by));
  if (view.by == By::kLive && analysis::UsualView(profiles) == By::kPeak)
    text += " --by peak shows what was live at the peak.";
  return Wrap(text, view.width, 2) + "\n";
}

}  // namespace

std::string StateWords(const Profile& profile) {
  switch (profile.state) {
    case profile::State::kRunning:
      return "running";
    case profile::State::kExecd:
      return "executed another program";
    case profile::State::kKilled:
      return profile.exit.signal ? KilledBy(*profile.exit.signal) : "killed";
    case profile::State::kExited:
      return profile.exit.status ? fmt::format("exit status {}", *profile.exit.status) : "ended";
    default:
      return "ended, it is not known how";
  }
}

const char* ByWords(By by) {
  switch (by) {
    case By::kLive:
      return "live";
    case By::kPeak:
      return "live at the peak";
    case By::kChurn:
      return "churn (bytes)";
    case By::kCalls:
      return "allocations";
    case By::kTemporary:
      return "temporary";
  }
  return "";
}

std::string RenderReport(const std::vector<Profile>& profiles, const ReportView& view) {
  std::vector<const Profile*> all;
  for (const Profile& profile : profiles) all.push_back(&profile);
  const std::string narrowed = view.narrowed.empty() ? "" : Wrap("  " + view.narrowed, view.width, 4) + "\n\n";
  std::string out = all.size() == 1 ? Heading(*all[0], view.width, view.style) + narrowed +
                                          RenderTotals(*all[0], view.width, view.style) +
                                          RenderMappedTotals(*all[0], view.width, view.style) +
                                          ResidentLine(*all[0], view)
                                    : narrowed + RenderTree(all, view.width, view.style);
  out += "\n";
  const std::string body = view.body   ? *view.body
                           : view.full ? RenderSites(all, view)
                                     : RenderPlaces(all, {.by = view.by,
                                                          .width = view.width,
                                                          .limit = view.limit,
                                                          .style = view.style,
                                                          .by_words = ByWords(view.by)});
  out += body.empty() ? NothingToShow(profiles, view) : body;
  if (view.by_itself && view.by == By::kPeak)
    out += "     most was freed since, so this is the peak; --by live shows what is left\n";
  if (!out.ends_with("\n\n")) out += "\n";
  const std::string mapped =
      view.body ? "" : RenderMappedPlaces(all, {.width = view.width, .limit = view.limit, .style = view.style});
  if (!mapped.empty()) out += mapped + "\n";
  if (!view.suppressed.empty()) out += view.suppressed + "\n";
  out += ProfileNotes(all, view.width);
  return out + NotSeenLines(all, view.width, {}, view.style);
}

}  // namespace heaptally::cli
