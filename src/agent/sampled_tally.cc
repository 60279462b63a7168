#include "agent/sampled_tally.h"

#include "agent/clock.h"
#include "agent/draws.h"
#include "agent/image.h"
#include "agent/live_table.h"
#include "agent/owner_lock.h"
#include "agent/page_filter.h"
#include "agent/segment_file.h"
#include "agent/thread_state.h"
#include "sampling/peak_halves.h"

namespace heaptally::agent::sampled {
namespace {

using sampling::ObjectSums;
using sampling::PeakSample;
using segment::ImageHeader;
using segment::Loss;
using segment::Sample;
using segment::SampledHistogram;
using segment::SampledSite;
using Table = LiveTable<Sample>;
static_assert(sizeof(Table::Bucket) == sizeof(segment::SampleBucket));

Table g_live;
constexpr uint32_t kLockYields = 100000;
constexpr uint32_t kMaxChain = 16;

// Between these two, the sums of one or two sites and the peak may be half changed.
void BeginChange(uint32_t site, uint32_t second_site) {
  ImageHeader* header = g_image.header;
  *SampledSiteAt(segment::kSiteUndoId) = *SampledSiteAt(site);
  header->undo_peak = header->sampled_peak;
  header->undo_site = site + 1;
  header->undo_second_site = 0;
  if (second_site != site) {
    *SampledSiteAt(segment::kSiteSecondUndoId) = *SampledSiteAt(second_site);
    header->undo_second_site = second_site + 1;
  }
  __atomic_fetch_add(&header->tally_sequence, 1, __ATOMIC_ACQ_REL);
}
void EndChange() {
  ImageHeader* header = g_image.header;
  __atomic_fetch_add(&header->tally_sequence, 1, __ATOMIC_ACQ_REL);
  header->undo_site = 0;
  header->undo_second_site = 0;
}

HT_ALWAYS_INLINE bool Lock() {
  ImageHeader* header = g_image.header;
  switch (AcquireOwnerLock(&header->tally_lock, &header->tally_owner_sp, kLockYields)) {
    case LockResult::kYes:
      return true;
    case LockResult::kAbandoned:
      // The change that was under way is taken back.
      if (header->tally_sequence % 2 != 0) {
        if (header->undo_site != 0) *SampledSiteAt(header->undo_site - 1) = *SampledSiteAt(segment::kSiteUndoId);
        if (header->undo_second_site != 0) *SampledSiteAt(header->undo_second_site - 1) = *SampledSiteAt(segment::kSiteSecondUndoId);
        header->sampled_peak = header->undo_peak;
        EndChange();
      }
      return true;
    case LockResult::kReentry:
      CountLoss(Loss::kLockReentry);
      return false;
    default:
      CountLoss(Loss::kLockTimeout);
      return false;
  }
}

void Unlock() { ReleaseOwnerLock(&g_image.header->tally_lock); }

uint32_t ClassOf(uint64_t value) { return value == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(value)); }

SampledHistogram* HistogramAt(uint32_t id) { return reinterpret_cast<SampledHistogram*>(ItemAddress(segment::Kind::kHistograms, id)); }

// As in exact mode: the first class's sums are derived, the others are counted in a chain. REQUIRES: the lock.
void CountClass(uint8_t* first_class, uint32_t* chain, uint32_t which, const sampling::Terms& terms) {
  if (*first_class == 0) *first_class = static_cast<uint8_t>(which + 1);
  if (*first_class == which + 1) return;
  uint32_t* link = chain;
  for (uint32_t part = 0; part < kMaxChain; ++part) {
    if (*link == 0) {
      const uint32_t made = Append(segment::Kind::kHistograms);
      if (made == kNoItem) break;
      __atomic_store_n(link, made + 1, __ATOMIC_RELEASE);
    }
    SampledHistogram* histogram = HistogramAt(*link - 1);
    for (SampledHistogram::Entry& entry : histogram->entry) {
      if (entry.size_class != 0 && entry.size_class != which + 1) continue;
      entry.size_class = which + 1;
      entry.sums.Add(terms);
      return;
    }
    link = &histogram->next;
  }
  CountLoss(Loss::kHistogramFull);
}

// REQUIRES: the lock, and a change that was begun for the site.
void BookAllocation(uint32_t site_id, uint64_t size, const Drawn& drawn, bool is_move, bool in_place) {
  SampledSite* site = SampledSiteAt(site_id);
  const PeakSample sample = sampling::MakePeakSample(BytesBooked(size), OddsOf(size, drawn.period), drawn.halves);
  CountClass(&site->head.first_size_class, &site->head.size_histogram, ClassOf(size), sample.whole);
  site->allocated.Add(sample.whole);
  if (is_move) site->reallocs.Add(sample.whole);
  if (in_place) site->reallocs_in_place.Add(sample.whole);
  if (size < site->smallest_sampled) site->smallest_sampled = size;
  if (drawn.period > site->largest_period) site->largest_period = drawn.period;
  g_image.header->sampled_peak.AfterAlloc(site->peak, sample);
  LearnFromSample(size, drawn.period);
}

// REQUIRES: the lock, and a change that was begun for the site.
void BookRelease(const Sample& ended, bool temporary) {
  SampledSite* site = SampledSiteAt(ended.site);
  const PeakSample sample = sampling::MakePeakSample(BytesBooked(ended.size), OddsOf(ended.size, ended.period), static_cast<sampling::HalfMembership>(ended.halves));
  const uint64_t now = Now();
  g_image.header->sampled_peak.BeforeFree(site->peak, sample, now);
  CountClass(&site->head.first_life_class, &site->head.life_histogram, ClassOf(now > ended.clock ? now - ended.clock : 0), sample.whole);
  site->freed.Add(sample.whole);
  if (temporary) site->temporary.Add(sample.whole);
}

// REQUIRES: the lock.
void ChangeByRelease(const Sample& ended, bool temporary) {
  BeginChange(ended.site, ended.site);
  BookRelease(ended, temporary);
  EndChange();
}

bool GrowTable() {  // REQUIRES: the lock
  ImageHeader* header = g_image.header;
  if (g_live.pieces() == segment::kMaxPieces) return false;
  uint64_t buckets = g_live.last_piece_buckets() * 2;
  const uint64_t bytes = (buckets * sizeof(Table::Bucket) + segment::kPageBytes - 1) & ~uint64_t{segment::kPageBytes - 1};
  const Extent extent = ExtendSegment(bytes);
  if (extent.memory == nullptr) {
    __atomic_fetch_or(&header->image_flags, segment::kImageFlagGrowthRefused, __ATOMIC_RELAXED);
    CountLoss(Loss::kSegmentFull);
    return false;
  }
  header->piece[header->pieces] = {extent.offset, buckets};
  __atomic_store_n(&header->pieces, header->pieces + 1, __ATOMIC_RELEASE);
  g_live.AddPiece(reinterpret_cast<Table::Bucket*>(extent.memory), buckets);
  return true;
}

Table::Slot ClaimOrGrow(uint64_t address) {  // REQUIRES: the lock
  for (;;) {
    const Table::Slot slot = g_live.Claim(address);
    if (slot || !GrowTable()) return slot;
  }
}

// REQUIRES: the lock. The filter of the page is up.
void EndLostRelease(uint64_t address) {
  const Table::Slot slot = g_live.Find(address);
  if (!slot) return;
  const Sample ended = *slot.value;
  if (!Table::Take(slot, address, kDeadKey)) return;
  ChangeByRelease(ended, false);
  FilterDown(reinterpret_cast<void*>(address));
  CountLoss(Loss::kLostRelease);
}

void NoteLastBlock(uint64_t address) {
  t_state.last_block = address;
  t_state.countdown_after_last = LeftOfDraw();
}

bool IsTemporary(uint64_t address, const Sample& sample) {
  return address == t_state.last_block && LeftOfDraw() == t_state.countdown_after_last && sample.thread == t_state.slot;
}

}  // namespace

