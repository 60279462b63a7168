// Who is alive: a process lives in a segment while it maps the segment's inode. Names and numbers alone would lie: exec
// keeps the pid and its start time, and in a container the pid is another one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "segment/file.h"

namespace heaptally::collect {

// One look at /proc/*/maps, shared by all segments of a snapshot. Processes of other users that we may not look at are
// not seen, unless we are root.
class MappedSegments {
 public:
  struct Process {
    int32_t pid = 0;        // as we see it
    int32_t inner_pid = 0;  // as it sees itself, in its own pid namespace
  };

  // Processes that map the file now (at the first question; later ones get the same look at /proc).
  const std::vector<Process>& Of(const segment::File& file);

  // A segment that some process maps, wherever it lies: the path leads through /proc/PID/root, so that a container's own
  // /dev/shm is reached from outside. It is the same file that the process maps (device and inode), and has a segment's
  // name; what else it is the reader finds out.
  struct Place {
    int32_t pid = 0;  // one of the processes that map it, as we see it
    std::string path;
    uint64_t inode = 0;
  };

  // Every segment that a process maps which we may look at.
  std::vector<Place> Everywhere();

  // Those of one process.
  static std::vector<Place> OfProcess(int32_t pid);

  // The pid that a process has in the innermost namespace that it is in; `pid` itself if that cannot be found out.
  static int32_t InnerPid(int32_t pid);

  // True iff process `pid` maps the file. Cheap; does not look at other processes.
  static bool Maps(int32_t pid, const segment::File& file);

  // True iff `pid` is the process that started at `start_ticks` and has not ended (a zombie has).
  static bool StillRuns(int32_t pid, uint64_t start_ticks);

 private:
  void LookAtAll();

  bool looked_ = false;
  std::map<uint64_t, std::vector<Process>> by_inode_;  // of mapped *.seg files
};

}  // namespace heaptally::collect
