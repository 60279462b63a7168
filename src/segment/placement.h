// Where the items of each kind of an image lie in the file, checked before the first of them is read.
//
// A directory in the image's header says how many items there are and where. It comes from a process that may have been
// killed half way, and from a file that anybody may have written, so nothing in it is believed: item sizes must be
// ours, counts must fit the capacity, every run must lie in the file, no two may overlap, and together they may not
// exceed a budget derived from the room that the file really takes (a sparse file may claim petabytes for nothing).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "segment/file.h"
#include "segment/layout.h"

namespace heaptally::segment {

// Consecutive items: [first, first + count) lie at `offset`, one after the other.
struct Run {
  uint32_t first = 0;
  uint32_t count = 0;
  uint64_t offset = 0;
};

struct KindPlacement {
  uint32_t item_bytes = 0;
  uint32_t count = 0;
  std::vector<Run> runs;
};

struct Placement {
  KindPlacement kinds[kKinds];
  std::vector<PieceEntry> pieces;

  const KindPlacement& of(Kind kind) const { return kinds[static_cast<uint32_t>(kind)]; }
};

// Bytes of one item of `kind`.
uint32_t ItemBytes(Kind kind, Mode mode);

// The most that a reader may read, hence allocate, for an image of a file of this size. Sixteen times the room that it
// takes (file systems may compress), at most its length.
uint64_t ReadBudget(const File::Extent& size);

// Checks all of the above. On failure returns nothing and sets *fault to what is wrong ("slab 3 of sites lies ...").
std::optional<Placement> CheckPlacement(const ImageHeader& header, uint64_t region_offset, const File::Extent& size,
                                        std::string* fault);

}  // namespace heaptally::segment
