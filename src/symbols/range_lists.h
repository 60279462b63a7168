// The address ranges of DIEs: DW_AT_low_pc and DW_AT_high_pc, .debug_ranges, .debug_rnglists (DWARF 5, section 2.17).
#pragma once

#include "symbols/dwarf_data.h"

namespace heaptally::symbols {

struct AddressRange {
  uint64_t low, high;
};

// At most 65,536: a hostile file repeats long lists.
std::vector<AddressRange> RangesOf(const Die& die);

template <typename Visit>
void ForRanges(const Die& die, Visit visit) {
  for (const AddressRange& range : RangesOf(die)) visit(range.low, range.high);
}

}  // namespace heaptally::symbols
