// What the agent is told, through one environment variable (docs/agent.md):
//   HEAPTALLY=mode=bytes|exact|count|per-class,period=N,dir=PATH,run=ID,follow=0,hide=1,seed=N,cap=BYTES
// Read from /proc/self/environ, since no libc may be asked this early. What can't be understood is left at its default:
// the agent never speaks and never stops the program; `heaptally run` checks the values before it starts anything.
#pragma once

#include <cstdint>

#include "segment/layout.h"

namespace heaptally::agent {

struct Config {
  segment::Mode mode = segment::Mode::kBytes;
  uint64_t period = 0;       // 0: by mode; bytes, or calls
  uint64_t seed = 0;         // 0: from the kernel
  uint64_t cap_bytes = 0;    // 0: by mode (segment_file.h)
  bool follow = true;
  bool hide = false;         // set by the exec hooks: leave the environment as if nothing had been added to it
  bool present = false;      // the variable was there
  char directory[416] = {};  // "": /dev/shm/heaptally-<uid>
  char run_id[32] = {};
};

inline constexpr uint64_t kUsualPeriodBytes = 512u << 10;
inline constexpr uint64_t kUsualPeriodCalls = 1000;
inline constexpr uint64_t kLeastPeriodCalls = 2;
inline constexpr uint64_t kLeastPeriodBytes = 64u << 10;  // below that, exact is the honest choice

// Parses the value of HEAPTALLY ([text, text + bytes)).
void ParseConfig(const char* text, uint64_t bytes, Config* config);

// Reads the environment as the kernel handed it over at exec.
void ReadConfig(Config* config);

}  // namespace heaptally::agent
