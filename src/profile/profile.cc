#include "profile/profile.h"

#include <algorithm>

namespace heaptally::profile {

Measures& Measures::operator+=(const Measures& other) {
  allocated += other.allocated;
  freed += other.freed;
  reallocs += other.reallocs;
  reallocs_in_place += other.reallocs_in_place;
  live += other.live;
  peak += other.peak;
  peak_whole += other.peak_whole;  // each process at its own maximum, as `peak` is
  peak_most_proven += other.peak_most_proven;
  temporary += other.temporary;
  floor_bytes = std::min(floor_bytes, other.floor_bytes);
  period = std::max(period, other.period);
  objects_per_sample = std::max(objects_per_sample, other.objects_per_sample);
  bytes_known = bytes_known && other.bytes_known;
  return *this;
}

Measures MappedTotals(const Profile& profile) {
  Measures totals;
  for (const Site& site : profile.sites) {
    if (site.mapped()) totals += site.measures;
  }
  return totals;
}

void SumTotals(Profile* profile) {
  Measures totals;
  for (const Site& site : profile->sites) {
    if (!site.mapped()) totals += site.measures;
  }
  // Known of the process as a whole only.
  totals.peak_whole = profile->totals.peak_whole;
  totals.peak_most_proven = profile->totals.peak_most_proven;
  totals.period = std::max(totals.period, profile->mode == "bytes" ? static_cast<double>(profile->period_bytes) : 0.0);
  if (profile->mode == "per-class") totals.period = std::max(totals.period, profile->totals.period);
  // A process without a sample has no site that says in which mode it was.
  totals.objects_per_sample = std::max(totals.objects_per_sample, static_cast<double>(profile->period_calls));
  totals.bytes_known = totals.bytes_known && profile->mode != "count";
  profile->totals = totals;
}

std::string Words(const UnfollowedProgram& program) {
  std::string which;
  if (program.pid != 0) which = "pid " + std::to_string(program.pid);
  if (program.times > 1) which = std::to_string(program.times) + " times" + (which.empty() ? "" : ", first ") + which;
  const std::string name = program.path.substr(program.path.rfind('/') + 1);
  return name + (which.empty() ? "" : " (" + which + ")") + ", " + program.why;
}

const char* StateName(State state) {
  switch (state) {
    case State::kRunning:
      return "running";
    case State::kExited:
      return "exited";
    case State::kKilled:
      return "killed";
    case State::kExecd:
      return "exec'd";
    case State::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace heaptally::profile
