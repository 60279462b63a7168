#include "agent/exact_tally.h"

#include "agent/clock.h"
#include "agent/image.h"
#include "agent/live_table.h"
#include "agent/private_memory.h"
#include "agent/thread_state.h"
#include "agent/thread_table.h"

namespace heaptally::agent::exact {
namespace {

using segment::Counts;
using segment::ExactHistogram;
using segment::ExactPeak;
using segment::ExactSite;
using segment::Loss;

// A live block: site (24 bits), birth (40 bits of clock units >> 11: 14 days at 1.9 GHz; older blocks' lifetimes wrap),
// size (48 bits), thread entry (16 bits).
struct Block {
  uint64_t site_and_birth;
  uint64_t size_and_thread;
};
constexpr uint32_t kBirthShift = 11;
constexpr uint64_t kBirthMask = (uint64_t{1} << 40) - 1;
constexpr uint64_t kFirstBuckets = 4096;
constexpr int64_t kBatchBytes = 16 << 10;
constexpr uint32_t kMaxChain = 16;

LiveTable<Block> g_live;
uint32_t g_grow_lock;

uint64_t Birth(uint64_t now) { return now >> kBirthShift & kBirthMask; }

void AddCounts(Counts* counts, uint64_t objects, uint64_t bytes) {
  uint64_t old_objects = counts->objects, old_bytes = counts->bytes;
  bool done;
  do {
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*counts), "+a"(old_objects), "+d"(old_bytes)
                     : "b"(old_objects + objects), "c"(old_bytes + bytes)
                     : "memory");
  } while (HT_UNLIKELY(!done));
}

uint32_t ClassOf(uint64_t value) { return value == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(value)); }

ExactHistogram* HistogramAt(uint32_t id) { return reinterpret_cast<ExactHistogram*>(ItemAddress(segment::Kind::kHistograms, id)); }

