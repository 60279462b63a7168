// Reading the sites of an image that may be changing, without its help: no signal, no pause, no lock.
//
// Exact sites. Each counter only grows. Two preads that give the same bytes prove that no counter changed between the
// end of the first and the start of the second, so the copy is the site at that moment. A site that differs is read
// again, up to eight times; then it is marked torn, and the last copy is given: its words may be some tens of ns apart.
// Where it would have more releases than allocations, the releases of the copy before it are taken, so that live
// numbers are never negative.
//
// Sampled sites. One sequence per image, odd while an event is being booked. If it is even and unchanged around the
// whole read, all sites are of one moment. Else they are read in small groups, then one by one, then marked torn. If it
// is odd and stands still, the writer stopped (or died) half way: the copy that it saved beforehand replaces the
// half-changed site.
#pragma once

#include <cstdint>

#include "segment/file.h"
#include "segment/placement.h"
#include "segment/raw_image.h"

namespace heaptally::segment {

// Both fill image->header, sites, torn and what is said about them. `region_offset` is where the header lies;
// *placement is what was checked for image->header; a newer header is checked again. Return false iff the file could
// not be read or no longer checks out; then *fault says why.
bool ReadExactSites(const File& file, uint64_t region_offset, RawImage* image, std::string* fault);
bool ReadSampledSites(const File& file, uint64_t region_offset, RawImage* image, std::string* fault);

// Sites of class mapped: as exact sites, in every mode. Ranges: those that are live and did not change between two
// readings (one that did is just being made, cut or ended).
bool ReadMappedSites(const File& file, const Placement& placement, RawImage* image, std::string* fault);
bool ReadRanges(const File& file, const Placement& placement, std::vector<MappedRange>* ranges, std::string* fault);

// Reads the header alone and checks that it is one.
bool ReadHeader(const File& file, uint64_t region_offset, ImageHeader* header, std::string* fault);

// Reads all items of a kind. `out` gets exactly kind.count items.
template <typename Item>
bool ReadItems(const File& file, const KindPlacement& kind, std::vector<Item>* out, std::string* fault) {
  out->resize(kind.count);
  for (const Run& run : kind.runs) {
    if (!file.ReadAt(run.offset, out->data() + run.first, uint64_t{run.count} * sizeof(Item))) {
      *fault = "it became shorter while it was read";
      return false;
    }
  }
  return true;
}

}  // namespace heaptally::segment
