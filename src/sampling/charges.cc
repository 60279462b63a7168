#include "sampling/charges.h"

#include "sampling/draw.h"
#include "sampling/terms.h"

namespace heaptally::sampling {
namespace {

constexpr uint64_t kOneCall = uint64_t{1} << 16;
// Of so many samples' worth of calls the share of each class is known. More: steadier; fewer: a class that was rare and
// becomes frequent is recorded whole for a shorter time.
constexpr uint64_t kWindowSamples = 1024;
constexpr uint64_t kPresumedSamples = 256;
constexpr uint64_t kSamplesBetweenAll = 16;

void Store(uint64_t* to, uint64_t value) { __atomic_store_n(to, value, __ATOMIC_RELAXED); }

uint64_t WithinBounds(uint64_t calls) {
  if (calls < 1) return 1;
  return calls < kMostCallsPerSample ? calls : kMostCallsPerSample;
}

}  // namespace

uint64_t ChargeOf(uint64_t calls) {
  if (calls <= 1) return kCertainCharge;
  const uint64_t survives = ~uint64_t{0} - (~uint64_t{0} / calls);  // 1 - 1/calls in units of 2^-64
  return static_cast<uint64_t>(NegativeLog(survives) >> 80);        // 2^-120 -> 2^-40
}

void ClassCharges::Start(uint64_t calls_per_sample, bool per_class) {
  adapts = per_class;
  calls_in_all = presumed = samples = classes_ = 0;
  for (uint64_t& one : calls) one = 0;
  if (adapts) presumed = calls_in_all = kPresumedSamples * WithinBounds(calls_per_sample) * kOneCall;
  SetPeriod(calls_per_sample);
}

void ClassCharges::SetPeriod(uint64_t calls_per_sample) {
  period = WithinBounds(calls_per_sample);
  if (adapts) return AdaptAll();
  for (uint64_t& one : charge) Store(&one, ChargeOf(period));
}

void ClassCharges::Learn(uint32_t size_class, uint64_t debited) {
  if (!adapts || size_class >= kSizeClasses) return;
  const Terms terms = TermsOf(0, Odds{debited, kChargeUnit});
  const uint64_t stands_for = kOneCall + static_cast<uint64_t>(terms.e_objects.Value() >> (kFractionBits - 16));
  classes_ += calls[size_class] == 0 ? 1 : 0;
  calls[size_class] += stands_for;
  calls_in_all += stands_for;
  if (calls_in_all > kWindowSamples * period * kOneCall) Forget();
  ++samples % kSamplesBetweenAll == 0 ? AdaptAll() : Adapt(size_class);
}

// Halves what was learned: a class that does not come any more falls to nothing in the end, and is new then.
void ClassCharges::Forget() {
  classes_ = 0;
  presumed /= 2;
  calls_in_all = presumed;
  for (uint64_t& one : calls) {
    one /= 2;
    calls_in_all += one;
    classes_ += one != 0 ? 1 : 0;
  }
}

// p = 1/(N K f), f = calls of the class / all calls.
void ClassCharges::Adapt(uint32_t size_class) {
  if (calls[size_class] == 0) return Store(&charge[size_class], kCertainCharge);
  const Uint128 wanted = (static_cast<Uint128>(calls_in_all) << 40) /
                         (static_cast<Uint128>(calls[size_class]) * (period * classes_));
  const uint64_t bounded = wanted < kCertainCharge ? static_cast<uint64_t>(wanted) : kCertainCharge;
  Store(&charge[size_class], bounded != 0 ? bounded : 1);
}

void ClassCharges::AdaptAll() {
  for (uint32_t i = 0; i < kSizeClasses; ++i) Adapt(i);
}

}  // namespace heaptally::sampling
