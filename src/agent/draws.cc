#include "agent/draws.h"

#include "agent/config.h"
#include "agent/image.h"
#include "agent/process.h"
#include "sampling/draw.h"

namespace heaptally::agent {

sampling::ClassCharges g_charges;
bool g_is_charged;

namespace {

using segment::Control;
using segment::ImageHeader;
using segment::Mode;

struct Order {
  bool paused = false;
  uint64_t period = 0;  // within bounds
};

uint64_t WithinBounds(uint64_t period) {
  const uint64_t least = g_is_charged ? kLeastPeriodCalls : kLeastPeriodBytes;
  const uint64_t most = g_is_charged ? sampling::kMostCallsPerSample : sampling::kMaxPeriod;
  return period < least ? least : period < most ? period : most;
}

// What was asked, by whoever may write the file: any bits may stand there.
Order ReadOrder() {
  ImageHeader* header = g_image.header;
  Order order;
  order.period = header->period_bytes;
  const uint64_t word = __atomic_load_n(&header->control.order, __ATOMIC_RELAXED);
  if (__atomic_load_n(&header->control.check, __ATOMIC_RELAXED) != ~word) return order;
  order.paused = (word & segment::kOrderPaused) != 0;
  const uint64_t period = word & ~segment::kOrderPaused;
  if (period == 0 || header->mode == Mode::kExact) return order;
  order.period = WithinBounds(period);
  if (order.period != header->period_bytes) __atomic_store_n(&header->period_bytes, order.period, __ATOMIC_RELAXED);
  return order;
}

int64_t LookAgain() { return g_is_charged ? static_cast<int64_t>(sampling::kChargeUnit) : kLookAgainBytes; }

// `debited`: from the countdown of a pause.
void CountPaused(uint64_t debited) {
  ImageHeader* header = g_image.header;
  if (header->mode == Mode::kPerClass) return;
  const uint64_t unseen = header->mode == Mode::kCount ? debited / g_charges.charge[0] : debited;
  __atomic_fetch_add(&header->unseen_while_paused, unseen, __ATOMIC_RELAXED);
}

// A draw that began before the pause ended in it: what it stands for is an estimate of what went unseen since.
void CountPausedSample(uint64_t size, uint64_t kept) {
  ImageHeader* header = g_image.header;
  if (header->mode == Mode::kPerClass) return;
  const sampling::Terms terms = sampling::TermsOf(size, OddsOf(size, kept));
  const sampling::Uint128 scaled = header->mode == Mode::kCount ? (sampling::Uint128{1} << sampling::kFractionBits) + terms.e_objects.Value() : terms.ScaledBytes();
  __atomic_fetch_add(&header->unseen_while_paused, static_cast<uint64_t>(scaled >> sampling::kFractionBits), __ATOMIC_RELAXED);
}

void NoteLeastCharges() {
  uint64_t* least = g_image.header->least_charge;
  for (uint32_t i = 0; i < sampling::kSizeClasses; ++i) {
    if (least[i] == 0 || g_charges.charge[i] < least[i]) __atomic_store_n(&least[i], g_charges.charge[i], __ATOMIC_RELAXED);
  }
}

}  // namespace

void BeginDraw() {
  const Order order = ReadOrder();
  t_state.is_paused = order.paused;
  t_state.period = g_is_charged ? sampling::kChargeUnit : order.period;
  if (order.paused) t_state.last_block = 0;
  const int64_t left = order.paused ? LookAgain() : static_cast<int64_t>(sampling::DrawCountdown(t_state.generator, t_state.period));
  t_state.countdown = 0;
  LeftOfDraw() = left;
}

uint64_t EndDraw(uint64_t size) {
  const bool was_paused = t_state.is_paused != 0;
  const uint64_t debited = static_cast<uint64_t>(LookAgain() - LeftOfDraw());
  const uint64_t kept = g_is_charged ? __atomic_load_n(&g_charges.charge[sampling::SizeClassOf(size)], __ATOMIC_RELAXED) : t_state.period;
  BeginDraw();
  if (was_paused) {
    CountPaused(debited);
  } else if (t_state.is_paused != 0) {
    CountPausedSample(size, kept);
  } else {
    return kept;
  }
  return 0;
}

bool IsExactPaused(uint64_t size) {
  const bool paused = ReadOrder().paused;
  if (HT_LIKELY(!paused && t_state.is_paused == 0)) return false;
  const bool impossible = static_cast<int64_t>(size) < 0;  // the real function refuses it
  if (impossible) t_state.countdown += static_cast<int64_t>(size + 1);
  if (t_state.is_paused != 0) t_state.exact_epoch = 0;  // still not the usual case
  if (impossible && t_state.is_paused != 0) return true;
  const uint64_t debited = impossible ? 0 : size + 1;
  if (t_state.is_paused != 0) {
    if (paused && t_state.countdown >= 0) return true;  // a realloc, which comes here for its old block
    CountPaused(static_cast<uint64_t>(kLookAgainBytes - t_state.countdown) - (paused ? 0 : debited));
  } else {
    CountPaused(debited);
  }
  t_state.is_paused = paused;
  t_state.last_block = 0;
  t_state.countdown = paused ? kLookAgainBytes : 0;
  t_state.exact_epoch = paused ? 0 : g_exact_epoch;  // not the usual case
  return paused;
}

sampling::Odds OddsOf(uint64_t size, uint64_t kept) {
  return g_is_charged ? sampling::Odds{kept, sampling::kChargeUnit} : sampling::OddsByBytes(size, kept);
}

uint64_t BytesBooked(uint64_t size) { return g_image.header->mode == Mode::kCount ? 0 : size; }

void LearnFromSample(uint64_t size, uint64_t kept) {
  if (!g_is_charged) return;
  if (g_charges.period != g_image.header->period_bytes) g_charges.SetPeriod(g_image.header->period_bytes);
  g_charges.Learn(sampling::SizeClassOf(size), kept);
  NoteLeastCharges();
}

void OpenDraws() {
  const Mode mode = g_image.header->mode;
  g_is_charged = segment::IsCharged(mode);
  if (!g_is_charged) return;
  if (g_charges.period == 0) g_charges.Start(g_image.header->period_bytes, mode == Mode::kPerClass);
  NoteLeastCharges();
}

}  // namespace heaptally::agent
