#include "segment/site_reader.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace heaptally::segment {
namespace {

constexpr int kWholeTries = 3;
constexpr int kSiteTries = 8;
constexpr uint32_t kGroup = 64;  // sites

uint64_t OffsetOf(const KindPlacement& kind, uint32_t item) {
  const auto run = std::upper_bound(kind.runs.begin(), kind.runs.end(), item,
                                    [](uint32_t id, const Run& candidate) { return id < candidate.first; });
  return (run - 1)->offset + uint64_t{item - (run - 1)->first} * kind.item_bytes;
}

// An odd sequence that stands still for this long belongs to a writer that is stopped or dead, not to one that books an
// event (which takes microseconds).
void WaitForWriter() {
  const timespec pause = {0, 2'000'000};
  nanosleep(&pause, nullptr);
}

bool ReadSequence(const File& file, uint64_t region_offset, uint64_t* sequence) {
  return file.ReadAt(region_offset + offsetof(ImageHeader, tally_sequence), sequence, sizeof *sequence);
}

bool SamePeak(const ExactPeak& a, const ExactPeak& b) { return a.peak_epoch == b.peak_epoch && a.at_peak == b.at_peak; }

// Settles one site whose first two copies differed. Returns false iff the file can't be read.
bool SettleExactSite(const File& file, uint64_t offset, ExactSite* site, uint8_t* torn) {
  ExactSite earlier = *site, later;
  for (int attempt = 0; attempt < kSiteTries; ++attempt) {
    if (!file.ReadAt(offset, &later, sizeof later)) return false;
    if (std::memcmp(&earlier, &later, sizeof later) == 0) {
      *site = later;
      return true;
    }
    if (attempt + 1 < kSiteTries) earlier = later;
  }
  *site = later;
  if (later.freed.objects > later.allocated.objects || later.freed.bytes > later.allocated.bytes)
    site->freed = earlier.freed;
  *torn = 1;
  return true;
}

// Every site of a kind, read twice; *one_cut: nothing changed meanwhile.
bool ReadExactOnce(const File& file, const KindPlacement& kind, std::vector<ExactSite>* sites,
                   std::vector<uint8_t>* torn, bool* one_cut, std::string* fault) {
  std::vector<ExactSite> again;
  if (!ReadItems(file, kind, sites, fault)) return false;
  torn->assign(kind.count, 0);
  for (const Run& run : kind.runs) {
    again.resize(run.count);
    const uint64_t bytes = uint64_t{run.count} * sizeof(ExactSite);
    bool fine = file.ReadAt(run.offset, again.data(), bytes);
    ExactSite* first = sites->data() + run.first;
    if (fine && std::memcmp(first, again.data(), bytes) == 0) continue;
    *one_cut = false;
    for (uint32_t i = 0; fine && i < run.count; ++i) {
      if (std::memcmp(&first[i], &again[i], sizeof(ExactSite)) == 0) continue;
      first[i] = again[i];
      fine = SettleExactSite(file, run.offset + uint64_t{i} * sizeof(ExactSite), &first[i], &(*torn)[run.first + i]);
    }
    if (!fine) {
      *fault = "it became shorter while it was read";
      return false;
    }
  }
  return true;
}

// Reads sites [first, first + count) and says in *whole whether no event was booked meanwhile.
bool ReadSampledGroup(const File& file, uint64_t region_offset, const KindPlacement& kind, uint32_t first,
                      uint32_t count, RawImage* image, bool* whole) {
  uint64_t before = 0, after = 0;
  if (!ReadSequence(file, region_offset, &before)) return false;
  if (!file.ReadAt(OffsetOf(kind, first), image->sampled_sites.data() + first, uint64_t{count} * sizeof(SampledSite)) ||
      !ReadSequence(file, region_offset, &after)) {
    return false;
  }
  *whole = before == after && before % 2 == 0;
  return true;
}

bool ReadSampledPiecemeal(const File& file, uint64_t region_offset, const KindPlacement& kind, RawImage* image) {
  image->torn.assign(kind.count, 0);
  for (const Run& run : kind.runs) {
    for (uint32_t at = 0; at < run.count; at += kGroup) {
      const uint32_t first = run.first + at, count = std::min(kGroup, run.count - at);
      bool whole = false;
      if (!ReadSampledGroup(file, region_offset, kind, first, count, image, &whole)) return false;
      for (uint32_t i = first; !whole && i < first + count; ++i) {
        bool site_whole = false;
        for (int attempt = 0; attempt < kSiteTries && !site_whole; ++attempt) {
          if (!ReadSampledGroup(file, region_offset, kind, i, 1, image, &site_whole)) return false;
        }
        image->torn[i] = site_whole ? 0 : 1;
      }
    }
  }
  return true;
}

// Puts the saved copy in the place of the site that the writer was changing when it stopped.
void Undo(RawImage* image) {
  const uint32_t site = image->header.undo_site;
  image->stalled = true;
  if (site == 0 || site > image->sampled_sites.size() || image->sampled_sites.size() <= kSiteUndoId) return;
  image->sampled_sites[site - 1] = image->sampled_sites[kSiteUndoId];
  const uint32_t second = image->header.undo_second_site;
  if (second != 0 && second <= image->sampled_sites.size() && image->sampled_sites.size() > kSiteSecondUndoId) {
    image->sampled_sites[second - 1] = image->sampled_sites[kSiteSecondUndoId];
  }
  image->header.sampled_peak = image->header.undo_peak;
}

void ClearUndoItem(RawImage* image) {
  for (const uint32_t item : {kSiteUndoId, kSiteSecondUndoId}) {
    if (item < image->sampled_sites.size()) image->sampled_sites[item] = SampledSite{};
  }
}

}  // namespace

