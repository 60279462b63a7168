// The environment of a program that is about to be executed: does the agent go with it?
//
// It goes with every program that it can be loaded into. Where it cannot, its entry leaves LD_PRELOAD (the user's own
// entries stay), so that no loader complains and no sanitizer aborts. A program that is started with a cleared environment
// gets LD_PRELOAD and HEAPTALLY all the same, marked so that the agent takes them out of sight again before the program's
// main (hide=1). An environment that still has HEAPTALLY and no LD_PRELOAD was made on purpose, and is left so.
#pragma once

#include <cstdint>

#include "agent/exec_target.h"

namespace heaptally::agent {

// Notes what the program was started with. `environment`: the process's own; entries that are to be hidden are taken out
// of it. Without a path in LD_PRELOAD that names the agent, or with follow=0, nothing is ever changed.
void PrepareExec(char** environment, bool follow, bool hide);

// What is to be done with an environment.
struct EnvironmentEdit {
  enum class Kind : uint8_t { kNone, kDrop, kAdd } kind = Kind::kNone;
  segment::NotFollowed reason = segment::NotFollowed::kNone;  // to be said in the report
  uint32_t entries = 0;      // of the environment
  uint32_t preload = 0;      // index + 1 of its LD_PRELOAD, 0: none
  const char* list = "";     // that one's value
  uint32_t told = 0;         // index + 1 of its HEAPTALLY
  uint64_t text_bytes = 0;   // for a new LD_PRELOAD entry
};
// REQUIRES: target.known.
EnvironmentEdit DecideEnvironment(const ExecTarget& target, char* const* environment);

// Room for the edited environment: (entries + 3) pointers and text_bytes of text. Writes it there.
void EditEnvironment(const EnvironmentEdit& edit, char* const* environment, char** to, char* text);

// Can anything have to be done at all?
extern bool g_exec_prepared __attribute__((visibility("hidden")));

}  // namespace heaptally::agent
