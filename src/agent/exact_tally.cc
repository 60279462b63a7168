#include "agent/exact_tally.h"

#include "agent/clock.h"
#include "agent/exact_peak.h"
#include "agent/image.h"
#include "agent/live_table.h"
#include "agent/owner_lock.h"
#include "agent/private_memory.h"
#include "agent/thread_state.h"
#include "agent/thread_table.h"
#include "platform/atomic_words.h"

namespace heaptally::agent::exact {
namespace {

using segment::Counts;
using segment::ExactHistogram;
using segment::ExactPeak;
using segment::ExactSite;
using segment::Loss;

constexpr uint64_t kFirstBuckets = 2048;
constexpr uint64_t kFirstBigBuckets = 64;
constexpr int64_t kBatchBytes = 16 << 10;
constexpr uint32_t kMaxChain = 16;

BlockTable g_live;
uint32_t g_releases_get_lost;
LiveTable<uint64_t> g_big;  // sizes of blocks too large for an entry of g_live
uint64_t g_grow_lock, g_grow_owner_sp;
constexpr uint32_t kGrowYields = 20000;

uint64_t Birth(uint64_t now) { return now >> kBirthShift & kBirthMask; }

HT_ALWAYS_INLINE void AddCounts(Counts* counts, uint64_t bytes) {
  platform::AddPair(reinterpret_cast<uint64_t*>(counts), 1, bytes);
}

uint32_t ClassOf(uint64_t value) { return value == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(value)); }

ExactHistogram* HistogramAt(uint32_t id) { return reinterpret_cast<ExactHistogram*>(ItemAddress(segment::Kind::kHistograms, id)); }

// Counts `which` in the chain that begins at *head, making entries as needed.
HT_NOINLINE bool CountInChain(uint32_t* head, uint32_t which) {
  uint32_t* link = head;
  for (uint32_t part = 0; part < kMaxChain; ++part) {
    uint32_t next = __atomic_load_n(link, __ATOMIC_ACQUIRE);
    if (next == 0) {
      const uint32_t made = Append(segment::Kind::kHistograms);
      if (made == kNoItem) return false;
      // Two threads may both have made a part; the loser's stays empty and unused.
      if (__atomic_compare_exchange_n(link, &next, made + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) next = made + 1;
    }
    ExactHistogram* histogram = HistogramAt(next - 1);
    for (uint64_t& entry : histogram->entry) {
      uint64_t value = __atomic_load_n(&entry, __ATOMIC_RELAXED);
      if (HT_LIKELY(value >> 56 == which + 1)) {
        __atomic_fetch_add(&entry, 1, __ATOMIC_RELAXED);
        return true;
      }
      if (value == 0 && __atomic_compare_exchange_n(&entry, &value, static_cast<uint64_t>(which + 1) << 56 | 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return true;
      if (value >> 56 == which + 1) {
        __atomic_fetch_add(&entry, 1, __ATOMIC_RELAXED);
        return true;
      }
    }
    link = &histogram->next;
  }
  return false;
}

// Most sites see one class only: then nothing is counted here (the reader derives it from the totals).
HT_ALWAYS_INLINE void CountClass(uint8_t* first_class, uint32_t* chain, uint32_t which) {
  const uint8_t wanted = static_cast<uint8_t>(which + 1);
  uint8_t first = __atomic_load_n(first_class, __ATOMIC_RELAXED);
  if (HT_LIKELY(first == wanted)) return;
  if (first == 0 && __atomic_compare_exchange_n(first_class, &first, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
  if (first == wanted) return;
  if (!CountInChain(chain, which)) CountLoss(Loss::kHistogramFull);
}

// Adds to the pending sum of this thread's entry in one instruction, so that a signal handler's event is not lost.
HT_ALWAYS_INLINE int64_t AddPending(ThreadEntry* entry, int64_t delta) {
  int64_t old = delta;
  __asm__ volatile("xaddq %0, %1" : "+r"(old), "+m"(entry->pending_bytes) : : "memory");
  return old + delta;
}

HT_ALWAYS_INLINE int64_t TakePending(ThreadEntry* entry) {
  int64_t taken = 0;
  __asm__ volatile("xchgq %0, %1" : "+r"(taken), "+m"(entry->pending_bytes) : : "memory");
  return taken;
}

// The live total: exact in one thread; with more, each thread keeps up to a batch to itself.
HT_ALWAYS_INLINE void ChangeLive(int64_t delta) {
  ExactPeak* peak = &g_image.header->exact_peak;
  if (HT_LIKELY(g_thread_count <= 1) || t_state.slot == kNoThreadEntry) {
    PublishLive(peak, delta);
    return;
  }
  ThreadEntry* entry = &g_threads[t_state.slot];
  const int64_t pending = AddPending(entry, delta);
  if (pending > -kBatchBytes && pending < kBatchBytes) return;
  PublishLive(peak, TakePending(entry));
}

// Adds a piece to `table`, twice as large as its last. One grower at a time; false when there is no memory, or when this
// thread interrupted its own growing.
template <typename Bucket, typename Table>
HT_COLD bool Grow(Table* table, uint64_t first_buckets) {
  const uint32_t seen = table->pieces();
  const LockResult acquired = AcquireOwnerLock(&g_grow_lock, &g_grow_owner_sp, kGrowYields);
  if (acquired == LockResult::kReentry || acquired == LockResult::kTimeout) return false;
  bool grown = table->pieces() != seen;
  if (!grown && seen < Table::kMaxPieces) {
    const uint64_t buckets = seen == 0 ? first_buckets : table->last_piece_buckets() * 2;
    auto* memory = static_cast<Bucket*>(MapPrivate(buckets * sizeof(Bucket)));
    if (memory != nullptr) {
      table->AddPiece(memory, buckets);
      grown = true;
    }
  }
  ReleaseOwnerLock(&g_grow_lock);
  return grown;
}

bool GrowLive() { return Grow<BlockBucket>(&g_live, kFirstBuckets); }
bool GrowBig() { return Grow<LiveBucket<uint64_t>>(&g_big, kFirstBigBuckets); }

HT_COLD void RememberBigSize(uint64_t address, uint64_t size) {
  for (;;) {
    const LiveTable<uint64_t>::Slot slot = g_big.Claim(address);
    if (slot) {
      *slot.value = size;
      LiveTable<uint64_t>::Publish(slot, address);
      return;
    }
    if (!GrowBig()) {
      CountLoss(Loss::kLiveTableFull);
      return;
    }
  }
}

HT_COLD uint64_t TakeBigSize(uint64_t address) {
  const LiveTable<uint64_t>::Slot slot = g_big.Find(address);
  if (!slot) return kBigSize;
  const uint64_t size = *slot.value;
  LiveTable<uint64_t>::Drop(slot);
  return size;
}

HT_ALWAYS_INLINE Block MakeBlock(uint64_t size, uint32_t site, uint64_t birth) {
  Block block;
  block.size = size < kBigSize ? size : kBigSize;
  block.site = site;
  block.birth = birth;
  return block;
}

// The requested size of a block that has just been ended (its big size is forgotten with it).
HT_ALWAYS_INLINE uint64_t EndedSize(const Block& block, uint64_t address) {
  return HT_LIKELY(block.size != kBigSize) ? block.size : TakeBigSize(address);
}

HT_ALWAYS_INLINE void BookAllocation(ExactSite* site, uint64_t size) {
  KeepPeakValue(g_image.header->exact_peak, site);
  CountClass(&site->head.first_size_class, &site->head.size_histogram, ClassOf(size));
  AddCounts(&site->allocated, size);
}

HT_ALWAYS_INLINE void BookRelease(ExactSite* site, uint64_t size, uint64_t birth, uint64_t now) {
  KeepPeakValue(g_image.header->exact_peak, site);
  const uint64_t lifetime = ((Birth(now) - birth) & kBirthMask) << kBirthShift;
  CountClass(&site->head.first_life_class, &site->head.life_histogram, ClassOf(lifetime));
  AddCounts(&site->freed, size);
}

// A record whose address was handed out again: its release was never seen.
HT_COLD void EndLostRelease(const BlockTable::Slot& slot, uint64_t address) {
  g_releases_get_lost = 1;
  if (!slot) return;
  const Block block = BlockTable::Read(slot);
  if (!BlockTable::Take(slot, BlockTable::kFree)) return;
  const uint64_t size = EndedSize(block, address);
  LeavePeak(&g_image.header->exact_peak);
  BookRelease(ExactSiteAt(block.site), size, block.birth, Now());
  ChangeLive(-static_cast<int64_t>(size));
  CountLoss(Loss::kLostRelease);
}

HT_ALWAYS_INLINE bool Record(uint64_t address, uint64_t size, uint32_t site, uint64_t birth) {
  const Block block = MakeBlock(size, site, birth);
  if (HT_UNLIKELY(block.size == kBigSize)) RememberBigSize(address, size);
  for (;;) {
    const BlockTable::Inserted inserted = g_live.Insert(address, block);
    if (HT_LIKELY(inserted == BlockTable::Inserted::kYes)) break;
    if (inserted == BlockTable::Inserted::kAlreadyThere) {
      EndLostRelease(g_live.Find(address), address);
    } else if (!GrowLive()) {
      if (g_live.InsertSpare(address, block)) break;
      CountLoss(Loss::kLiveTableFull);
      return false;
    }
  }
  t_state.last_block = address;
  t_state.last_birth = birth;
  return true;
}

// Most programs lose no release, and a search of all pieces for what is not there costs a cache miss or two. So it is made
// only once the insert has met a record of its own address: from then on always.
HT_ALWAYS_INLINE void EndLostReleaseOf(uint64_t address) {
  if (HT_LIKELY(g_releases_get_lost == 0)) return;
  const BlockTable::Slot lost = g_live.Find(address);
  if (static_cast<bool>(lost)) EndLostRelease(lost, address);
}

}  // namespace

bool Open() { return GrowLive() && GrowBig(); }

void Reopen() {
  // Wiped, so empty; the pieces stay where they are.
  g_live.ClearSpare();
  g_grow_lock = 0;
}

void Prefetch(uint64_t address) { g_live.Prefetch(address); }

void Acquired(uint64_t address, uint64_t size, uint32_t site_id) {
  EndLostReleaseOf(address);
  BookAllocation(ExactSiteAt(site_id), size);
  ChangeLive(static_cast<int64_t>(size));
  Record(address, size, site_id, Birth(Now()));
}

bool Releasing(uint64_t address) {
  const BlockTable::Slot slot = g_live.Find(address);
  if (!slot) return false;
  const Block block = BlockTable::Read(slot);
  if (!BlockTable::Take(slot, BlockTable::kFree)) return false;
  const uint64_t size = EndedSize(block, address);
  ExactSite* site = ExactSiteAt(block.site);
  LeavePeak(&g_image.header->exact_peak);
  BookRelease(site, size, block.birth, Now());
  // The birth tells this thread's last block from one that another thread was given at the same address since.
  if (address == t_state.last_block && block.birth == t_state.last_birth) {
    __atomic_fetch_add(&site->temporary, 1, __ATOMIC_RELAXED);
    t_state.last_block = 0;
  }
  ChangeLive(-static_cast<int64_t>(size));
  return true;
}

Transit BeginMove(uint64_t address) {
  Transit transit;
  const BlockTable::Slot slot = g_live.Find(address);
  if (!slot) return transit;
  transit.block = BlockTable::Read(slot);
  if (!BlockTable::Take(slot, BlockTable::kTransit)) return transit;
  transit.slot = slot;
  // Now, not after the real call: by then another thread may own the address, and its big size.
  transit.size = EndedSize(transit.block, address);
  return transit;
}

void AbortMove(const Transit& transit, uint64_t old_address) {
  if (!transit.slot) return;
  if (transit.block.size == kBigSize) RememberBigSize(old_address, transit.size);
  BlockTable::Restore(transit.slot);
}

void EndMove(const Transit& transit) {
  if (!transit.slot) return;
  const uint64_t size = transit.size;
  LeavePeak(&g_image.header->exact_peak);
  BookRelease(ExactSiteAt(transit.block.site), size, transit.block.birth, Now());
  ChangeLive(-static_cast<int64_t>(size));
  BlockTable::Drop(transit.slot);
}

void CommitMove(const Transit& transit, uint64_t old_address, uint64_t new_address, uint64_t size, uint32_t site_id) {
  const bool known = static_cast<bool>(transit.slot);
  const uint64_t old_size = transit.size;
  EndLostReleaseOf(new_address);
  ExactSite* site = ExactSiteAt(site_id);
  const uint64_t now = Now();
  // One event: only a fall of the total can end a peak, and only a rise can make one.
  const int64_t delta = static_cast<int64_t>(size) - static_cast<int64_t>(old_size);
  if (delta < 0) LeavePeak(&g_image.header->exact_peak);
  BookAllocation(site, size);
  __atomic_fetch_add(&site->reallocs, 1, __ATOMIC_RELAXED);
  if (new_address == old_address) __atomic_fetch_add(&site->reallocs_in_place, 1, __ATOMIC_RELAXED);
  // One birth for the block, however often it moved.
  const uint64_t birth = known ? transit.block.birth : Birth(now);
  Record(new_address, size, site_id, birth);
  if (known) {
    BookRelease(ExactSiteAt(transit.block.site), old_size, birth, now);
    BlockTable::Drop(transit.slot);
  }
  ChangeLive(delta);
}

}  // namespace heaptally::agent::exact