// Counts `which` in the chain that begins at *head, making entries as needed.
HT_COLD bool CountInChain(uint32_t* head, uint32_t which) {
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

// The site's value at the last peak must be kept before its first change after that peak (layout.h, ExactPeak).
HT_ALWAYS_INLINE void KeepPeakValue(ExactSite* site) {
  const ExactPeak& peak = g_image.header->exact_peak;
  if (__atomic_load_n(&peak.at_peak, __ATOMIC_RELAXED) != 0) return;
  const uint64_t epoch = __atomic_load_n(&peak.peak_epoch, __ATOMIC_RELAXED);
  if (HT_LIKELY(site->peak_epoch == epoch)) return;
  site->peak = {site->allocated.objects - site->freed.objects, site->allocated.bytes - site->freed.bytes};
  __atomic_store_n(&site->peak_epoch, epoch, __ATOMIC_RELEASE);
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

// The last instant at which the live total stands at its maximum is the peak: just before it falls.
HT_ALWAYS_INLINE void LeavePeak(ExactPeak* peak) {
  if (__atomic_load_n(&peak->at_peak, __ATOMIC_RELAXED) == 0) return;
  __atomic_store_n(&peak->peak_time, Now(), __ATOMIC_RELAXED);
  __atomic_fetch_add(&peak->peak_epoch, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&peak->at_peak, 0u, __ATOMIC_RELEASE);
}

HT_ALWAYS_INLINE void PublishLive(ExactPeak* peak, int64_t delta) {
  const int64_t live = __atomic_add_fetch(&peak->live_bytes, delta, __ATOMIC_RELAXED);
  if (live > __atomic_load_n(&peak->peak_bytes, __ATOMIC_RELAXED)) {
    __atomic_store_n(&peak->peak_bytes, live, __ATOMIC_RELAXED);
    __atomic_store_n(&peak->at_peak, 1u, __ATOMIC_RELEASE);
  }
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

HT_COLD bool GrowLive() {
  uint32_t spins = 0;
  const uint32_t seen = g_live.pieces();
  while (__atomic_exchange_n(&g_grow_lock, 1u, __ATOMIC_ACQUIRE) != 0) {
    if (++spins > 2000) return false;
    platform::Syscall(platform::Call::kSchedYield);
  }
  bool grown = g_live.pieces() != seen;
  if (!grown && seen < LiveTable<Block>::kMaxPieces) {
    const uint64_t buckets = seen == 0 ? kFirstBuckets : g_live.last_piece_buckets() * 2;
    auto* memory = static_cast<LiveTable<Block>::Bucket*>(MapPrivate(buckets * sizeof(LiveTable<Block>::Bucket)));
    if (memory != nullptr) {
      g_live.AddPiece(memory, buckets);
      grown = true;
    }
  }
  __atomic_store_n(&g_grow_lock, 0u, __ATOMIC_RELEASE);
  return grown;
}

LiveTable<Block>::Slot ClaimOrGrow(uint64_t address) {
  for (;;) {
    const LiveTable<Block>::Slot slot = g_live.Claim(address);
    if (HT_LIKELY(static_cast<bool>(slot)) || !GrowLive()) return slot;
  }
}

uint32_t SiteOfBlock(const Block& block) { return static_cast<uint32_t>(block.site_and_birth >> 40); }
uint64_t SizeOfBlock(const Block& block) { return block.size_and_thread & ((uint64_t{1} << 48) - 1); }

Block MakeBlock(uint64_t size, uint32_t site, uint64_t birth) {
  return {static_cast<uint64_t>(site) << 40 | birth, size | static_cast<uint64_t>(t_state.slot) << 48};
}

HT_ALWAYS_INLINE void BookAllocation(ExactSite* site, uint64_t size) {
  KeepPeakValue(site);
  CountClass(&site->head.first_size_class, &site->head.size_histogram, ClassOf(size));
  AddCounts(&site->allocated, 1, size);
}

void BookRelease(const Block& block, uint64_t now) {
  ExactSite* site = ExactSiteAt(SiteOfBlock(block));
  LeavePeak(&g_image.header->exact_peak);
  KeepPeakValue(site);
  const uint64_t birth = block.site_and_birth & kBirthMask;
  const uint64_t lifetime = ((Birth(now) - birth) & kBirthMask) << kBirthShift;
  CountClass(&site->head.first_life_class, &site->head.life_histogram, ClassOf(lifetime));
  AddCounts(&site->freed, 1, SizeOfBlock(block));
}

bool IsTemporary(uint64_t address, const Block& block) {
  return address == t_state.last_block && block.size_and_thread >> 48 == t_state.slot && t_state.slot != kNoThreadEntry;
}

bool Record(uint64_t address, const Block& block) {
  const LiveTable<Block>::Slot slot = ClaimOrGrow(address);
  if (!slot) {
    CountLoss(Loss::kLiveTableFull);
    return false;
  }
  *slot.value = block;
  LiveTable<Block>::Publish(slot, address);
  return true;
}

// A record whose address was handed out again: its release was never seen.
HT_COLD void EndLostRelease(const LiveTable<Block>::Slot& slot, uint64_t address) {
  const Block block = *slot.value;
  if (!LiveTable<Block>::Take(slot, address, kDeadKey)) return;
  BookRelease(block, Now());
  ChangeLive(-static_cast<int64_t>(SizeOfBlock(block)));
  CountLoss(Loss::kLostRelease);
}

}  // namespace

bool Open() { return GrowLive(); }

void Reopen() {
  // Wiped, so empty; the pieces stay where they are.
  g_grow_lock = 0;
}

void Acquired(uint64_t address, uint64_t size, uint32_t site_id) {
  if (const LiveTable<Block>::Slot old = g_live.Find(address); HT_UNLIKELY(static_cast<bool>(old))) EndLostRelease(old, address);
  BookAllocation(ExactSiteAt(site_id), size);
  ChangeLive(static_cast<int64_t>(size));
  Record(address, MakeBlock(size, site_id, Birth(Now())));
  t_state.last_block = address;
}

bool Releasing(uint64_t address) {
  const LiveTable<Block>::Slot slot = g_live.Find(address);
  if (!slot) return false;
  const Block block = *slot.value;
  if (!LiveTable<Block>::Take(slot, address, kDeadKey)) return false;
  BookRelease(block, Now());
  if (IsTemporary(address, block)) {
    __atomic_fetch_add(&ExactSiteAt(SiteOfBlock(block))->temporary, 1, __ATOMIC_RELAXED);
    t_state.last_block = 0;
  }
  ChangeLive(-static_cast<int64_t>(SizeOfBlock(block)));
  return true;
}

Transit BeginMove(uint64_t address) {
  Transit transit;
  const LiveTable<Block>::Slot slot = g_live.Find(address);
  if (!slot) return transit;
  const Block block = *slot.value;
  if (!LiveTable<Block>::Take(slot, address, kTransitKey)) return transit;
  transit.key = slot.key;
  transit.address = address;
  transit.value[0] = block.site_and_birth;
  transit.value[1] = block.size_and_thread;
  return transit;
}

void AbortMove(const Transit& transit) {
  if (transit.key != nullptr) __atomic_store_n(transit.key, LiveKey(transit.address), __ATOMIC_RELEASE);
}

void EndMove(const Transit& transit) {
  if (transit.key == nullptr) return;
  const Block block{transit.value[0], transit.value[1]};
  BookRelease(block, Now());
  ChangeLive(-static_cast<int64_t>(SizeOfBlock(block)));
  __atomic_store_n(transit.key, kDeadKey, __ATOMIC_RELEASE);
}

void CommitMove(const Transit& transit, uint64_t old_address, uint64_t new_address, uint64_t size, uint32_t site_id) {
  const Block old{transit.value[0], transit.value[1]};
  const bool known = transit.key != nullptr;
  ExactSite* site = ExactSiteAt(site_id);
  if (const LiveTable<Block>::Slot lost = g_live.Find(new_address); HT_UNLIKELY(static_cast<bool>(lost))) EndLostRelease(lost, new_address);
  const uint64_t now = Now();
  // One event: a fall of the total may be a peak, a rise may make one.
  const int64_t delta = static_cast<int64_t>(size) - (known ? static_cast<int64_t>(SizeOfBlock(old)) : 0);
  if (delta < 0) LeavePeak(&g_image.header->exact_peak);
  BookAllocation(site, size);
  __atomic_fetch_add(&site->reallocs, 1, __ATOMIC_RELAXED);
  if (new_address == old_address) __atomic_fetch_add(&site->reallocs_in_place, 1, __ATOMIC_RELAXED);
  // The birth time is carried over; the lifetime of the old size is not a lifetime of a block, so it is not counted as a
  // release in the histogram's chain but as one of the class that the block will have lived.
  const uint64_t birth = known ? old.site_and_birth & kBirthMask : Birth(now);
  Record(new_address, MakeBlock(size, site_id, birth));
  if (known) {
    ExactSite* old_site = ExactSiteAt(SiteOfBlock(old));
    KeepPeakValue(old_site);
    const uint64_t lifetime = ((Birth(now) - birth) & kBirthMask) << kBirthShift;
    CountClass(&old_site->head.first_life_class, &old_site->head.life_histogram, ClassOf(lifetime));
    AddCounts(&old_site->freed, 1, SizeOfBlock(old));
    __atomic_store_n(transit.key, kDeadKey, __ATOMIC_RELEASE);
  }
  ChangeLive(delta);
  t_state.last_block = new_address;
}

}  // namespace heaptally::agent::exact
