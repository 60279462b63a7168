// Resident memory of a running process, looked at from outside through /proc, and who its descendants are.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heaptally::collect {

struct Resident {
  uint64_t rss_bytes = 0;
  uint64_t shared_bytes = 0;  // of that: file-backed and shared pages, the agent's segment among them
};

// From /proc/PID/statm; nothing if the process is gone (or a zombie, whose memory is gone).
std::optional<Resident> ReadResident(pid_t pid);

// The highest resident size so far (VmHWM), 0 if not known.
uint64_t ReadHighestResident(pid_t pid);

// Direct children of every thread of `pid`, from /proc/PID/task/TID/children.
std::vector<pid_t> ChildrenOf(pid_t pid);

// `pid` and its living descendants, `pid` first, at most `limit`. Daemons that have left the tree are not in it.
std::vector<pid_t> TreeOf(pid_t pid, size_t limit);

// Target of /proc/PID/exe; "" if not readable.
std::string ExecutableOf(pid_t pid);

// Whether the file `path` is mapped into the process; nothing if that cannot be read (gone, or not ours to look at).
std::optional<bool> Maps(pid_t pid, const std::string& path);

// Field 22 of /proc/PID/stat: with the pid, the process's identity. 0 if gone.
uint64_t StartTicks(pid_t pid);

}  // namespace heaptally::collect
