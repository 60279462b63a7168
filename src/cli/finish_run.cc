#include "cli/finish_run.h"

#include "cli/progress.h"
#include "collect/mapped_segments.h"
#include "collect/name_frames.h"
#include "collect/segments.h"
#include "segment/file.h"
#include "store/capture.h"
#include "symbols/display.h"

namespace heaptally::cli {
namespace {

bool IsDead(const std::string& path, collect::MappedSegments* mapped) {
  std::string ignored;
  const auto file = segment::File::Open(path, &ignored);
  return file && mapped->Of(*file).empty();
}

collect::ProcessEnd EndOf(const collect::Ending& ending) {
  collect::ProcessEnd end;
  if (ending.signalled) {
    end.exit.signal = ending.status;
  } else {
    end.exit.status = ending.status;
  }
  end.unix_ns = ending.unix_ns;
  return end;
}

// The last account of each image, if nobody has a newer one.
void AddAccounts(const RunFacts& facts, std::vector<profile::Profile>* profiles) {
  for (profile::Profile& profile : *profiles) {
    for (const collect::ProcessAccount& account : facts.accounts) {
      const bool same = account.inner_pid == profile.pid && account.started_unix_ns == profile.started_unix_ns;
      if (same && !profile.coverage.rss_bytes) AddAccount(account, &profile);
    }
  }
}

// What was last seen from outside goes into the profile of the process's last image.
void AddResident(const RunFacts& facts, std::vector<profile::Profile>* profiles) {
  if (!facts.resident) return;
  for (auto at = profiles->rbegin(); at != profiles->rend(); ++at) {
    if (at->pid != facts.pid) continue;
    if (!at->coverage.rss_bytes) {
      at->coverage.rss_bytes = facts.resident->rss_bytes;
      at->coverage.as_of_unix_ns =
          facts.ending.unix_ns - static_cast<uint64_t>(facts.resident->seconds_before_end * 1e9);
    }
    return;
  }
}

}  // namespace

RunResult GatherRun(const std::string& directory, const std::string& run_id, const RunFacts& facts,
                    const collect::KeptModules& kept) {
  RunResult result;
  std::string error;
  const auto all = collect::ListSegments(directory, &error);
  if (!all) {
    result.problems.push_back(error);
    return result;
  }
  for (const collect::SegmentName& segment : collect::SegmentsOfRun(*all, run_id))
    result.segments.push_back(segment.path);
  result.without = collect::WithoutSegmentOfRun(directory, run_id);
  for (const collect::ProcessWithoutSegment& process : result.without) collect::RemoveSegment(process.path, &error);
  collect::SnapshotOptions options;
  options.ended[facts.pid] = EndOf(facts.ending);
  collect::Snapshot snapshot = collect::TakeSnapshot(result.segments, options);
  result.profiles = std::move(snapshot.profiles);
  result.problems = std::move(snapshot.errors);
  AddAccounts(facts, &result.profiles);
  AddResident(facts, &result.profiles);
  Progress progress("naming functions");
  collect::NameFrames(&result.profiles, kept, [&](size_t done, size_t count) { progress.Show(done, count); });
  return result;
}

bool WriteRunCapture(const std::string& path, RunMoments* moments, RunResult* result) {
  if (moments->Finish(result->profiles)) return true;
  if (!moments->problem().empty())
    result->problems.push_back("moments of --every are lost, the end is not: " + moments->problem());
  std::string error;
  if (store::WriteCapture(path, result->profiles, &error, {.is_plumbing = symbols::IsPlumbing})) return true;
  result->problems.push_back("the capture could not be written: " + error);
  return false;
}

void RemoveDeadSegments(RunResult* result) {
  collect::MappedSegments mapped;
  for (const std::string& path : result->segments) {
    std::string error;
    if (IsDead(path, &mapped) && !collect::RemoveSegment(path, &error)) result->problems.push_back(error);
  }
}

uint64_t DeadSegmentBytes(const std::string& directory) {
  std::string ignored;
  const auto all = collect::ListSegments(directory, &ignored);
  if (!all) return 0;
  collect::MappedSegments mapped;
  uint64_t bytes = 0;
  for (const collect::SegmentName& segment : *all) {
    if (IsDead(segment.path, &mapped)) bytes += segment.allocated_bytes;
  }
  return bytes;
}

}  // namespace heaptally::cli
