// .eh_frame: from a frame description entry (FDE) and its common part (CIE) to the rule at one pc.
//
// The format is the Linux Standard Base's "Exception Frames" chapter over DWARF's call frame instructions. Everything
// that is read may be hostile: all reads stay inside the given bytes, nothing is followed that could lead outside, and
// the work is bounded by the length of one entry.
#pragma once

#include <cstdint>

#include "unwind/byte_reader.h"
#include "unwind/rule.h"

namespace heaptally::unwind {

// True iff the FDE at `fde` is well formed up to its program and describes code at pc. `section` is the readable memory
// around it (it must also hold the entry's CIE).
bool FdeCovers(const Bytes& section, const uint8_t* fde, uint64_t pc);

// Runs the FDE's program. Returns false if it does not cover pc, or is cut off, or of a kind that we do not know. A row
// that is read but can't be expressed as a Rule gives true and kStop/kStopNoRule.
bool RuleFromFde(const Bytes& section, const uint8_t* fde, uint64_t pc, Rule* rule);

}  // namespace heaptally::unwind
