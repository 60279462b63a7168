// Starting the program that is to be profiled, and being a good parent to it: exact reasons when it cannot be executed,
// the signals that it would have had without us, its exit status. Nothing here knows about profiles.
//
// Signals. The child shares our process group, so what a terminal generates (Ctrl-C, Ctrl-\) reaches it without us; we
// only stay alive. What another process sends to *us* (kill PID) is passed on to the child. The child starts with the
// signal mask and the dispositions that we were given.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collect/group_witness.h"

namespace heaptally::collect {

struct Command {
  std::string path;  // the file to execute, already found
  std::vector<std::string> argv;
  std::vector<std::string> environment;
};

struct Ending {
  bool signalled = false;
  int status = 0;  // exit status, or the signal's number
  bool core_dumped = false;
  rusage usage{};
  uint64_t unix_ns = 0;  // when it was seen to have ended
  int shell_status() const { return signalled ? 128 + status : status; }
};

class Child {
 public:
  // Blocks the signals that have to do with the child. The destructor gives them back.
  Child();
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns 0, or the errno with which fork or execve failed; then there is no child.
  int Start(const Command& command);

  // Waits for the child itself, not for its descendants or its pipes. Calls `look` at intervals that grow from 2 ms to
  // 200 ms while it runs, or come sooner where `until_next` asks for it. Signals are passed on meanwhile.
  Ending Wait(const std::function<void()>& look,
              const std::function<std::chrono::milliseconds()>& until_next = {});

  pid_t pid() const { return pid_; }

  // Signals act on the tool itself again: call it when the child has ended and only our own work is left.
  void ReleaseSignals();

 private:
  [[noreturn]] void Become(const Command& command, int report) const;
  bool Reap(Ending* ending) const;
  void PassOn(const siginfo_t& info);

  GroupWitness witness_;
  pid_t pid_ = -1;
  bool blocked_ = false;
  sigset_t watched_{};
  sigset_t old_mask_{};
  struct sigaction old_child_ {};
};

}  // namespace heaptally::collect
