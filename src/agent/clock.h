// The image's clock: time stamp counter ticks where the program may read it and the kernel trusts it, else a coarse
// clock in ns. Lifetimes are differences of it; the reader turns them into ns.
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "platform/tsc.h"
#include "segment/layout.h"

namespace heaptally::agent {

extern uint32_t g_tsc_allowed __attribute__((visibility("hidden")));

// Asks the kernel (PR_GET_TSC, clocksource). Opens and closes one file. Called once, at start.
segment::ClockKind ChooseClock();

// The program is about to forbid the time stamp counter (prctl hook): from here on time goes on in the same unit, but in
// steps of a few ms.
void LeaveTsc();

uint64_t CoarseNow();

HT_ALWAYS_INLINE uint64_t Now() { return HT_LIKELY(g_tsc_allowed) ? platform::ReadTsc() : CoarseNow(); }

uint64_t UnixNanoseconds();

}  // namespace heaptally::agent
