// The running draw of a thread, and what `heaptally set` asks, which is looked at whenever a draw ends.
//
// A paused thread has no draw: it looks again when it has allocated another kLookAgainBytes (count and per-class: another
// mean distance of two samples). Draws have no memory, so leaving one and beginning another at any such moment is right.
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "sampling/charges.h"
#include "sampling/terms.h"
#include "agent/thread_state.h"

namespace heaptally::agent {

inline constexpr int64_t kLookAgainBytes = 1 << 20;

// Modes count and per-class: what each class of size debits. Every allocation goes the slow way there, by a countdown of 0,
// and is debited by SparedByCharge().
extern sampling::ClassCharges g_charges __attribute__((visibility("hidden")));
extern bool g_is_charged __attribute__((visibility("hidden")));

// True: the running draw is not at its end, so this allocation is not recorded and nothing is to be decided.
HT_ALWAYS_INLINE bool SparedByCharge(uint64_t size) {
  if (HT_LIKELY(!g_is_charged)) return false;
  const uint64_t charge = __atomic_load_n(&g_charges.charge[sampling::SizeClassOf(size)], __ATOMIC_RELAXED);
  const int64_t left = static_cast<int64_t>(static_cast<uint64_t>(t_state.charge_left) - charge);
  t_state.charge_left = left;
  t_state.countdown = 0;
  return HT_LIKELY((left | static_cast<int64_t>(size)) >= 0);
}

// What is left of the running draw, in bytes or charge.
inline int64_t& LeftOfDraw() { return g_is_charged ? t_state.charge_left : t_state.countdown; }

// Begins a draw in a sampled mode, or a pause.
void BeginDraw();

// The draw (or pause) is at its end with an allocation of `size` bytes. Begins the next one. Returns what is kept with the
// sample, the period or the charge; 0: nothing is to be recorded.
uint64_t EndDraw(uint64_t size);

// Exact mode: true iff recording is paused, so that this allocation, debited from the countdown, is not recorded.
bool IsExactPaused(uint64_t size);

// p of a sample with what was kept of it.
sampling::Odds OddsOf(uint64_t size, uint64_t kept);
// The bytes that it counts with: in count mode none, since bytes are not known there.
uint64_t BytesBooked(uint64_t size);

// A sample was booked: charges may change. REQUIRES: the tally's lock.
void LearnFromSample(uint64_t size, uint64_t kept);

// The first image, or a child's: its header says what was asked of it.
void OpenDraws();

}  // namespace heaptally::agent
