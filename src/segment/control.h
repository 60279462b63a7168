// Asking something of a running image: the tool's side of segment::Control.
#pragma once

#include <cstdint>
#include <string>

#include "segment/reader.h"

namespace heaptally::segment {

// What to ask; what is left out stays as it is.
struct Order {
  uint64_t period = 0;  // 0: stays
  enum class Recording { kAsIs, kPause, kResume } recording = Recording::kAsIs;
};

// Writes it into the image's header, by one pwrite that reaches nothing else. `header`: the image's, just read. Returns
// false iff the file may not be written, or is not the one that `segment` read; then *error is the reason.
bool WriteOrder(const Segment& segment, uint32_t index, const ImageHeader& header, const Order& order,
                std::string* error);

// True iff recording is paused by what stands there.
bool IsPaused(const Control& control);

}  // namespace heaptally::segment
