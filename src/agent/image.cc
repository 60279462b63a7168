#include "agent/image.h"

#include "agent/owner_lock.h"
#include "agent/segment_file.h"

namespace heaptally::agent {

Image g_image;

namespace {

using segment::Kind;
using segment::KindDirectory;
using segment::kKinds;
using segment::Mode;

uint32_t ItemBytes(Mode mode, uint32_t kind) {
  const bool exact = mode == Mode::kExact;
  switch (static_cast<Kind>(kind)) {
    case Kind::kSites:
      return exact ? sizeof(segment::ExactSite) : sizeof(segment::SampledSite);
    case Kind::kNodes:
      return sizeof(segment::Node);
    case Kind::kHistograms:
      return exact ? sizeof(segment::ExactHistogram) : sizeof(segment::SampledHistogram);
    case Kind::kMappedSites:
      return sizeof(segment::ExactSite);
    case Kind::kRanges:
      return sizeof(segment::MappedRange);
    default:
      return sizeof(segment::Module);
  }
}

constexpr uint32_t kGrowYields = 20000;

constexpr uint64_t RoundUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

bool Grow(Kind kind) {
  const auto k = static_cast<uint32_t>(kind);
  const LockResult acquired = AcquireOwnerLock(&g_image.grow_lock, &g_image.grow_owner_sp, kGrowYields);
  if (acquired == LockResult::kReentry || acquired == LockResult::kTimeout) return false;
  segment::ImageHeader* header = g_image.header;
  KindDirectory& directory = header->kinds[k];
  const uint32_t capacity = g_image.root_capacity[k] + g_image.slabs[k] * g_image.items_per_slab[k];
  bool grown = __atomic_load_n(&directory.count, __ATOMIC_RELAXED) < capacity;  // somebody else grew it meanwhile
  if (!grown && g_image.slabs[k] < segment::kMaxSlabs[k]) {
    const Extent extent = ExtendSegment(segment::kSlabBytes);
    if (extent.memory != nullptr) {
      const uint32_t at = segment::kFirstSlab[k] + g_image.slabs[k];
      g_image.slab[at] = extent.memory;
      header->slab_page[at] = static_cast<uint32_t>(extent.offset / segment::kPageBytes);
      __atomic_store_n(&directory.slabs, g_image.slabs[k] + 1, __ATOMIC_RELEASE);
      __atomic_store_n(&g_image.slabs[k], g_image.slabs[k] + 1, __ATOMIC_RELEASE);
      grown = true;
    } else {
      __atomic_fetch_or(&header->image_flags, segment::kImageFlagGrowthRefused, __ATOMIC_RELAXED);
    }
  }
  ReleaseOwnerLock(&g_image.grow_lock);
  return grown;
}

}  // namespace

RegionPlan FirstPlan(Mode mode) {
  if (mode == Mode::kExact) return {{1536, 8192, 1024, 48, 64, 192}, 0};
  return {{384, 8192, 256, 48, 64, 192}, 128};
}

RegionPlan ChildPlan(Mode mode) {
  if (mode == Mode::kExact) return {{192, 1536, 160, 12, 12, 32}, 0};
  return {{32, 1024, 32, 12, 12, 32}, 32};
}

uint64_t RegionBytes(Mode mode, const RegionPlan& plan) {
  uint64_t bytes = segment::kImageHeaderBytes;
  for (uint32_t k = 0; k < kKinds; ++k) bytes += RoundUp(uint64_t{plan.items[k]} * ItemBytes(mode, k), 64);
  bytes += uint64_t{plan.piece_buckets} * sizeof(segment::SampleBucket);
  return RoundUp(bytes, segment::kPageBytes);
}

void FormatRegion(uint8_t* memory, uint64_t offset, Mode mode, uint64_t period_bytes, const RegionPlan& plan) {
  auto* header = reinterpret_cast<segment::ImageHeader*>(memory);
  header->header_bytes = segment::kImageHeaderBytes;
  header->mode = mode;
  header->period_bytes = mode == Mode::kExact ? 0 : period_bytes;
  uint64_t at = segment::kImageHeaderBytes;
  for (uint32_t k = 0; k < kKinds; ++k) {
    header->kinds[k].item_bytes = ItemBytes(mode, k);
    header->kinds[k].root_capacity = plan.items[k];
    header->kinds[k].root_offset = offset + at;
    at += RoundUp(uint64_t{plan.items[k]} * ItemBytes(mode, k), 64);
  }
  if (plan.piece_buckets != 0) {
    header->piece[0] = {offset + at, plan.piece_buckets};
    header->pieces = 1;
  }
  // Item 0 of the nodes is the root; sites begin after "other" and the undo copies.
  header->kinds[static_cast<uint32_t>(Kind::kNodes)].count = 1;
  header->kinds[static_cast<uint32_t>(Kind::kSites)].count = segment::kFirstSiteId;
  KindDirectory& mapped = header->kinds[static_cast<uint32_t>(Kind::kMappedSites)];
  mapped.count = segment::kFirstMappedId;
  auto* mapped_site = reinterpret_cast<segment::ExactSite*>(memory + (mapped.root_offset - offset));
  mapped_site[segment::kMappedOtherId].head.flags = segment::kSiteOther;
  for (uint32_t i = 0; i < segment::kFirstMappedId; ++i) mapped_site[i].head.memory_class = segment::kClassMapped;
  const uint64_t sites = header->kinds[static_cast<uint32_t>(Kind::kSites)].root_offset - offset;
  if (mode == Mode::kExact) {
    reinterpret_cast<segment::ExactSite*>(memory + sites)->head.flags = segment::kSiteOther;
  } else {
    auto* other = reinterpret_cast<segment::SampledSite*>(memory + sites);
    other->head.flags = segment::kSiteOther;
    other->smallest_sampled = UINT64_MAX;
  }
  header->magic = segment::kImageMagic;
}

void OpenRegion(uint8_t* memory, uint64_t offset, uint32_t index) {
  auto* header = reinterpret_cast<segment::ImageHeader*>(memory);
  g_image.index = index;
  for (uint32_t k = 0; k < kKinds; ++k) {
    const KindDirectory& directory = header->kinds[k];
    g_image.root[k] = memory + (directory.root_offset - offset);
    g_image.root_capacity[k] = directory.root_capacity;
    g_image.item_bytes[k] = directory.item_bytes;
    g_image.items_per_slab[k] = segment::kSlabBytes / directory.item_bytes;
    g_image.slabs[k] = 0;
  }
  g_image.grow_lock = 0;
  g_image.header = header;
}

uint32_t Append(Kind kind) {
  const auto k = static_cast<uint32_t>(kind);
  KindDirectory& directory = g_image.header->kinds[k];
  for (;;) {
    uint32_t id = __atomic_load_n(&directory.count, __ATOMIC_RELAXED);
    const uint32_t slabs = __atomic_load_n(&g_image.slabs[k], __ATOMIC_ACQUIRE);
    if (id < g_image.root_capacity[k] + slabs * g_image.items_per_slab[k]) {
      if (__atomic_compare_exchange_n(&directory.count, &id, id + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return id;
    } else if (!Grow(kind)) {
      CountLoss(segment::Loss::kSegmentFull);
      return kNoItem;
    }
  }
}

}  // namespace heaptally::agent
