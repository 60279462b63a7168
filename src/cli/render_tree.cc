#include "cli/render_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/ranking.h"
#include "cli/render_places.h"
#include "cli/text.h"
#include "cli/text_table.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

using profile::Profile;

constexpr size_t kPrograms = 5;
constexpr size_t kProcesses = 5;

std::string Program(const Profile& profile) {
  const std::string name = profile.exe.substr(profile.exe.rfind('/') + 1);
  return name.empty() ? "(not known)" : Printable(name);
}

// A sampled number without a sample is not 0: it is below the upper end of its interval.
std::string OneNumber(const sampling::Estimate& estimate, NumberStyle style) {
  if (!estimate.known) return "-";
  if (!estimate.exact && estimate.n == 0 && estimate.hi > 0) return "<" + FormatBytes(estimate.hi, style);
  return FormatBytes(estimate.v, style);
}

std::string OneCount(const profile::Amount& amount, bool exact, NumberStyle style) {
  return !exact && amount.samples == 0 ? "?" : FormatCount(amount.value(), style);
}

struct ProgramSum {
  std::string name;
  size_t images = 0;
  profile::Measures sum;
  sampling::Estimate largest_peak;
};

std::vector<ProgramSum> ByProgram(const std::vector<const Profile*>& profiles) {
  std::map<std::string, ProgramSum> sums;
  for (const Profile* profile : profiles) {
    ProgramSum& sum = sums[Program(*profile)];
    sum.name = Program(*profile);
    ++sum.images;
    sum.sum += profile->totals;
    const sampling::Estimate peak = analysis::ProcessPeak(profile->totals);
    if (sum.images == 1 || peak.v > sum.largest_peak.v) sum.largest_peak = peak;
  }
  std::vector<ProgramSum> out;
  for (auto& [name, sum] : sums) out.push_back(std::move(sum));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.sum.allocated.bytes.value() > b.sum.allocated.bytes.value();
  });
  return out;
}

std::string RenderPrograms(const std::vector<ProgramSum>& programs, size_t width, NumberStyle style) {
  TextTable table({{.title = "by program", .cut = Cut::kEnd},
                   {.title = "images", .right = true},
                   {.title = "churn", .right = true},
                   {.title = "calls", .right = true},
                   {.title = "live at end", .right = true},
                   {.title = "largest peak", .right = true}});
  for (size_t at = 0; at < std::min(programs.size(), kPrograms); ++at) {
    const ProgramSum& one = programs[at];
    table.Add({one.name, FormatCount(static_cast<double>(one.images), style),
               OneNumber(BytesEstimate(one.sum, one.sum.allocated.bytes), style),
               OneCount(one.sum.allocated.objects, IsExact(one.sum), style),
               OneNumber(BytesEstimate(one.sum, one.sum.live.bytes), style), OneNumber(one.largest_peak, style)});
  }
  std::string out = table.Render(width);
  if (programs.size() > kPrograms) out += fmt::format("  {} more programs\n", programs.size() - kPrograms);
  return out;
}

// Arguments tell one cc1plus from another.
std::string Arguments(const Profile& profile) {
  std::vector<std::string> rest(profile.argv.begin() + (profile.argv.empty() ? 0 : 1), profile.argv.end());
  return Printable(ShellQuoted(rest));
}

std::string RenderLargest(const std::vector<const Profile*>& profiles, size_t width, NumberStyle style) {
  std::vector<std::pair<sampling::Estimate, const Profile*>> order;
  for (const Profile* profile : profiles) order.emplace_back(analysis::ProcessPeak(profile->totals), profile);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return RanksBefore(a.first, b.first); });
  TextTable table({{.title = "largest processes", .cut = Cut::kEnd, .at_most = width / 4},
                   {.title = "", .cut = Cut::kEnd},
                   {.title = "pid", .right = true},
                   {.title = "peak", .right = true},
                   {.title = "live at end", .right = true},
                   {.title = "churn", .right = true}});
  for (size_t at = 0; at < std::min(order.size(), kProcesses); ++at) {
    const Profile& one = *order[at].second;
    table.Add({Program(one), Arguments(one), one.pid != 0 ? std::to_string(one.pid) : "?",
               OneNumber(order[at].first, style), OneNumber(BytesEstimate(one.totals, one.totals.live.bytes), style),
               OneNumber(BytesEstimate(one.totals, one.totals.allocated.bytes), style)});
  }
  return table.Render(width);
}

std::string RenderSum(const std::vector<const Profile*>& profiles, size_t width, NumberStyle style) {
  profile::Measures sum;
  std::set<int32_t> pids;
  for (const Profile* profile : profiles) {
    sum += profile->totals;
    pids.insert(profile->pid);
  }
  const double calls = sum.allocated.objects.value();
  const std::string images = fmt::format("{} images in {}: ", profiles.size(),
                                         FormatCounted(static_cast<double>(pids.size()), "process", "processes", style));
  if (!sum.bytes_known) {
    return Wrap("  " + images + WithInterval(ObjectsEstimate(sum, sum.allocated.objects), false, style) +
                    " calls; live at the end of each " +
                    WithInterval(ObjectsEstimate(sum, sum.live.objects), false, style) +
                    " objects; bytes are not known in mode count",
                width, 4) +
           "\n";
  }
  std::string text = fmt::format(
      "{}churn {}{}; live at the end of each {}", images,
      WithInterval(BytesEstimate(sum, sum.allocated.bytes), true, style),
      calls == 0 && !IsExact(sum) ? ": not one sample" : " in " + FormatCounted(calls, "call", "calls", style),
      WithInterval(BytesEstimate(sum, sum.live.bytes), true, style));
  if (profiles.size() > kProcesses) text += " (heaptally report --json lists them all)";
  return Wrap("  " + text, width, 4) + "\n";
}

}  // namespace

std::string RenderTree(const std::vector<const Profile*>& profiles, size_t width, NumberStyle style) {
  std::string out = RenderSum(profiles, width, style);
  const std::vector<ProgramSum> programs = ByProgram(profiles);
  if (programs.size() > 1) out += "\n" + RenderPrograms(programs, width, style);
  return out + "\n" + RenderLargest(profiles, width, style);
}

std::string StillRunning(const std::vector<const Profile*>& profiles, int started_pid, size_t width) {
  std::string out;
  size_t more = 0;
  for (const Profile* profile : profiles) {
    if (profile->state != profile::State::kRunning || profile->pid == started_pid) continue;
    if (std::count(out.begin(), out.end(), '\n') >= 3) {
      ++more;
      continue;
    }
    out += Wrap(fmt::format("  still running, and profiled: {} (pid {}): heaptally report {}", Program(*profile),
                            profile->pid, profile->pid),
                width, 4) +
           "\n";
  }
  return more == 0 ? out : out + fmt::format("  and {} more: heaptally ls\n", more);
}

}  // namespace heaptally::cli
