// A profile in the format of pprof (github.com/google/pprof, proto/profile.proto), before compression.
//
// The rules kept here, beyond those of Profile.CheckValid, are those of the readers that are stricter:
//   - four sample types in the order that readers expect of heaps: alloc_objects, alloc_space, inuse_objects,
//     inuse_space; values stand for the whole heap (nothing is left to be scaled) and add up to the report's totals.
//     Those that not every profile knows (mode count: bytes) are left out
//   - period type and period, always: profiles without are not merged with others. Modes count and per-class:
//     objects/count, calls for a sample in the mean; else space/bytes. Exact: 1
//   - ids are 1..N in order, every string is valid UTF-8, no duration (a heap is a state, not a rate)
//   - the first mapping is the program; mappings have their real addresses and build ids, and say what is known
//     already. Addresses lie inside of the call (return address - 1)
//   - several processes are one profile, with labels `pid` and `program`; classes other than malloc have a label
//     `class`, and stacks of threads with a name a label `thread`
// Names are final: system_name is another string, or none, so that no reader simplifies them again. There are no
// drop_frames: what the allocator's own frames are is decided here, and a reader could not undo it.
#pragma once

#include <string>
#include <vector>

#include "exporters/stack_table.h"

namespace heaptally::exporters {

// `choice.by`: live, or peak (inuse is then what was live at the peak), churn (alloc_space is shown first) or calls
// (alloc_objects). There is no sample type for temporary blocks.
std::string Pprof(const std::vector<profile::Profile>& profiles, const StackChoice& choice, const Wording& wording,
                  const std::string& tool);

// The human-readable lines of the file: what was measured and how, how sure the totals are, what was lost. Readers show
// those that do not begin with `#` above each report (pprof_comments.cc).
std::vector<std::string> PprofComments(const std::vector<profile::Profile>& profiles, const StackChoice& choice,
                                       const std::string& tool);

}  // namespace heaptally::exporters
