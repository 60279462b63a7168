#include "segment/placement.h"

#include <algorithm>

namespace heaptally::segment {
namespace {

constexpr const char* kKindNames[kKinds] = {"sites",   "stack nodes",  "histograms",
                                             "modules", "mapped sites", "ranges"};

struct Range {
  uint64_t start;
  uint64_t bytes;
};

// True iff [range) lies in a file of `length` bytes.
bool Fits(const Range& range, uint64_t length) { return range.start <= length && range.bytes <= length - range.start; }

bool Overlap(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].start < ranges[i - 1].start + ranges[i - 1].bytes) return true;
  }
  return false;
}

// Collects the runs of one kind that hold its `count` items; empty string if they are where they may be.
std::string PlaceKind(const ImageHeader& header, uint32_t kind, uint64_t length, KindPlacement* placement,
                      std::vector<Range>* ranges) {
  const KindDirectory& directory = header.kinds[kind];
  const std::string name = kKindNames[kind];
  placement->item_bytes = ItemBytes(static_cast<Kind>(kind), header.mode);
  placement->count = directory.count;
  if (directory.count == 0) return "";
  if (directory.item_bytes != placement->item_bytes) {
    return name + " of " + std::to_string(directory.item_bytes) + " bytes each instead of " +
           std::to_string(placement->item_bytes);
  }
  const uint64_t root_bytes = uint64_t{directory.root_capacity} * placement->item_bytes;
  if (!Fits({directory.root_offset, root_bytes}, length)) return "the first " + name + " lie beyond the file's end";
  const uint32_t in_root = std::min(directory.count, directory.root_capacity);
  if (in_root > 0) {
    placement->runs.push_back({0, in_root, directory.root_offset});
    ranges->push_back({directory.root_offset, root_bytes});
  }
  const uint32_t in_slab = kSlabBytes / placement->item_bytes;
  for (uint32_t slab = 0, first = in_root; first < directory.count; ++slab, first += in_slab) {
    if (slab >= directory.slabs || slab >= kMaxSlabs[kind]) return "more " + name + " than there is room for";
    const uint64_t offset = uint64_t{header.slab_page[kFirstSlab[kind] + slab]} * kPageBytes;
    if (!Fits({offset, kSlabBytes}, length))
      return "slab " + std::to_string(slab) + " of " + name + " lies beyond the file's end";
    placement->runs.push_back({first, std::min(in_slab, directory.count - first), offset});
    ranges->push_back({offset, kSlabBytes});
  }
  return "";
}

std::string PlacePieces(const ImageHeader& header, uint64_t length, std::vector<PieceEntry>* pieces,
                        std::vector<Range>* ranges) {
  if (!IsSampled(header.mode)) return "";
  if (header.pieces > kMaxPieces) return "more sample pieces than there can be";
  for (uint32_t i = 0; i < header.pieces; ++i) {
    const PieceEntry& piece = header.piece[i];
    const bool power_of_two = piece.buckets != 0 && (piece.buckets & (piece.buckets - 1)) == 0;
    if (!power_of_two || piece.buckets > length / sizeof(SampleBucket)) return "sample piece of impossible size";
    const Range range{piece.offset, piece.buckets * sizeof(SampleBucket)};
    if (!Fits(range, length)) return "sample piece " + std::to_string(i) + " lies beyond the file's end";
    pieces->push_back(piece);
    ranges->push_back(range);
  }
  return "";
}

}  // namespace

uint32_t ItemBytes(Kind kind, Mode mode) {
  const bool exact = mode == Mode::kExact;
  switch (kind) {
    case Kind::kSites:
      return exact ? sizeof(ExactSite) : sizeof(SampledSite);
    case Kind::kNodes:
      return sizeof(Node);
    case Kind::kHistograms:
      return exact ? sizeof(ExactHistogram) : sizeof(SampledHistogram);
    case Kind::kMappedSites:
      return sizeof(ExactSite);
    case Kind::kRanges:
      return sizeof(MappedRange);
    default:
      return sizeof(Module);
  }
}

uint64_t ReadBudget(const File::Extent& size) {
  constexpr uint64_t kSlack = 1u << 20;
  if (size.allocated > (UINT64_MAX - kSlack) / 16) return size.length;
  return std::min(size.length, size.allocated * 16 + kSlack);
}

std::optional<Placement> CheckPlacement(const ImageHeader& header, uint64_t region_offset, const File::Extent& size,
                                        std::string* fault) {
  Placement placement;
  std::vector<Range> ranges = {{0, sizeof(FileHeader)}, {region_offset, kImageHeaderBytes}};
  for (uint32_t kind = 0; kind < kKinds && fault->empty(); ++kind) {
    *fault = PlaceKind(header, kind, size.length, &placement.kinds[kind], &ranges);
  }
  if (fault->empty()) *fault = PlacePieces(header, size.length, &placement.pieces, &ranges);
  if (fault->empty() && Overlap(ranges)) *fault = "two parts of it lie on top of each other";
  uint64_t items = 0;
  for (const KindPlacement& kind : placement.kinds) items += uint64_t{kind.count} * kind.item_bytes;
  for (const PieceEntry& piece : placement.pieces) items += piece.buckets * sizeof(SampleBucket);
  if (fault->empty() && items > ReadBudget(size)) {
    *fault = "it claims " + std::to_string(items >> 20) + " MiB of records but takes only " +
             std::to_string(size.allocated >> 20) + " MiB of room";
  }
  if (!fault->empty()) return std::nullopt;
  return placement;
}

}  // namespace heaptally::segment
