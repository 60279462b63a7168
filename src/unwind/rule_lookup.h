// The rule at a pc of this process, from whatever object is loaded there: what the cache is filled from. About 0.3 us
// when the object's tables are warm, some us when they have to be read from disk.
#pragma once

#include <cstdint>

#include "unwind/rule.h"

namespace heaptally::unwind {

struct FoundRule {
  Rule rule;
  bool in_object = false;  // false: nothing is loaded there (yet), so the answer must not be kept
};

// `lookup` is the address to look up: the pc itself if it is exact, else pc - 1.
FoundRule FindRule(uint64_t pc, uint64_t lookup);

}  // namespace heaptally::unwind
