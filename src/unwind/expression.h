// The few shapes of DWARF expressions that compilers, linkers and assembler writers put into call frame information on
// x86-64. There is no stack machine here: an expression of another shape is not understood, and the frame has no rule.
#pragma once

#include <cstdint>

#include "unwind/byte_reader.h"

namespace heaptally::unwind {

inline constexpr uint8_t kDwarfBp = 6;
inline constexpr uint8_t kDwarfSp = 7;
inline constexpr uint8_t kDwarfReturnAddress = 16;

// register + offset, or *(register + offset) + addend. The register is kDwarfBp or kDwarfSp.
struct BaseExpression {
  uint8_t base = 0;
  bool dereferenced = false;
  int32_t offset = 0;
  int32_t addend = 0;
};

bool ParseBaseExpression(Bytes bytes, BaseExpression* expression);

// sp + 8 + ((pc & 15) >= *threshold) * 8: what linkers write for a lazy PLT (the threshold is where in the entry the
// push of the relocation's index ends).
bool ParsePltExpression(Bytes bytes, int32_t* threshold);

}  // namespace heaptally::unwind
