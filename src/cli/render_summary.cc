#include "cli/render_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/render_account.h"
#include "cli/render_mapped.h"
#include "cli/render_places.h"
#include "cli/render_tree.h"
#include "cli/text.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

constexpr size_t kFixedRows = 13;  // heading, totals, titles, rest, notes, next

std::string EndingWords(const collect::Ending& ending) {
  if (!ending.signalled) return fmt::format("exit status {}", ending.status);
  return KilledBy(ending.status) + (ending.core_dumped ? " (core dumped)" : "");
}

// The program as it was typed, cut so that the heading stays a heading.
std::string CommandWords(const RunFacts& facts, size_t width) {
  const std::string words = ShellQuoted(facts.command);
  const size_t room = std::max<size_t>(width, 40) - 30;
  std::string cut = FitName(Printable(words), std::min(room, Width(words)));
  return cut;
}

std::string Heading(const RunFacts& facts, const profile::Profile& first, size_t width) {
  std::vector<std::string> parts = {"heaptally  " + CommandWords(facts, width), fmt::format("(pid {}),", facts.pid),
                                    FormatDuration(facts.seconds) + ",", EndingWords(facts.ending) + ";",
                                    ModeWords(first)};
  if (!facts.capture.empty()) {
    parts.back() += ";";
    parts.push_back("capture: " + Printable(facts.capture));
  }
  return WrapParts(parts, width, 11) + "\n\n";
}

// What the kernel says, beside what malloc says: they never agree, and the difference is named, not explained away.
// An account, of one moment, says more than the last look, which may be a little later.
std::string ResidentLine(const RunFacts& facts, const profile::Coverage& coverage, bool tree, size_t width) {
  const std::string label = tree ? "RSS of " + std::to_string(facts.pid) : "RSS";
  const auto bytes = [](uint64_t number) { return FormatBytes(static_cast<double>(number)); };
  // Looks come at intervals, and the kernel's own maximum is of the process and those that it waited for.
  const uint64_t most = std::max(facts.highest_resident_bytes, facts.largest_resident_bytes);
  const std::string highest = most == 0 ? "" : (tree ? "; largest process " : "; highest ") + bytes(most);
  if (const std::string parts = AccountWords(coverage); !parts.empty()) {
    const uint64_t seen = coverage.as_of_unix_ns.value_or(0), end = facts.ending.unix_ns;
    const std::string age = FormatDuration(end > seen ? static_cast<double>(end - seen) / 1e9 : 0);
    return Labelled(label, fmt::format("{}, last seen {} before the end = {}{}", bytes(*coverage.rss_bytes), age, parts, highest), width);
  }
  if (!facts.resident) return Labelled(label, "not known: the program ended before the first look" + highest, width);
  const LastResident& resident = *facts.resident;
  const uint64_t anonymous = resident.rss_bytes - std::min(resident.rss_bytes, resident.shared_bytes);
  return Labelled(
      label,
      fmt::format("{}, last seen {} before the end = {} private + {} files and shared{}", bytes(resident.rss_bytes),
                  FormatDuration(resident.seconds_before_end), bytes(anonymous), bytes(resident.shared_bytes), highest),
      width);
}

// Of the program itself: of its last image that has any.
profile::Coverage CoverageOf(pid_t pid, const std::vector<profile::Profile>& profiles) {
  profile::Coverage coverage;
  for (const profile::Profile& profile : profiles) {
    if (profile.pid == pid && profile.coverage.rss_bytes) coverage = profile.coverage;
  }
  return coverage;
}

std::string Notes(const RunFacts& facts, const std::vector<const profile::Profile*>& profiles, size_t width) {
  std::string out;
  for (const std::string& note : facts.notes) out += Wrap("  note: " + Printable(note), width, 4) + "\n";
  return out + ProfileNotes(profiles, width);
}

UnseenBeside Beside(const RunFacts& facts) {
  constexpr size_t kMost = 3;
  UnseenBeside out = {.programs = facts.unseen,
                      .noted = std::any_of(facts.notes.begin(), facts.notes.end(), SaysUnseen)};
  if (out.programs.size() > kMost) {
    const size_t more = out.programs.size() - kMost;
    out.programs.resize(kMost);
    out.programs.push_back(fmt::format("{} more program{} without the agent", more, more == 1 ? "" : "s"));
  }
  return out;
}

