#include "cli/export_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/units.h"
#include "exporters/known_columns.h"

namespace heaptally::cli {
namespace {

using analysis::By;
using profile::Profile;

// Of several processes some may have been counted and others not.
int ComplainOfSome(const std::vector<Profile>& profiles, const std::string& what) {
  const Profile* counted = nullptr;
  const Profile* other = nullptr;
  for (const Profile& profile : profiles) (profile.totals.bytes_known ? other : counted) = &profile;
  return Complain(fmt::format("process {} ran in mode count, which counts calls: {} are not known of all", counted->pid, what),
                  fmt::format("--pid {}, or another process that is not of mode count; or --by calls", other->pid));
}

// A file of what a program holds that has freed nearly everything is a puzzle to whoever opens it.
void RemarkOnPeak(const std::vector<Profile>& profiles, By by) {
  if (by != By::kLive || analysis::UsualView(profiles) != By::kPeak) return;
  const double live = analysis::Ranked(profiles[0].totals, By::kLive).v;
  const double peak = analysis::ProcessPeak(profiles[0].totals).v;
  Remark(fmt::format("{} are live, of {} at the peak: --by peak exports the peak", FormatBytes(live), FormatBytes(peak)));
}

}  // namespace

int CheckFormat(const ExportFormat& format, By by, const std::string& output) {
  if (by == By::kTemporary && std::string(format.name) == "pprof") {
    return Complain("pprof has no place for temporary allocations", "--by calls, or --format speedscope");
  }
  const bool to_stdout = output.empty() || output == "-";
  if (!format.binary || !to_stdout || isatty(STDOUT_FILENO) != 1) return -1;
  return Complain(std::string(format.name) + " is a binary format, and stdout is a terminal", "-o FILE.pb.gz");
}

bool CheckKnown(const ExportFormat& format, const std::vector<Profile>& profiles, By by) {
  const bool asks_for_bytes = analysis::RanksBytes(by) || format.needs_bytes;
  if (!asks_for_bytes || exporters::AllKnowBytes(profiles)) return true;
  if (analysis::IsKnown(profiles, By::kLive)) {
    ComplainOfSome(profiles, analysis::RanksBytes(by) ? MeasureWords(by) : "bytes");
  } else if (analysis::RanksBytes(by)) {
    return CheckKnown(profiles, by);
  } else {
    Complain(fmt::format("mode count counts calls, and a {} file is of bytes", format.name),
             "--format pprof, speedscope or folded; heaptally run --mode per-class samples bytes and calls");
  }
  return false;
}

void RemarkOnContent(const ExportFormat& format, const std::vector<Profile>& profiles, By by) {
  RemarkOnPeak(profiles, by);
  if (format.is_of_one || exporters::AllKnowBytes(profiles)) return;
  Remark(fmt::format("mode count counts calls: bytes and the peak are not known, and left out of the {} file", format.name));
}

}  // namespace heaptally::cli
