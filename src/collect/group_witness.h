// Was a signal sent to us alone, or to our whole process group (kill -TERM -PGID, timeout, a supervisor)? The kernel does
// not say. A witness does: a process in the same group, with every signal blocked and nothing open, that does nothing. What
// is pending there was sent to the group, so the program has it already and must not get it from us again.
#pragma once

#include <sys/types.h>

namespace heaptally::collect {

class GroupWitness {
 public:
  GroupWitness();  // no witness (no process could be made): every signal counts as sent to us alone
  ~GroupWitness();
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  // After `signal` came to this process: did it come to the whole group? Takes two milliseconds. A yes is used up: the
  // witness is replaced, since a pending signal cannot be taken from it.
  bool SawSignal(int signal);

 private:
  void Start();
  void End();
  pid_t pid_ = -1;
};

}  // namespace heaptally::collect