bool Open() {
  ImageHeader* header = g_image.header;
  g_live.Clear();
  const uint64_t region = reinterpret_cast<uint64_t>(header);
  const uint64_t region_offset = uint64_t{g_file->images[g_image.index].page} * segment::kPageBytes;
  g_live.AddPiece(reinterpret_cast<Table::Bucket*>(region + (header->piece[0].offset - region_offset)), header->piece[0].buckets);
  return true;
}

void Reopen() { Open(); }

void Acquired(void* pointer, uint64_t size, uint32_t site, const Drawn& drawn) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (!Lock()) return;
  if (MayBeRecorded(pointer)) EndLostRelease(address);
  const Table::Slot slot = ClaimOrGrow(address);
  if (!slot) {
    CountLoss(Loss::kSampleTableFull);
  } else {
    *slot.value = Sample{size, drawn.period, Now(), site, t_state.slot, 0, static_cast<uint32_t>(drawn.halves), 0};
    FilterUp(pointer);
    BeginChange(site, site);
    BookAllocation(site, size, drawn, false, false);
    EndChange();
    Table::Publish(slot, address);
    NoteLastBlock(address);
  }
  Unlock();
}

bool Releasing(void* pointer) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const Table::Slot slot = g_live.Find(address);
  if (!slot) return false;
  if (!Lock()) return false;
  const Sample ended = *slot.value;
  const bool won = Table::Take(slot, address, kDeadKey);
  if (won) ChangeByRelease(ended, IsTemporary(address, ended));
  Unlock();
  if (won) FilterDown(pointer);
  return won;
}

