#include <cmath>

#include "exporters/known_columns.h"
#include "exporters/pprof.h"
#include "profile/estimates.h"
#include "profile/loss_reasons.h"

namespace heaptally::exporters {
namespace {

using analysis::By;
using profile::Measures;
using profile::Profile;
using sampling::Estimate;

std::string Number(double value) { return std::to_string(std::llround(std::min(std::max(value, 0.0), 9e18))); }

std::string ModeOf(const Profile& profile) {
  const uint64_t period = profile.period_bytes != 0 ? profile.period_bytes : profile.period_calls;
  if (period == 0) return profile.mode;
  return profile.mode + ", one sample in " + std::to_string(period) + (profile.period_bytes != 0 ? " bytes" : " calls") +
         " in the mean; numbers are estimates";
}

// "4 processes; exact".
std::string Head(const std::vector<Profile>& profiles, const std::string& tool) {
  std::string out = tool + ": ";
  if (profiles.size() == 1) return out + ImageName(profiles[0]) + "; " + ModeOf(profiles[0]);
  bool same = true;
  for (const Profile& profile : profiles) same = same && ModeOf(profile) == ModeOf(profiles[0]);
  out += std::to_string(profiles.size()) + " processes";
  return profiles.empty() ? out : out + "; " + (same ? ModeOf(profiles[0]) : "of several modes");
}

void AddInterval(const char* type, const Estimate& estimate, std::vector<std::string>* out) {
  if (estimate.exact || !estimate.known) return;
  const std::string end = estimate.hi_known ? Number(std::ceil(estimate.hi)) : "not known";
  out->push_back(std::string("# ") + type + ": " + Number(estimate.v) + ", 95 % interval " +
                 Number(std::floor(estimate.lo)) + " to " + end + ", " + std::to_string(estimate.n) + " samples");
}

void AddIntervals(const Measures& totals, By by, std::vector<std::string>* out) {
  const bool peak = by == By::kPeak;
  AddInterval("alloc_objects", profile::ObjectsEstimate(totals, totals.allocated.objects), out);
  AddInterval("alloc_space", profile::BytesEstimate(totals, totals.allocated.bytes), out);
  AddInterval("inuse_objects",
              peak ? profile::PeakObjectsEstimate(totals) : profile::ObjectsEstimate(totals, totals.live.objects), out);
  AddInterval("inuse_space",
              peak ? profile::PeakBytesEstimate(totals) : profile::BytesEstimate(totals, totals.live.bytes), out);
}

}  // namespace

std::vector<std::string> PprofComments(const std::vector<Profile>& profiles, const StackChoice& choice,
                                       const std::string& tool) {
  std::vector<std::string> out = {Head(profiles, tool)};
  if (!AllKnowBytes(profiles)) out.push_back("bytes are not known: mode count counts calls");
  if (choice.by == By::kPeak) out.push_back("inuse: what was live at the peak, not at the end");
  if (choice.classes == Classes::kMapped) out.push_back("memory that was mapped directly: reserved addresses");
  if (choice.classes == Classes::kAll) out.push_back("heap and directly mapped memory together: see the label class");
  Measures totals;
  for (const Profile& profile : profiles) {
    totals += profile.totals;
    std::string command;
    for (const std::string& word : profile.argv) command += (command.empty() ? "" : " ") + word;
    out.push_back("# " + ImageName(profile) + ", " + ModeOf(profile) + ": " + (command.empty() ? profile.exe : command));
    for (const auto& [reason, events] : profile.loss) {
      out.push_back("# " + ImageName(profile) + ": " + std::to_string(events) + " " +
                    std::string(profile::LossSentence(reason)));
    }
  }
  if (choice.classes == Classes::kHeap) AddIntervals(totals, choice.by, &out);
  return out;
}

}  // namespace heaptally::exporters
