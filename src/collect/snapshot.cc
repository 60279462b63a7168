#include "collect/snapshot.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "collect/clock_scale.h"
#include "collect/image_profile.h"
#include "collect/mapped_segments.h"
#include "collect/process_account.h"
#include "segment/reader.h"

namespace heaptally::collect {
namespace {

using profile::State;
using segment::ImageHeader;
using segment::Origin;

// An image together with what puts it in order among those of its process.
struct Taken {
  profile::Profile profile;
  uint64_t start_ticks = 0;
};

std::vector<std::string> SplitArguments(const ImageHeader& header) {
  std::vector<std::string> arguments;
  const size_t bytes = std::min<size_t>(header.argv_bytes, sizeof header.argv);
  for (size_t at = 0; at < bytes;) {
    const std::string argument = segment::FieldText(header.argv + at, bytes - at);
    arguments.push_back(argument);
    at += argument.size() + 1;
  }
  return arguments;
}

// A forked child runs the program of the image that it came from; its own header may leave that out.
void AddProgram(const segment::Segment& segment, const ImageHeader& own, profile::Profile* profile) {
  ImageHeader header = own;
  for (uint32_t steps = 0; steps < segment::kMaxImages; ++steps) {
    if (profile->exe.empty()) profile->exe = segment::FieldText(header.exe, sizeof header.exe);
    if (profile->argv.empty()) profile->argv = SplitArguments(header);
    if (header.origin == Origin::kStart || (!profile->exe.empty() && !profile->argv.empty())) return;
    std::string ignored;
    const auto parent = segment.ReadImageHeader(header.parent_image, &ignored);
    if (!parent) return;
    header = *parent;
  }
}

bool HasPid(const std::vector<MappedSegments::Process>& processes, int32_t pid) {
  return std::any_of(processes.begin(), processes.end(),
                     [pid](const auto& process) { return process.inner_pid == pid; });
}

// Children whose pid the agent did not know, and the processes that map the file and are none of its images.
struct Strangers {
  uint32_t images = 0;
  std::vector<int32_t> pids;  // as they see themselves
};

Strangers StrangersOf(const segment::Segment& segment, const std::vector<MappedSegments::Process>& processes) {
  Strangers strangers;
  std::vector<int32_t> known;
  for (const uint32_t index : segment.ClaimedImages()) {
    std::string ignored;
    const auto header = segment.ReadImageHeader(index, &ignored);
    if (header) known.push_back(header->pid);
    if (header && header->pid == 0) ++strangers.images;
  }
  for (const auto& process : processes) {
    if (std::find(known.begin(), known.end(), process.inner_pid) == known.end()) strangers.pids.push_back(process.inner_pid);
  }
  return strangers;
}

// The pid of a living image that does not know its own: told by who maps the file, where only one can be meant. 0: not known.
int32_t PidFromOutside(const segment::Segment& segment, MappedSegments* mapped) {
  const Strangers strangers = StrangersOf(segment, mapped->Of(segment.file()));
  return strangers.images == 1 && strangers.pids.size() == 1 ? strangers.pids[0] : 0;
}

State StateOf(const segment::Segment& segment, const ImageHeader& header, MappedSegments* mapped) {
  if (MappedSegments::Maps(header.pid, segment.file())) return State::kRunning;
  const auto& processes = mapped->Of(segment.file());
  // A child whose pid is not known lives if somebody maps the file who is none of the images that we know.
  if (header.pid == 0) return StrangersOf(segment, processes).pids.empty() ? State::kUnknown : State::kRunning;
  if (HasPid(processes, header.pid)) return State::kRunning;
  if (header.ended_orderly != 0) return State::kExited;
  return MappedSegments::StillRuns(header.pid, header.start_ticks) ? State::kExecd : State::kUnknown;
}

const char* NameOf(Origin origin) {
  return origin == Origin::kStart ? "start" : origin == Origin::kFork ? "fork" : "raw-clone";
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Losses of children that got no image of their own are told by the file; they go to its first image.
void AddLostChildren(const segment::FileHeader& file, profile::Profile* profile) {
  if (file.lost_children != 0) profile->loss["child-not-recorded"] += file.lost_children;
  if (file.lost_child_events != 0) profile->loss["child-events"] += file.lost_child_events;
}

Taken Convert(const segment::Segment& segment, const segment::RawImage& image, State state,
              const SnapshotOptions& options) {
  const ImageHeader& header = image.header;
  const bool same_boot = IsThisBoot(segment.header().boot_id, sizeof segment.header().boot_id);
  const auto end = state == State::kRunning ? options.ended.end() : options.ended.find(header.pid);
  ImageContext context = {ModulesOf(segment, image), ClockScale::Of(header, same_boot), 0, state == State::kRunning};
  const uint64_t now = UnixNow();
  const uint64_t ended = end != options.ended.end() ? end->second.unix_ns : 0;
  context.end_clock = context.running ? ClockNow(header.clock_kind)
                      : ended != 0    ? std::max(context.scale.ToClock(ended), LatestClock(image))
                                      : LatestClock(image);
  Taken taken = {ProfileOf(image, context), header.start_ticks};
  profile::Profile& profile = taken.profile;
  profile.pid = header.pid;
  profile.parent_pid = header.parent_pid;
  profile.host = HostName();
  profile.origin = NameOf(header.origin);
  profile.started_unix_ns = header.started_unix_ns;
  profile.taken_unix_ns = ended != 0 ? ended : now;
  profile.state = state;
  AddProgram(segment, header, &profile);
  if (image.index == 0) AddLostChildren(segment.header(), &profile);
  return taken;
}

void SetPid(int32_t pid, profile::Profile* profile) {
  if (pid == 0) return;
  profile->pid = pid;
  std::erase(profile->notes, kRawCloneNote);
}

// The account of a process that runs. Its pid as we see it is another one where it has a namespace of its own.
void AddLivingAccount(const segment::Segment& segment, const segment::RawImage& image, MappedSegments* mapped,
                      profile::Profile* profile) {
  if (profile->pid == 0) return;
  int32_t pid = 0;
  if (MappedSegments::Maps(profile->pid, segment.file())) pid = profile->pid;
  for (const MappedSegments::Process& process : mapped->Of(segment.file())) {
    if (pid == 0 && process.inner_pid == profile->pid) pid = process.pid;
  }
  if (pid == 0) return;
  const auto account = TakeAccount(pid, {image.header, image.ranges});
  if (account) AddAccount(*account, profile);
}

// Orders the images of a process by start, numbers them, and gives the last one the process's end. All but the last
// ended by exec.
void NumberImages(const SnapshotOptions& options, std::vector<Taken>* all) {
  std::stable_sort(all->begin(), all->end(), [](const Taken& a, const Taken& b) {
    return std::tie(a.profile.pid, a.start_ticks, a.profile.started_unix_ns) <
           std::tie(b.profile.pid, b.start_ticks, b.profile.started_unix_ns);
  });
  for (size_t i = 0; i < all->size(); ++i) {
    Taken& one = (*all)[i];
    const auto same = [&one](const Taken& other) {
      return one.profile.pid != 0 && other.profile.pid == one.profile.pid && other.start_ticks == one.start_ticks;
    };
    if (i > 0 && same((*all)[i - 1])) one.profile.image = (*all)[i - 1].profile.image + 1;
    const bool last = i + 1 == all->size() || !same((*all)[i + 1]);
    if (!last && one.profile.state == State::kUnknown) one.profile.state = State::kExecd;
    const auto end = options.ended.find(one.profile.pid);
    if (!last || end == options.ended.end() || one.profile.state == State::kRunning) continue;
    one.profile.exit = end->second.exit;
    if (one.profile.exit.signal) one.profile.state = State::kKilled;
    if (one.profile.exit.status) one.profile.state = State::kExited;
  }
}

void NoteUnknownEnds(std::vector<Taken>* all) {
  for (Taken& one : *all) {
    if (one.profile.state != State::kUnknown) continue;
    one.profile.notes.push_back(
        "The process ended without its exit handlers: it was killed, crashed, or called _exit().");
  }
}

}  // namespace

Snapshot TakeSnapshot(const std::vector<std::string>& segment_paths, const SnapshotOptions& options) {
  Snapshot snapshot;
  std::vector<Taken> all;
  MappedSegments mapped;
  for (const std::string& path : segment_paths) {
    std::string error;
    const auto segment = segment::Segment::Open(path, &error);
    if (!segment) {
      snapshot.errors.push_back(error);
      continue;
    }
    for (const uint32_t index : segment->ClaimedImages()) {
      // Who lives is asked first: a process that ends meanwhile is then read as it was at its end or before.
      const auto header = segment->ReadImageHeader(index, &error);
      const State state = header ? StateOf(*segment, *header, &mapped) : State::kUnknown;
      const auto image = header ? segment->ReadImage(index, &error) : std::nullopt;
      if (image) {
        all.push_back(Convert(*segment, *image, state, options));
        if (header->pid == 0 && state == State::kRunning) SetPid(PidFromOutside(*segment, &mapped), &all.back().profile);
        if (state == State::kRunning) AddLivingAccount(*segment, *image, &mapped, &all.back().profile);
      } else {
        snapshot.errors.push_back(error);
      }
    }
  }
  NumberImages(options, &all);
  NoteUnknownEnds(&all);
  for (Taken& one : all) snapshot.profiles.push_back(std::move(one.profile));
  return snapshot;
}

}  // namespace heaptally::collect
