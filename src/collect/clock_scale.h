// From an image's clock to nanoseconds and Unix time.
//
// The time stamp counter's frequency is not told by the kernel, so it is measured: over the image's own life, if it
// started on this boot (start and now are both known in both clocks), else over a few milliseconds. The first is used
// only if the second agrees within 1 %, since the wall clock may have been set meanwhile.
#pragma once

#include <cstdint>

#include "segment/layout.h"

namespace heaptally::collect {

class ClockScale {
 public:
  // `same_boot`: the image ran since the machine that we are on was started.
  static ClockScale Of(const segment::ImageHeader& image, bool same_boot);
  // For tests.
  ClockScale(uint64_t started_clock, uint64_t started_unix_ns, double ns_per_unit)
      : started_clock_(started_clock), started_unix_ns_(started_unix_ns), ns_per_unit_(ns_per_unit) {}

  // A duration in clock units -> ns.
  uint64_t ToNs(uint64_t units) const;
  // A moment in clock units -> Unix time; the start for anything before it.
  uint64_t ToUnixNs(uint64_t clock) const;
  // Unix time -> clock units.
  uint64_t ToClock(uint64_t unix_ns) const;

 private:
  uint64_t started_clock_;
  uint64_t started_unix_ns_;
  double ns_per_unit_;
};

// CLOCK_REALTIME, ns.
uint64_t UnixNow();

// The present moment on a clock of that kind.
uint64_t ClockNow(segment::ClockKind kind);

// True iff `boot_id` (a segment's) is that of the running system.
bool IsThisBoot(const char* boot_id, size_t capacity);

}  // namespace heaptally::collect