bool NotOneSample(const std::vector<const profile::Profile*>& profiles) {
  return std::all_of(profiles.begin(), profiles.end(), [](const profile::Profile* profile) {
    return !IsExact(profile->totals) && profile->totals.allocated.objects.samples == 0;
  });
}

std::string Next(const RunFacts& facts, const std::vector<const profile::Profile*>& profiles, size_t width) {
  const size_t images = profiles.size();
  if (NotOneSample(profiles))  // a report would say nothing more
    return Wrap("  next: heaptally run --mode exact -- " + CommandWords(facts, width), width, 8) + "\n";
  if (facts.capture.empty()) return "";
  const std::string file = ShellQuoted(facts.capture);
  const bool bytes_known = std::any_of(profiles.begin(), profiles.end(), [](const auto* one) { return one->totals.bytes_known; });
  const std::string first = "heaptally report " + file + (bytes_known ? " --by churn" : " --by calls");
  const std::string second = images > 1 ? "heaptally report " + file : "heaptally report " + file + " --full";
  const size_t together = 8 + Width(first) + 5 + Width(second);
  return "  next: " + first + (together <= width ? "     " : "\n        ") + second + "\n";
}

std::string NothingLive(const std::vector<profile::Profile>& profiles, const std::string& live, size_t width) {
  profile::Measures sum;
  for (const profile::Profile& profile : profiles) sum += profile.totals;
  const sampling::Estimate estimate = BytesEstimate(sum, sum.live.bytes);
  if (estimate.exact && sum.allocated.objects.value() == 0) return "  Not one allocation was seen.\n";
  if (estimate.exact) return "  Nothing is " + live + ": every block that was seen was freed.\n";
  return Wrap("  No sample is " + live + ", so no line can be named; all of them together are " +
                  WithInterval(estimate, true) + ". A smaller --period sees more, --mode exact everything.",
              width, 2) +
         "\n";
}

struct Table {
  analysis::By by;
  std::string words;
};

// What holds the memory.
Table WhichTable(const std::vector<profile::Profile>& profiles) {
  if (!analysis::IsKnown(profiles, analysis::By::kLive)) return {analysis::By::kCalls, "allocations"};
  const bool many = profiles.size() > 1;
  if (analysis::UsualView(profiles) == analysis::By::kPeak)
    return {analysis::By::kPeak, many ? "live at each one's peak" : "live at the peak"};
  if (many) return {analysis::By::kLive, "live at end"};
  return {analysis::By::kLive, LiveWords(profiles[0])};
}

size_t PlacesThatFit(const Screen& screen, size_t used_rows) {
  if (screen.rows == 0) return 10;
  return screen.rows > used_rows + 6 ? std::clamp<size_t>((screen.rows - used_rows) / 2, 3, 15) : 3;
}

}  // namespace

std::string RenderSummary(const RunFacts& facts, const std::vector<profile::Profile>& profiles, const Screen& screen) {
  std::vector<const profile::Profile*> all;
  for (const profile::Profile& profile : profiles) all.push_back(&profile);
  const size_t width = std::max<size_t>(screen.width, 60);
  std::string out = "\n" + Heading(facts, profiles[0], width);
  const bool tree = profiles.size() > 1;
  if (tree) {
    out += RenderTree(all, width) + "\n";
  } else {
    out += RenderTotals(profiles[0], width) + RenderMappedTotals(profiles[0], width);
  }
  out += ResidentLine(facts, CoverageOf(facts.pid, profiles), tree, width);
  const Table table = WhichTable(profiles);
  const auto used = static_cast<size_t>(std::count(out.begin(), out.end(), '\n'));
  const std::string places = RenderPlaces(all, {.by = table.by,
                                                .width = width,
                                                .limit = PlacesThatFit(screen, std::max(used + 7, kFixedRows)),
                                                .style = {},
                                                .by_words = table.words});
  out += "\n" + (places.empty() ? NothingLive(profiles, table.words, width) : places) + "\n";
  const std::string mapped = RenderMappedPlaces(all, {.width = width});
  if (!mapped.empty()) out += mapped + "\n";
  out += Notes(facts, all, width) + NotSeenLines(all, width, Beside(facts)) +
         StillRunning(all, facts.pid, width);
  return out + Next(facts, all, width);
}

}  // namespace heaptally::cli
