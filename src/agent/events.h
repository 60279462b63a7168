// What happens between a hook and the tallies: is this call to be recorded, and under which site.
#pragma once

#include <cstdint>

#include "agent/exact_tally.h"
#include "agent/image.h"
#include "agent/process.h"
#include "agent/sampled_tally.h"
#include "agent/thread_state.h"
#include "base/branch.h"
#include "platform/thread.h"

namespace heaptally::agent {

// Decided before the real call, carried across it.
struct Intent {
  bool record = false;
  bool exact = false;
  uint32_t epoch = 0;          // g_epoch then: if it differs after the real call, a fork came in between
  sampled::Drawn drawn = {};
};

// The site of the stack that ends in `caller`; of class mapped where `kind` says so. Takes the thread as it stands, so it may
// be asked before the thread's first allocation.
uint32_t TakeSite(const platform::Registers& caller, segment::Kind kind = segment::Kind::kSites);

// A new child: what other threads of its parent were in the middle of will never go on here.
void ForgetInterruptedEvents();

// A slow-path acquisition of `size` bytes whose size + 1 the fast path has debited already.
Intent DecideAcquisition(const platform::Registers& caller, uint64_t size);

// The usual case of exact mode: this thread is set up, recording is not paused, the image is this process's, and no real call is under way. It needs
// no decision; after the real call RecordExact() books the block. Leaves the countdown as exact mode keeps it.
HT_ALWAYS_INLINE bool IsPlainExactEvent(uint64_t size) {
  const bool plain = t_state.exact_epoch == g_exact_epoch && t_state.guard_sp == 0 &&
                     static_cast<int64_t>(size | g_image.header->control.order) >= 0 && OwnsImage();
  if (HT_LIKELY(plain)) t_state.countdown = 0;
  return plain;
}
void RecordExact(uint32_t epoch, const platform::Registers& caller, void* pointer, uint64_t size);

// The real call gave `pointer`.
void RecordAcquisition(const Intent& intent, const platform::Registers& caller, void* pointer, uint64_t size);

// Before the real release.
void RecordRelease(const platform::Registers& caller, void* pointer);

// A slow-path realloc: its old block's record goes into transit before the real call, if there is a record.
struct Move {
  Intent intent;
  bool in_transit = false;
  exact::Transit exact_transit;
  sampled::Transit sampled_transit;
};
// `decide`: the debit asked for the slow path, so the new size may be recorded.
void BeginMove(const platform::Registers& caller, void* old_pointer, uint64_t size, bool decide, Move* move);
// `size` 0 and no result: the old block was freed; a size and no result: the call failed and the old block is live.
void EndMove(const Move& move, const platform::Registers& caller, void* old_pointer, void* new_pointer, uint64_t size);

}  // namespace heaptally::agent
