// What one image did in all: live, peak, churn; and what is not in the numbers. Used by the summary and by reports.
#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <map>

#include "analysis/ranking.h"
#include "cli/color.h"
#include "cli/render_places.h"
#include "cli/render_summary.h"
#include "cli/text.h"
#include "profile/estimates.h"
#include "profile/loss_reasons.h"

namespace heaptally::cli {
namespace {

double Seconds(uint64_t from_unix_ns, uint64_t to_unix_ns) {
  return to_unix_ns > from_unix_ns && from_unix_ns != 0 ? static_cast<double>(to_unix_ns - from_unix_ns) / 1e9 : 0;
}

// Since the start: "at 7.10 s" where it is known; of a sample, whose two halves have a moment each, "near 7.10 s", and
// "near 6.10 and 7.10 s" where they are more than a tenth of the whole time apart.
std::string PeakMoment(const profile::Profile& profile) {
  const profile::Measures& totals = profile.totals;
  const bool no_sample = !IsExact(totals) && totals.peak_whole.bytes.samples == 0 && totals.peak.bytes.samples == 0;
  if (profile.peak_moments_unix_ns.empty() || no_sample) return "";
  const auto [earliest, latest] =
      std::minmax_element(profile.peak_moments_unix_ns.begin(), profile.peak_moments_unix_ns.end());
  const double first = Seconds(profile.started_unix_ns, *earliest);
  const double last = Seconds(profile.started_unix_ns, *latest);
  if (IsExact(totals)) return " at " + FormatDuration(last);
  if (last - first <= Seconds(profile.started_unix_ns, profile.taken_unix_ns) / 10)
    return " near " + FormatDuration((first + last) / 2);
  std::string begin = FormatDuration(first);
  const std::string end = FormatDuration(last);
  const size_t unit = end.rfind(' ');
  if (begin.ends_with(end.substr(unit)) && begin.find(' ') == begin.rfind(' ') && end.find(' ') == unit)
    begin.resize(begin.rfind(' '));
  return fmt::format(" near {} and {}", begin, end);
}

std::string PeakDoubt(const profile::Profile& profile, NumberStyle style) {
  if (profile.mode != "exact" || profile.threads < 2 || profile.peak_batch_bytes == 0) return "";
  return ", within " + FormatBytes(static_cast<double>(profile.peak_batch_bytes * profile.threads), style);
}

std::string ChurnWords(const profile::Profile& profile, NumberStyle style) {
  const profile::Measures& totals = profile.totals;
  const double calls = totals.allocated.objects.value();
  const double of_time = Seconds(profile.started_unix_ns, profile.taken_unix_ns);
  if (!totals.bytes_known) {
    std::string out = WithInterval(ObjectsEstimate(totals, totals.allocated.objects), false, style) + " calls";
    if (of_time > 0.01) out += fmt::format(" ({}/s)", FormatCount(calls / of_time, style));
    if (totals.temporary.value() > 0) out += ", " + FormatShare(totals.temporary.value(), calls) + " temporary";
    return out + "; bytes are not known in mode count";
  }
  std::string out = WithInterval(BytesEstimate(totals, totals.allocated.bytes), true, style);
  if (!IsExact(totals) && calls == 0) return out + ": not one sample";
  out += " in " + FormatCounted(calls, "call", "calls", style);
  const double seconds = Seconds(profile.started_unix_ns, profile.taken_unix_ns);
  if (seconds > 0.01) out += fmt::format(" ({}/s)", FormatCount(calls / seconds, style));
  if (totals.temporary.value() > 0) out += ", " + FormatShare(totals.temporary.value(), calls) + " temporary";
  return out;
}

}  // namespace

std::string PeakWords(const profile::Profile& profile, NumberStyle style) {
  return PeakMoment(profile) + PeakDoubt(profile, style);
}

std::string LiveWords(const profile::Profile& profile) {
  switch (profile.state) {
    case profile::State::kRunning:
      return "live now";
    case profile::State::kExecd:
      return "live at exec";
    case profile::State::kKilled:
      return "live at end";
    default:
      return "live at exit";
  }
}

std::string KilledBy(int signal) {
  const char* name = sigabbrev_np(signal);
  return "killed by " + (name != nullptr ? "SIG" + std::string(name) : fmt::format("signal {}", signal));
}

std::string ModeWords(const profile::Profile& profile, NumberStyle style) {
  if (profile.mode == "exact") return "every allocation counted";
  if (profile.mode == "bytes") {
    const std::string period = FormatBytes(static_cast<double>(profile.period_bytes), style);
    return "sampled every " + period + (style.plain ? " bytes" : "");
  }
  if (profile.mode == "count") return fmt::format("one call in {} recorded", profile.period_calls);
  if (profile.mode == "per-class") return fmt::format("one call in {} recorded, sizes alike", profile.period_calls);
  return profile.mode;
}

std::string RenderTotals(const profile::Profile& profile, size_t width, NumberStyle style) {
  const profile::Measures& totals = profile.totals;
  const double objects = totals.live.objects.value();
  if (!totals.bytes_known) {
    return Labelled(LiveWords(profile),
                    WithInterval(ObjectsEstimate(totals, totals.live.objects), false, style) + " objects", width) +
           Labelled("churn", ChurnWords(profile, style), width);
  }
  std::string live = WithInterval(BytesEstimate(totals, totals.live.bytes), true, style);
  if (IsExact(totals) || objects > 0) live += " in " + FormatCounted(objects, "object", "objects", style);
  const std::string peak =
      WithInterval(analysis::ProcessPeak(totals), true, style) + PeakWords(profile, style);
  const std::string label = LabelCell(LiveWords(profile));
  std::string out;
  if (profile.peak_moments_unix_ns.size() > 1 || width < 2 + Width(label) + Width(live) + 12 + Width(peak)) {
    out += Labelled(LiveWords(profile), live, width) + Labelled("peak", peak, width);
  } else {
    out += "  " + label + live + "      peak " + peak + "\n";
  }
  return out + Labelled("churn", ChurnWords(profile, style), width);
}

namespace {

// The file that collect::NoteNamelessModules speaks of in a note; "" for other notes.
std::string NamelessFile(const std::string& note) {
  constexpr std::string_view kWords = " allocated by code without names in ";
  const size_t begin = note.find(kWords);
  if (begin == std::string::npos) return "";
  const size_t end = note.find(": ", begin + kWords.size());
  return note.substr(begin + kWords.size(), end == std::string::npos ? end : end - begin - kWords.size());
}

// Of many images the reasons would fill a screen.
std::string NamelessFilesLine(const std::map<std::string, size_t>& files, size_t width) {
  constexpr size_t kMost = 6;
  if (files.empty()) return "";
  std::vector<std::string> words;
  for (const auto& [file, count] : files) {
    if (words.size() == kMost) break;
    words.push_back(file.substr(file.rfind('/') + 1) + (count > 1 ? fmt::format(" ({} images)", count) : ""));
  }
  if (files.size() > kMost) words.push_back(fmt::format("{} more", files.size() - kMost));
  return Wrap(fmt::format("  note: code without names allocated memory in {} (heaptally report FILE --program NAME says how "
                          "much, why, and what would name it)",
                          fmt::join(words, ", ")),
              width, 4) +
         "\n";
}

}  // namespace

std::string ProfileNotes(const std::vector<const profile::Profile*>& profiles, size_t width) {
  std::map<std::string, size_t> images, nameless;
  for (const profile::Profile* profile : profiles) {
    for (const std::string& note : profile->notes) {
      const std::string file = profiles.size() > 1 ? NamelessFile(note) : "";
      ++(file.empty() ? images[Printable(note)] : nameless[Printable(file)]);
    }
  }
  std::string out = NamelessFilesLine(nameless, width);
  for (const auto& [note, count] : images) {
    const std::string lead =
        profiles.size() == 1 ? "note: " : fmt::format("note ({} of {} images): ", count, profiles.size());
    out += Wrap("  " + lead + note, width, 4) + "\n";
  }
  return out;
}

bool SaysUnseen(const std::string& note) {
  for (const char* words : {"not seen", "not see", "not recorded", "Not recorded", "not counted", "nothing of it",
                            "is missing", "does not go through malloc", "not from malloc"}) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> NotSeen(const std::vector<const profile::Profile*>& profiles, const UnseenBeside& beside,
                                 NumberStyle style) {
  std::map<std::string, uint64_t> loss;
  uint64_t unattributed = 0, unattributed_objects = 0, unknown_frees = 0, inherited = 0;
  bool noted = beside.noted;
  for (const profile::Profile* profile : profiles) {
    for (const auto& [reason, events] : profile->loss) loss[reason] += events;
    unattributed += profile->unattributed_bytes;
    unattributed_objects += profile->unattributed_objects;
    unknown_frees += profile->unknown_frees;
    inherited += profile->inherited_bytes;
    noted = noted || std::any_of(profile->notes.begin(), profile->notes.end(), SaysUnseen);
  }
  std::vector<std::string> out = beside.programs;
  if (noted) out.push_back("what the notes above say");
  for (const auto& [reason, events] : loss) {
    const auto number = static_cast<double>(events);
    const bool bytes = reason == "paused-bytes";
    out.push_back(fmt::format("{} {}", bytes ? FormatBytes(number, style) : FormatCount(number, style), profile::LossSentence(reason)));
  }
  if (out.empty()) out.push_back("nothing lost");
  if (unattributed != 0) {
    const std::string blocks = FormatCounted(static_cast<double>(unattributed_objects), "block", "blocks", style);
    out.push_back(fmt::format("{} in {} before stacks could be taken",
                              FormatBytes(static_cast<double>(unattributed), style), blocks));
  }
  if (unknown_frees != 0) {
    out.push_back(FormatCounted(static_cast<double>(unknown_frees), "free of a block from before the start",
                                "frees of blocks from before the start", style));
  }
  if (inherited != 0) {
    out.push_back(FormatBytes(static_cast<double>(inherited), style) +
                  " inherited by forked children, counted in the parent");
  }
  return out;
}

std::string NotSeenLines(const std::vector<const profile::Profile*>& profiles, size_t width,
                         const UnseenBeside& beside, NumberStyle style) {
  const std::vector<std::string> parts = NotSeen(profiles, beside, style);
  const bool nothing = parts.size() == 1 && parts[0] == "nothing lost";
  return Toned(Wrap(fmt::format("  not seen: {}", fmt::join(parts, "; ")), width, 4),
               nothing ? Tone::kPlain : Tone::kLoss) +
         "\n";
}

}  // namespace heaptally::cli
