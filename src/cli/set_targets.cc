#include "cli/set_targets.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "cli/suggest.h"
#include "collect/clock_scale.h"
#include "collect/mapped_segments.h"
#include "collect/resident.h"
#include "collect/segments.h"
#include "segment/reader.h"

namespace heaptally::cli {
namespace {

int32_t PidOf(const std::string& text) {
  int32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc() && end == text.data() + text.size() && pid > 0 ? pid : 0;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A forked child runs the program of the image that it came from; its own header may leave that out.
std::string ProgramOf(const segment::Segment& segment, segment::ImageHeader header) {
  for (uint32_t steps = 0; steps < segment::kMaxImages; ++steps) {
    const std::string exe = segment::FieldText(header.exe, sizeof header.exe);
    if (!exe.empty() || header.origin == segment::Origin::kStart) return BaseName(exe);
    std::string ignored;
    const auto parent = segment.ReadImageHeader(header.parent_image, &ignored);
    if (!parent) return "";
    header = *parent;
  }
  return "";
}

// Appends the images of a segment whose process lives. `ended`: pids of those whose process does not.
void AddRunning(const std::string& path, std::vector<SetTarget>* running, std::vector<int32_t>* ended) {
  std::string ignored;
  const auto segment = segment::Segment::Open(path, &ignored);
  if (!segment) return;
  collect::MappedSegments mapped;
  for (const uint32_t index : segment->ClaimedImages()) {
    const auto header = segment->ReadImageHeader(index, &ignored);
    if (!header || header->pid == 0) continue;  // a raw clone: nobody knows its pid
    const auto& processes = mapped.Of(segment->file());
    const bool lives = collect::MappedSegments::Maps(header->pid, segment->file()) ||
                       std::any_of(processes.begin(), processes.end(),
                                   [&](const auto& process) { return process.inner_pid == header->pid; });
    if (lives) {
      running->push_back({path, index, header->pid, ProgramOf(*segment, *header)});
    } else {
      ended->push_back(header->pid);
    }
  }
}

SetTargets WhyNoPid(int32_t pid, const std::string& directory, const std::vector<int32_t>& ended) {
  SetTargets out;
  out.what_works = "heaptally ls shows what runs";
  if (std::find(ended.begin(), ended.end(), pid) != ended.end()) {
    out.error = fmt::format("process {} has ended: only its tally is left", pid);
    out.what_works = fmt::format("heaptally report {}", pid);
    return out;
  }
  const std::string exe = collect::ExecutableOf(pid);
  const bool exists = !exe.empty() || collect::StartTicks(pid) != 0;
  if (!exists) {
    out.error = fmt::format("there is no process {}", pid);
  } else if (exe.empty() && geteuid() != 0) {
    out.error = fmt::format("process {} belongs to another user, and so does its tally", pid);
    out.what_works = "as that user, or as root";
  } else if (collect::MappedSegments::OfProcess(pid).empty()) {
    out.error = fmt::format("process {}{} is not being profiled: it runs without the agent", pid,
                            exe.empty() ? "" : " (" + exe + ")");
    if (!exe.empty()) out.what_works = "start it with heaptally run -- " + exe;
  } else {
    out.error = fmt::format("process {} is not being profiled, or has recorded nothing yet: no image in {} is its own",
                            pid, directory);
  }
  return out;
}

}  // namespace

SetTargets FindSetTargets(const std::string& what, const std::string& directory) {
  SetTargets out;
  const auto all = collect::ListSegments(directory, &out.error);
  if (!all) return out;
  const int32_t pid = PidOf(what);
  std::vector<std::string> paths;
  for (const collect::SegmentName& segment : *all) paths.push_back(segment.path);
  std::vector<SetTarget> running;
  std::vector<int32_t> ended;
  for (const std::string& path : paths) AddRunning(path, &running, &ended);
  std::vector<std::string> names;
  for (const SetTarget& target : running) {
    names.push_back(target.program);
    if (pid != 0 ? target.pid == pid : target.program == what) out.found.push_back(target);
  }
  if (!out.found.empty()) return out;
  if (pid == 0) {
    const std::string nearest = Nearest(what, names);
    out.error = fmt::format("no running process called \"{}\" is profiled", what);
    out.what_works = nearest.empty() ? "heaptally ls shows what runs" : "heaptally set " + nearest;
    return out;
  }
  // In a container, or with a directory of its own: found by what it maps.
  const int32_t inner = collect::MappedSegments::InnerPid(pid);
  running.clear();
  for (const auto& place : collect::MappedSegments::OfProcess(pid)) AddRunning(place.path, &running, &ended);
  for (const SetTarget& target : running) {
    if (target.pid == inner) out.found.push_back(target);
  }
  return out.found.empty() ? WhyNoPid(pid, directory, ended) : out;
}

}  // namespace heaptally::cli