Transit BeginMove(void* pointer) {
  Transit transit;
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const Table::Slot slot = g_live.Find(address);
  if (!slot || !Table::Take(slot, address, kTransitKey)) return transit;
  transit.key = slot.key;
  transit.sample = slot.value;
  transit.pointer = pointer;
  return transit;
}

void AbortMove(const Transit& transit) {
  if (transit.key != nullptr) __atomic_store_n(transit.key, LiveKey(reinterpret_cast<uint64_t>(transit.pointer)), __ATOMIC_RELEASE);
}

void EndMove(const Transit& transit) {
  if (transit.key == nullptr) return;
  if (Lock()) {
    ChangeByRelease(*transit.sample, false);
    Unlock();
  }
  __atomic_store_n(transit.key, kDeadKey, __ATOMIC_RELEASE);
  FilterDown(transit.pointer);
}

void CommitMove(const Transit& transit, const void* old_pointer, void* new_pointer, uint64_t size, uint32_t site, const Drawn* drawn) {
  if (drawn == nullptr) {
    EndMove(transit);
    return;
  }
  const uint64_t address = reinterpret_cast<uint64_t>(new_pointer);
  const bool known = transit.key != nullptr;
  if (!Lock()) {
    AbortMove(transit);  // the old record stays; the next insert of its address ends it
    return;
  }
  if (MayBeRecorded(new_pointer)) EndLostRelease(address);
  const Table::Slot slot = ClaimOrGrow(address);
  // One change of both sites: whoever reads sees the block once, under its old size or its new one.
  BeginChange(slot ? site : transit.sample->site, known ? transit.sample->site : site);
  if (!slot) {
    CountLoss(Loss::kSampleTableFull);
  } else {
    // One birth for the block, however often it moved.
    const uint64_t birth = known ? transit.sample->clock : Now();
    *slot.value = Sample{size, drawn->period, birth, site, t_state.slot, 0, static_cast<uint32_t>(drawn->halves), 0};
    FilterUp(new_pointer);
    // From here on the old record counts only while the new one is not live.
    if (known) __atomic_store_n(&transit.sample->successor, g_live.GlobalNumber(slot) + 1, __ATOMIC_RELEASE);
    BookAllocation(site, size, *drawn, true, new_pointer == old_pointer);
  }
  if (known) BookRelease(*transit.sample, false);
  EndChange();
  if (slot) {
    Table::Publish(slot, address);
    NoteLastBlock(address);
  }
  if (known) {
    transit.sample->successor = 0;
    __atomic_store_n(transit.key, kDeadKey, __ATOMIC_RELEASE);
  }
  Unlock();
  if (known) FilterDown(transit.pointer);
}

}  // namespace heaptally::agent::sampled
