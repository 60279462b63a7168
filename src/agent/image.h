// This process's part of the segment: its header, and its items (sites, nodes, histograms, modules) by number.
//
// Items are numbered from 0 and never move or go away. Item i lies in the image's region while i is below the root
// capacity, else in a slab. Numbers are handed out by Append(); what they hold is published by the caller's own stores.
#pragma once

#include <cstdint>

#include "agent/config.h"
#include "base/branch.h"
#include "segment/layout.h"

namespace heaptally::agent {

inline constexpr uint32_t kNoItem = UINT32_MAX;

struct Image {
  segment::ImageHeader* header = nullptr;  // nullptr: this process records nothing
  uint32_t index = 0;                      // in FileHeader::images
  uint8_t* root[segment::kKinds] = {};
  uint32_t root_capacity[segment::kKinds] = {};
  uint32_t items_per_slab[segment::kKinds] = {};
  uint32_t item_bytes[segment::kKinds] = {};
  uint32_t slabs[segment::kKinds] = {};
  uint64_t grow_lock = 0;
  uint64_t grow_owner_sp = 0;
  uint8_t* slab[segment::kMaxSlabsInAll] = {};
};
extern Image g_image __attribute__((visibility("hidden")));

// Sizes of a region's parts. A first image gets kFirst, a forked child kChild.
struct RegionPlan {
  uint32_t items[segment::kKinds];
  uint32_t piece_buckets;  // bytes mode; a power of two
};
RegionPlan FirstPlan(segment::Mode mode);
RegionPlan ChildPlan(segment::Mode mode);
uint64_t RegionBytes(segment::Mode mode, const RegionPlan& plan);

// Writes the header of an empty region (all bytes zero before) at file offset `offset`, mapped at `memory`.
void FormatRegion(uint8_t* memory, uint64_t offset, segment::Mode mode, uint64_t period_bytes, const RegionPlan& plan);

// Makes g_image speak of the region at `memory`. Single-threaded, or under the claim of a new child.
void OpenRegion(uint8_t* memory, uint64_t offset, uint32_t index);

HT_ALWAYS_INLINE uint8_t* ItemAddress(segment::Kind kind, uint32_t id) {
  const auto k = static_cast<uint32_t>(kind);
  if (id < g_image.root_capacity[k]) return g_image.root[k] + static_cast<uint64_t>(id) * g_image.item_bytes[k];
  id -= g_image.root_capacity[k];
  const uint32_t slab = id / g_image.items_per_slab[k];
  const uint32_t in_slab = id - slab * g_image.items_per_slab[k];
  return g_image.slab[segment::kFirstSlab[k] + slab] + static_cast<uint64_t>(in_slab) * g_image.item_bytes[k];
}

inline segment::ExactSite* ExactSiteAt(uint32_t id) { return reinterpret_cast<segment::ExactSite*>(ItemAddress(segment::Kind::kSites, id)); }
inline segment::SampledSite* SampledSiteAt(uint32_t id) { return reinterpret_cast<segment::SampledSite*>(ItemAddress(segment::Kind::kSites, id)); }
inline segment::Node* NodeAt(uint32_t id) { return reinterpret_cast<segment::Node*>(ItemAddress(segment::Kind::kNodes, id)); }
inline segment::ExactSite* MappedSiteAt(uint32_t id) { return reinterpret_cast<segment::ExactSite*>(ItemAddress(segment::Kind::kMappedSites, id)); }
inline segment::MappedRange* RangeAt(uint32_t id) { return reinterpret_cast<segment::MappedRange*>(ItemAddress(segment::Kind::kRanges, id)); }
inline segment::Module* ModuleAt(uint32_t id) { return reinterpret_cast<segment::Module*>(ItemAddress(segment::Kind::kModules, id)); }

// A new zeroed item; kNoItem when the segment can't grow (counted as Loss::kSegmentFull). Thread-safe; a signal handler
// that interrupts a growth on its own thread gets kNoItem.
uint32_t Append(segment::Kind kind);

inline void CountLoss(segment::Loss reason, uint64_t events = 1) {
  if (g_image.header != nullptr) __atomic_fetch_add(&g_image.header->loss[static_cast<uint32_t>(reason)], events, __ATOMIC_RELAXED);
}

using segment::kSiteOtherId;

}  // namespace heaptally::agent
