// What an exec is about to run, looked at from inside the process: can the agent be loaded into it?
//
// Looked at as the kernel will: a file is read by pread through a descriptor that is closed again, "#!" lines are followed
// to the interpreter. No allocation, no libc, async-signal-safe, about a dozen system calls of the kinds that the loader
// itself makes for every program. At most 1.5 KiB of stack.
#pragma once

#include <cstdint>

#include "segment/layout.h"

namespace heaptally::agent {

struct ExecTarget {
  bool known = false;  // false: it could not be looked at (and will most likely not be executed either)
  segment::NotFollowed barrier = segment::NotFollowed::kNone;
};

// `path` relative to `directory` (a descriptor or AT_FDCWD). No path: `directory` itself.
ExecTarget LookAtTarget(long directory, const char* path);

// Finds `name` as execvp would: as it is if it holds a slash, else the first executable file of `search_path` (PATH's
// value, nullptr: not set). Copies it to `to`; false if there is none or it does not fit.
bool FindInPath(const char* name, const char* search_path, char* to, uint64_t capacity);

}  // namespace heaptally::agent
