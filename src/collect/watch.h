// Looks at a running child and its descendants from outside, at intervals: how much memory is resident (a dead process
// has none, so the last look before its end is what a report can say), and whether the agent is really in there.
//
// A program may escape the agent after its start: `env -i prog` execs a second image with a cleared environment. So
// each program is asked one second after it was first seen, by looking whether the agent's file is mapped, and again
// when the process has exec'd another one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collect/process_account.h"
#include "collect/resident.h"

namespace heaptally::collect {

using Clock = std::chrono::steady_clock;

struct Watched {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
  std::string exe;  // of the image that runs now
  Clock::time_point exe_since;
  Resident last;
  Clock::time_point last_seen;
  uint64_t highest_bytes = 0;  // of the looks, and of VmHWM for the child itself
  bool asked = false;          // about the agent, for this image
};

struct Unseen {  // a program that runs without the agent
  pid_t pid = 0;
  std::string exe;
};

class Watch {
 public:
  // `agent`: the file whose mapping proves that a process is profiled. `tree`: look at descendants too.
  Watch(pid_t child, std::string agent, bool tree);

  // One look. Calls `on_unseen` once for each program that has run for a second without the agent.
  void Look(const std::function<void(const Unseen&)>& on_unseen);

  // What was last seen of `pid`; nullptr if it was never seen.
  const Watched* Find(pid_t pid) const;
  const std::vector<Unseen>& unseen() const { return unseen_; }
  const std::map<pid_t, Watched>& watched() const { return watched_; }

  // The last account of each image that was seen running.
  std::vector<ProcessAccount> accounts() const { return accounts_.Last(); }

 private:
  void LookAt(pid_t pid, Clock::time_point now, size_t processes, const std::function<void(const Unseen&)>& on_unseen);

  pid_t child_;
  std::string agent_;
  bool tree_;
  AccountWatch accounts_;
  std::map<pid_t, Watched> watched_;
  std::vector<Unseen> unseen_;
};

}  // namespace heaptally::collect
