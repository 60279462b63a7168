// Who the process is, as its segment says: pid, start time, program, arguments. Read from /proc by raw system calls, once.
#pragma once

#include <cstdint>

#include "segment/layout.h"

namespace heaptally::agent {

void DescribeProcess(segment::ImageHeader* header, segment::ClockKind clock);

// Field 22 of /proc/self/stat: clock ticks since boot. 0 when it can't be read.
uint64_t ProcessStartTicks();

uint64_t ReadKernelRandom();

}  // namespace heaptally::agent