bool ReadHeader(const File& file, uint64_t region_offset, ImageHeader* header, std::string* fault) {
  if (!file.ReadAt(region_offset, header, sizeof *header)) {
    *fault = "its header lies beyond the file's end";
  } else if (header->magic != kImageMagic || header->header_bytes != kImageHeaderBytes) {
    *fault = "its header is not one";
  } else if (!IsKnown(header->mode)) {
    *fault = "it was recorded in an unknown mode (" + std::to_string(static_cast<uint32_t>(header->mode)) + ")";
  }
  return fault->empty();
}

bool ReadExactSites(const File& file, uint64_t region_offset, RawImage* image, std::string* fault) {
  for (int attempt = 0; attempt < kWholeTries; ++attempt) {
    const auto placement = CheckPlacement(image->header, region_offset, file.Size(), fault);
    image->one_cut = true;
    if (!placement || !ReadExactOnce(file, placement->of(Kind::kSites), &image->exact_sites, &image->torn,
                                     &image->one_cut, fault)) {
      return false;
    }
    ImageHeader after;
    if (!ReadHeader(file, region_offset, &after, fault)) return false;
    image->peak_moved = !SamePeak(image->header.exact_peak, after.exact_peak);
    image->header = after;
    if (!image->peak_moved) break;
  }
  return true;
}

bool ReadMappedSites(const File& file, const Placement& placement, RawImage* image, std::string* fault) {
  bool one_cut = true;
  return ReadExactOnce(file, placement.of(Kind::kMappedSites), &image->mapped_sites, &image->mapped_torn, &one_cut,
                       fault);
}

bool ReadRanges(const File& file, const Placement& placement, std::vector<MappedRange>* ranges, std::string* fault) {
  std::vector<MappedRange> once, twice;
  const KindPlacement& kind = placement.of(Kind::kRanges);
  if (!ReadItems(file, kind, &once, fault) || !ReadItems(file, kind, &twice, fault)) return false;
  for (size_t i = 0; i < once.size(); ++i) {
    const bool same = std::memcmp(&once[i], &twice[i], sizeof(MappedRange)) == 0;
    if (same && once[i].start < once[i].end) ranges->push_back(once[i]);
  }
  return true;
}

bool ReadSampledSites(const File& file, uint64_t region_offset, RawImage* image, std::string* fault) {
  for (int attempt = 0; attempt < kWholeTries; ++attempt) {
    uint64_t before = 0, after = 0;
    if (!ReadSequence(file, region_offset, &before)) *fault = "its header lies beyond the file's end";
    if (!fault->empty() || !ReadHeader(file, region_offset, &image->header, fault)) return false;
    const auto placement = CheckPlacement(image->header, region_offset, file.Size(), fault);
    if (!placement || !ReadItems(file, placement->of(Kind::kSites), &image->sampled_sites, fault)) return false;
    if (before % 2 != 0) WaitForWriter();
    if (!ReadSequence(file, region_offset, &after)) after = before + 1;
    image->one_cut = before == after;
    if (!image->one_cut) continue;
    image->torn.assign(image->sampled_sites.size(), 0);
    if (before % 2 != 0) Undo(image);
    ClearUndoItem(image);
    return true;
  }
  const auto placement = CheckPlacement(image->header, region_offset, file.Size(), fault);
  if (!placement) return false;
  if (!ReadSampledPiecemeal(file, region_offset, placement->of(Kind::kSites), image)) {
    *fault = "it became shorter while it was read";
    return false;
  }
  image->peak_moved = true;
  ClearUndoItem(image);
  return true;
}

}  // namespace heaptally::segment
