#include "agent/mapped_tally.h"

#include "agent/clock.h"
#include "agent/exact_peak.h"
#include "agent/image.h"
#include "agent/owner_lock.h"
#include "agent/private_memory.h"
#include "agent/range_table.h"
#include "platform/atomic_words.h"

namespace heaptally::agent::mapped {
namespace {

using segment::ExactSite;
using segment::Kind;
using segment::Loss;
using segment::MappedRange;

struct SegmentStore {
  static MappedRange* At(uint32_t id) { return RangeAt(id); }
  static uint32_t Append() { return agent::Append(Kind::kRanges); }
  static void* Map(uint64_t bytes) { return MapPrivate(bytes); }
  static void Unmap(void* memory, uint64_t bytes) { UnmapPrivate(memory, bytes); }
};

RangeTable<SegmentStore> g_ranges;
uint64_t g_lock, g_owner_sp;
uint64_t g_stamp;
constexpr uint32_t kLockYields = 100000;

bool Lock() {
  switch (AcquireOwnerLock(&g_lock, &g_owner_sp, kLockYields)) {
    case LockResult::kYes:
      return true;
    case LockResult::kAbandoned:  // a handler jumped out of a change
      g_ranges.Rebuild(g_image.header->kinds[static_cast<uint32_t>(Kind::kRanges)].count);
      return true;
    default:
      CountLoss(Loss::kMappingMissed);
      return false;
  }
}

void Unlock() { ReleaseOwnerLock(&g_lock); }

void Count(segment::Counts* counts, uint64_t objects, uint64_t bytes) {
  platform::AddPair(reinterpret_cast<uint64_t*>(counts), objects, bytes);
}

void ChangeLive(uint32_t site, int64_t delta) {
  if (site != segment::kMappedAllocatorId) PublishLive(&g_image.header->mapped_peak, delta);
}

void BookMapping(uint32_t site_id, uint64_t bytes, bool is_move, bool in_place) {
  ExactSite* site = MappedSiteAt(site_id);
  KeepPeakValue(g_image.header->mapped_peak, site);
  Count(&site->allocated, 1, bytes);
  if (is_move) __atomic_fetch_add(&site->reallocs, 1, __ATOMIC_RELAXED);
  if (in_place) __atomic_fetch_add(&site->reallocs_in_place, 1, __ATOMIC_RELAXED);
}

void BookRelease(const MappedRange& range, uint64_t bytes, bool ended) {
  ExactSite* site = MappedSiteAt(range.site);
  KeepPeakValue(g_image.header->mapped_peak, site);
  Count(&site->freed, ended ? 1 : 0, bytes);
}

// What a removal took away; the total falls when all of it is known, so that a move is one step of it.
struct Removed {
  uint64_t bytes = 0;   // of the program's own
  uint64_t birth = 0;   // of the first range; 0: none
};

// REQUIRES: the lock.
Removed Remove(uint64_t start, uint64_t end, uint64_t newest) {
  Removed removed;
  const bool whole = g_ranges.Remove(start, end, newest, [&](const MappedRange& range, uint64_t bytes, bool ended) {
    if (range.site != segment::kMappedAllocatorId) {
      LeavePeak(&g_image.header->mapped_peak);
      removed.bytes += bytes;
    }
    if (removed.birth == 0) removed.birth = range.birth;
    BookRelease(range, bytes, ended);
  });
  if (!whole) CountLoss(Loss::kRangeTableFull);
  return removed;
}

// REQUIRES: the lock. Nothing is left of what was there.
void Insert(uint64_t start, uint64_t bytes, uint32_t site, uint64_t birth) {
  const uint64_t stamp = __atomic_add_fetch(&g_stamp, 1, __ATOMIC_RELAXED);
  if (!g_ranges.Insert(start, start + bytes, site, birth, stamp)) CountLoss(Loss::kRangeTableFull);
}

}  // namespace

bool Open() { return true; }

void Reopen() {
  g_ranges.Reset();
  g_lock = 0;
}

uint64_t Stamp() { return __atomic_load_n(&g_stamp, __ATOMIC_RELAXED); }

void Mapped(uint64_t start, uint64_t bytes, uint32_t site) {
  if (!Lock()) return;
  const Removed replaced = Remove(start, start + bytes, UINT64_MAX);
  ChangeLive(segment::kMappedOtherId, -static_cast<int64_t>(replaced.bytes));
  BookMapping(site, bytes, false, false);
  ChangeLive(site, static_cast<int64_t>(bytes));
  Insert(start, bytes, site, Now());
  Unlock();
}

void Unmapped(uint64_t start, uint64_t bytes, uint64_t newest) {
  if (!Lock()) return;
  const Removed removed = Remove(start, start + bytes, newest);
  ChangeLive(segment::kMappedOtherId, -static_cast<int64_t>(removed.bytes));
  Unlock();
}

void Moved(const Move& move, uint32_t site) {
  if (!Lock()) return;
  Removed old;
  if (!move.old_stays) old = Remove(move.old_start, move.old_start + move.old_bytes, move.newest);
  const Removed replaced = Remove(move.new_start, move.new_start + move.new_bytes, UINT64_MAX);
  BookMapping(site, move.new_bytes, !move.old_stays, !move.old_stays && move.new_start == move.old_start);
  ChangeLive(segment::kMappedOtherId, -static_cast<int64_t>(old.bytes + replaced.bytes));
  ChangeLive(site, static_cast<int64_t>(move.new_bytes));
  Insert(move.new_start, move.new_bytes, site, old.birth != 0 ? old.birth : Now());
  Unlock();
}

}  // namespace heaptally::agent::mapped
