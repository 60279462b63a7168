// What the agent keeps per thread: a few words of initial-exec TLS, zero when a thread starts, no destructor.
#pragma once

#include <cstdint>

#include "sampling/draw.h"
#include "unwind/unwinder.h"

namespace heaptally::agent {

struct ThreadState {
  // Bytes left until the next sample. Zero in a new thread, so that its first allocation goes the slow way and sets it up.
  // In exact mode it is zero between calls, so that every allocation goes the slow way through the same branch.
  int64_t countdown = 0;
  int64_t charge_left = 0;    // count and per-class: charge left until the next sample; `countdown` is 0, as in exact mode
  // The block that this thread recorded last, and the countdown right after that: freeing it while the countdown still
  // stands there means that no allocation came in between ("temporary").
  uint64_t last_block = 0;
  int64_t countdown_after_last = 0;
  uint64_t last_birth = 0;
  // Guard: the stack address of the slow path that is inside a real call now, 0 if none (guard.h).
  uint64_t guard_sp = 0;
  unwind::StackBounds bounds;
  sampling::Generator generator;
  uint64_t period = 0;        // T of the running draw
  uint32_t exact_epoch = 0;   // g_exact_epoch in exact mode, 0 where samples are taken: one compare tells the usual case
  uint32_t image_epoch = 0;   // g_epoch under which this was set up; 0: never
  uint32_t promised_image = 0;  // during this thread's fork: the region kept for the child; 0: none
  uint32_t walks = 0;         // exact mode: stacks taken, up to kWalksBeforeMemo
  uint32_t slot = 0;          // this thread's entry in the thread table
  uint16_t thread_name = 0;   // as in segment::SiteHead
  uint8_t name_is_known = 0;  // 0: to be asked for at the next set-up
  uint8_t is_paused = 0;      // no draw is running (draws.h)
};
static_assert(sizeof(ThreadState) <= 128, "initial-exec TLS comes out of a small static surplus");

extern constinit thread_local ThreadState t_state __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace heaptally::agent
