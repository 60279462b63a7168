// What one image did in all: live, peak, churn; and what is not in the numbers. Used by the summary and by reports.
#include <fmt/format.h>

#include <map>

#include "cli/render_places.h"
#include "cli/render_summary.h"
#include "cli/text.h"
#include "profile/estimates.h"
#include "profile/loss_reasons.h"

namespace heaptally::cli {
namespace {

constexpr size_t kLabel = 15;  // columns of "live at exit" and its kin

double Seconds(uint64_t from_unix_ns, uint64_t to_unix_ns) {
  return to_unix_ns > from_unix_ns && from_unix_ns != 0 ? static_cast<double>(to_unix_ns - from_unix_ns) / 1e9 : 0;
}

// "near 7.1 s", "between 6.9 s and 7.2 s": since the start.
std::string PeakMoment(const profile::Profile& profile) {
  if (profile.peak_moments_unix_ns.empty()) return "";
  const auto since_start = [&](uint64_t moment) { return FormatDuration(Seconds(profile.started_unix_ns, moment)); };
  const std::string first = since_start(profile.peak_moments_unix_ns.front());
  const std::string last = since_start(profile.peak_moments_unix_ns.back());
  if (first == last) return " at " + first;
  return fmt::format(" near {} and {}", first, last);
}

std::string PeakDoubt(const profile::Profile& profile) {
  if (profile.mode != "exact" || profile.threads < 2 || profile.peak_batch_bytes == 0) return "";
  return ", within " + FormatBytes(static_cast<double>(profile.peak_batch_bytes * profile.threads));
}

std::string ChurnWords(const profile::Profile& profile) {
  const profile::Measures& totals = profile.totals;
  const double calls = totals.allocated.objects.value();
  std::string out = WithInterval(BytesEstimate(totals, totals.allocated.bytes), true);
  if (totals.period > 0 && calls == 0) return out + ": not one sample";
  out += " in " + FormatCount(calls) + (calls == 1 ? " call" : " calls");
  const double seconds = Seconds(profile.started_unix_ns, profile.taken_unix_ns);
  if (seconds > 0.01) out += fmt::format(" ({}/s)", FormatCount(calls / seconds));
  if (totals.temporary.value() > 0) out += ", " + FormatShare(totals.temporary.value(), calls) + " temporary";
  return out;
}

void AddCounted(double count, const char* one, const char* many, std::vector<std::string>* out) {
  if (count > 0) out->push_back(fmt::format("{} {}", FormatCount(count), count == 1 ? one : many));
}

}  // namespace

std::string LiveWords(const profile::Profile& profile) {
  switch (profile.state) {
    case profile::State::kRunning:
      return "live now";
    case profile::State::kExecd:
      return "live at exec";
    case profile::State::kKilled:
      return "live at the end";
    default:
      return "live at exit";
  }
}

std::string ModeWords(const profile::Profile& profile) {
  if (profile.mode == "exact") return "every allocation counted";
  if (profile.mode == "bytes") return "sampled every " + FormatBytes(static_cast<double>(profile.period_bytes));
  return profile.mode;
}

std::string RenderTotals(const profile::Profile& profile, size_t width) {
  const profile::Measures& totals = profile.totals;
  const double objects = totals.live.objects.value();
  std::string live = WithInterval(BytesEstimate(totals, totals.live.bytes), true);
  if (totals.period == 0 || objects > 0)
    live += " in " + FormatCount(objects) + (objects == 1 ? " object" : " objects");
  const std::string peak = WithInterval(PeakBytesEstimate(totals), true) + PeakMoment(profile) + PeakDoubt(profile);
  std::string out;
  if (profile.peak_moments_unix_ns.size() > 1 || width < 2 + kLabel + Width(live) + 12 + Width(peak)) {
    out += Labelled(LiveWords(profile), live, width) + Labelled("peak", peak, width);
  } else {
    out += "  " + FitName(LiveWords(profile), kLabel) + live + "      peak " + peak + "\n";
  }
  return out + Labelled("churn", ChurnWords(profile), width);
}

std::string ProfileNotes(const std::vector<const profile::Profile*>& profiles, size_t width) {
  std::map<std::string, size_t> images;
  for (const profile::Profile* profile : profiles) {
    for (const std::string& note : profile->notes) ++images[Printable(note)];
  }
  std::string out;
  for (const auto& [note, count] : images) {
    const std::string lead =
        profiles.size() == 1 ? "note: " : fmt::format("note ({} of {} images): ", count, profiles.size());
    out += Wrap("  " + lead + note, width, 4) + "\n";
  }
  return out;
}

std::vector<std::string> NotSeen(const std::vector<const profile::Profile*>& profiles) {
  std::map<std::string, uint64_t> loss;
  uint64_t unattributed = 0, unattributed_objects = 0, unknown_frees = 0, inherited = 0;
  for (const profile::Profile* profile : profiles) {
    for (const auto& [reason, events] : profile->loss) loss[reason] += events;
    unattributed += profile->unattributed_bytes;
    unattributed_objects += profile->unattributed_objects;
    unknown_frees += profile->unknown_frees;
    inherited += profile->inherited_bytes;
  }
  std::vector<std::string> out;
  for (const auto& [reason, events] : loss) {
    out.push_back(fmt::format("{} {}", FormatCount(static_cast<double>(events)), profile::LossSentence(reason)));
  }
  if (loss.empty()) out.push_back("nothing lost");
  if (unattributed != 0) {
    out.push_back(fmt::format("{} in {} blocks before stacks could be taken",
                              FormatBytes(static_cast<double>(unattributed)),
                              FormatCount(static_cast<double>(unattributed_objects))));
  }
  AddCounted(static_cast<double>(unknown_frees), "free of a block from before the start",
             "frees of blocks from before the start", &out);
  if (inherited != 0)
    out.push_back(FormatBytes(static_cast<double>(inherited)) + " inherited by forked children, counted in the parent");
  return out;
}

}  // namespace heaptally::cli
