// What an allocation debits where its size is not what it is sampled by: a charge for its class of size.
//
// Modes `count` and `per-class`. The draw is that of draw.h with the period kChargeUnit, and an allocation of class c
// debits charge(c): it is a sample with p = 1 - exp(-charge/kChargeUnit), whatever came before. The draw has no memory, so a
// charge may change at any moment as long as the change does not look at the running draw; the charge that was debited is
// kept with the sample, and its terms are made of it (terms.h).
//
//   count       the same charge for all, -ln(1 - 1/N) units: p = 1/N exactly, so each sample stands for N calls.
//   per-class   the samples, one in N calls in the mean, are shared alike among the classes of size that occur. A class
//               that makes up a share f of the calls is sampled with p = 1/(N K f), K classes in all: thinly where it is
//               frequent; a class so rare that it cannot fill its part is recorded whole, one that was never seen too.
//               f is learned from the samples themselves (each stands for 1/p calls), and what is old counts for less. At the start
//               some calls of other classes are presumed, so that a first large block does not seem to be frequent.
//
// Classes are powers of two of the requested size: class 0 is the size 0, class c > 0 is [2^(c-1), 2^c - 1].
//
// Runs inside the profiled process: no allocation, no lock. Learn() wants one caller at a time; charges may be read
// meanwhile.
#pragma once

#include <cstdint>

namespace heaptally::sampling {

inline constexpr uint64_t kChargeUnit = uint64_t{1} << 40;       // the period of the draws
inline constexpr uint64_t kCertainCharge = kChargeUnit * 64;     // 1 - p = e^-64: recorded whole
inline constexpr uint64_t kMostCallsPerSample = uint64_t{1} << 30;
inline constexpr uint32_t kSizeClasses = 65;

constexpr uint32_t SizeClassOf(uint64_t size) {
  return size == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(size));
}

// The charge with p = 1/calls: -ln(1 - 1/calls) units; certain for 1.
uint64_t ChargeOf(uint64_t calls);

struct ClassCharges {
  uint64_t charge[kSizeClasses];  // in 1/kChargeUnit of the mean distance of two samples; never 0
  uint64_t calls[kSizeClasses];   // per-class: estimated recent calls by class, 2^-16
  uint64_t calls_in_all;          // and some that are presumed at the start, of no class
  uint64_t presumed;
  uint64_t period;                // N: mean number of calls for a sample
  uint64_t samples;               // learned from
  bool adapts;

  void Start(uint64_t calls_per_sample, bool per_class);
  // Another N from here on.
  void SetPeriod(uint64_t calls_per_sample);
  // A sample of this class was taken, for which `debited` was debited. Nothing to learn where all are alike.
  void Learn(uint32_t size_class, uint64_t debited);

 private:
  void Forget();
  void Adapt(uint32_t size_class);
  void AdaptAll();
  uint32_t classes_;  // that occur
};

}  // namespace heaptally::sampling
