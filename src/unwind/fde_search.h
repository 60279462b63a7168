// Which frame description entry covers a pc: a binary search in .eh_frame_hdr, or, for the rare object whose header has
// no sorted table of the usual encoding, a bounded scan of .eh_frame.
#pragma once

#include <cstdint>

#include "unwind/byte_reader.h"

namespace heaptally::unwind {

struct EhFrameHeader {
  const uint8_t* address = nullptr;
  const uint8_t* eh_frame = nullptr;  // not checked: may point anywhere
  const uint8_t* table = nullptr;     // nullptr: no sorted table that we can search
  uint64_t entry_count = 0;           // entries that lie inside the segment
};

// Reads the .eh_frame_hdr at `address`; `segment` is the readable memory around it.
bool ReadEhFrameHeader(const Bytes& segment, const uint8_t* address, EhFrameHeader* header);

// The entry with the greatest start at or below pc. The result may point anywhere: check it against a segment before
// use. nullptr if the table is empty or starts above pc.
const uint8_t* SearchTable(const EhFrameHeader& header, uint64_t pc);

// Goes through the records one by one. `segment` is the readable memory around `eh_frame`. At most kMaxScanned records
// are looked at. Returns nullptr if none covers pc.
inline constexpr uint32_t kMaxScanned = 1 << 16;
const uint8_t* ScanForFde(const Bytes& segment, const uint8_t* eh_frame, uint64_t pc);

}  // namespace heaptally::unwind
