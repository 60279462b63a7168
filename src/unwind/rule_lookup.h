// The rule at a pc of this process, from whatever object is loaded there: what the cache is filled from. About 0.3 us
// when the object's tables are warm, some us when they have to be read from disk.
#pragma once

#include <cstdint>

#include "unwind/rule.h"

namespace heaptally::unwind {

// Returns false if nothing is loaded there (yet): the answer must then not be kept. *rule is always set; without usable
// information it is kStop/kStopNoRule.
bool FindRule(uint64_t pc, bool pc_is_exact, Rule* rule);

// Looks at the objects that are loaded now, so that no system call is needed when their code is met first. Once, at start.
void LearnObjects();

}  // namespace heaptally::unwind
