// The values of attributes (DWARF 5, section 7.5.6; GNU's forms of DWARF 4).
#pragma once

#include "symbols/dwarf_data.h"

namespace heaptally::symbols {

// Reads a value of `form` and moves `in` behind it. An unknown form fails `in`, since its length is not known.
DieValue ReadForm(ByteReader& in, uint16_t form, int64_t implicit, const DwarfUnitHeader& unit);
void SkipForm(ByteReader& in, uint16_t form, const DwarfUnitHeader& unit);

}  // namespace heaptally::symbols
