#include "agent/stacks.h"

#include "agent/image.h"
#include "agent/modules.h"
#include "agent/owner_lock.h"
#include "agent/private_memory.h"
#include "agent/thread_state.h"
#include "base/hash.h"

namespace heaptally::agent {
namespace {

using segment::Kind;
using segment::Loss;

// Open addressing, linear probing, at most half full. Readers follow the table pointer that they loaded; a grown table
// replaces it and the old one stays mapped, since a reader may still be in it (in all less than the size of the new one).
struct IndexEntry {
  uint64_t hash;  // 0: free; stored last
  uint64_t site;
};

struct Index {
  IndexEntry* entries = nullptr;
  uint64_t mask = 0;
};

constexpr uint64_t kFirstIndexEntries = 4096;
constexpr uint64_t kFirstNodeEntries = 16384;
constexpr uint32_t kLockYields = 1u << 20;

uint64_t g_seed;
// The index's address and log2 of its size in one word (pages are 4 KiB aligned), so that both change at once.
uint64_t g_index;
uint64_t g_index_used;
uint64_t g_intern_lock, g_intern_owner_sp;

// Tree of frames: node ids by (parent, module, address); under the lock only.
uint32_t* g_node_table;
uint64_t g_node_mask;
uint64_t g_node_count;

// Newest site of each node (0: none; SiteHead::same_stack leads to the others), in parts that follow the numbering of the
// nodes; of class malloc, and of class mapped.
constexpr uint32_t kSitesPerPart = 16384;
constexpr uint32_t kMaxParts = 1024;
uint32_t* g_site_of_node[2][kMaxParts];

Index CurrentIndex() {
  const uint64_t word = __atomic_load_n(&g_index, __ATOMIC_ACQUIRE);
  return {reinterpret_cast<IndexEntry*>(word & ~uint64_t{0xfff}), (uint64_t{1} << (word & 0xfff)) - 1};
}

void PublishIndex(IndexEntry* entries, uint64_t log2) { __atomic_store_n(&g_index, reinterpret_cast<uint64_t>(entries) | log2, __ATOMIC_RELEASE); }

uint32_t LookUp(uint64_t hash) {
  const Index index = CurrentIndex();
  for (uint64_t at = hash & index.mask;; at = (at + 1) & index.mask) {
    const uint64_t found = __atomic_load_n(&index.entries[at].hash, __ATOMIC_ACQUIRE);
    if (found == hash) return static_cast<uint32_t>(index.entries[at].site);
    if (found == 0) return kNoItem;
  }
}

void PutEntry(const Index& index, uint64_t hash, uint64_t site) {
  uint64_t at = hash & index.mask;
  while (index.entries[at].hash != 0) at = (at + 1) & index.mask;
  index.entries[at].site = site;
  __atomic_store_n(&index.entries[at].hash, hash, __ATOMIC_RELEASE);
}

bool GrowIndex() {
  const Index old = CurrentIndex();
  const uint64_t entries = (old.mask + 1) * 2;
  auto* memory = static_cast<IndexEntry*>(MapPrivate(entries * sizeof(IndexEntry)));
  if (memory == nullptr) return false;
  const Index grown{memory, entries - 1};
  for (uint64_t i = 0; i <= old.mask; ++i) {
    if (old.entries[i].hash != 0) PutEntry(grown, old.entries[i].hash, old.entries[i].site);
  }
  PublishIndex(memory, static_cast<uint64_t>(__builtin_ctzll(entries)));
  return true;
}

void Remember(uint64_t hash, uint32_t site) {
  if (g_index_used * 2 > CurrentIndex().mask && !GrowIndex()) {
    if (g_index_used + 2 > CurrentIndex().mask) return;  // one entry stays free, so that look-ups end
  }
  PutEntry(CurrentIndex(), hash, site);
  ++g_index_used;
}

uint64_t NodeHash(uint32_t parent, uint32_t module, uint64_t address) {
  return base::HashCombine(base::HashCombine(g_seed, static_cast<uint64_t>(parent) << 32 | module), address);
}

bool GrowNodeTable() {
  const uint64_t entries = (g_node_mask + 1) * 2;
  auto* memory = static_cast<uint32_t*>(MapPrivate(entries * sizeof(uint32_t)));
  if (memory == nullptr) return false;
  for (uint64_t i = 0; i <= g_node_mask; ++i) {
    if (g_node_table[i] == 0) continue;
    const segment::Node* node = NodeAt(g_node_table[i]);
    uint64_t at = NodeHash(node->parent, node->module, node->address) & (entries - 1);
    while (memory[at] != 0) at = (at + 1) & (entries - 1);
    memory[at] = g_node_table[i];
  }
  UnmapPrivate(g_node_table, (g_node_mask + 1) * sizeof(uint32_t));
  g_node_table = memory;
  g_node_mask = entries - 1;
  return true;
}

uint32_t FindOrAddNode(uint32_t parent, uint32_t module, uint64_t address) {
  uint64_t at = NodeHash(parent, module, address) & g_node_mask;
  for (; g_node_table[at] != 0; at = (at + 1) & g_node_mask) {
    const segment::Node* node = NodeAt(g_node_table[at]);
    if (node->address == address && node->parent == parent && node->module == module) return g_node_table[at];
  }
  if (g_node_count * 4 > g_node_mask * 3) {
    if (!GrowNodeTable()) return kNoItem;
    at = NodeHash(parent, module, address) & g_node_mask;
    while (g_node_table[at] != 0) at = (at + 1) & g_node_mask;
  }
  const uint32_t id = Append(Kind::kNodes);
  if (id == kNoItem) return kNoItem;
  segment::Node* node = NodeAt(id);
  node->parent = parent;
  node->module = module;
  node->address = address;
  g_node_table[at] = id;
  ++g_node_count;
  return id;
}

uint32_t* SiteOfNode(uint32_t node, Kind kind, bool make) {
  const uint32_t part = node / kSitesPerPart;
  if (part >= kMaxParts) return nullptr;
  uint32_t*& sites = g_site_of_node[kind == Kind::kMappedSites ? 1 : 0][part];
  if (sites == nullptr && make) sites = static_cast<uint32_t*>(MapPrivate(kSitesPerPart * sizeof(uint32_t)));
  return sites != nullptr ? &sites[node % kSitesPerPart] : nullptr;
}

uint16_t CutFlags(unwind::End end) {
  switch (end) {
    case unwind::End::kDepthLimit:
      CountLoss(Loss::kStackTruncatedDepth);
      return segment::kSiteCutDepth;
    case unwind::End::kNoRule:
      CountLoss(Loss::kStackTruncatedNoRule);
      return segment::kSiteCutNoRule;
    case unwind::End::kBadMemory:
      CountLoss(Loss::kStackTruncatedMemory);
      return segment::kSiteCutMemory;
    default:
      return 0;
  }
}

segment::SiteHead* HeadOf(uint32_t site, Kind kind) {
  if (kind == Kind::kMappedSites) return &MappedSiteAt(site)->head;
  return g_image.header->mode == segment::Mode::kExact ? &ExactSiteAt(site)->head : &SampledSiteAt(site)->head;
}

// The site for this thread's name among those of one stack, of which `first` is the newest; 0: none.
uint32_t SiteOfThisThread(uint32_t first, Kind kind) {
  uint32_t site = first;
  while (site != 0 && HeadOf(site, kind)->thread_name != t_state.thread_name) site = HeadOf(site, kind)->same_stack;
  return site;
}

uint32_t AddSite(uint32_t node, uint32_t same_stack, unwind::End end, Kind kind) {
  const uint32_t id = Append(kind);
  if (id == kNoItem) return kNoItem;
  segment::SiteHead* head = HeadOf(id, kind);
  if (kind == Kind::kMappedSites) {
    head->memory_class = segment::kClassMapped;
  } else if (g_image.header->mode != segment::Mode::kExact) {
    SampledSiteAt(id)->smallest_sampled = UINT64_MAX;
  }
  head->flags = CutFlags(end);
  head->thread_name = t_state.thread_name;
  head->same_stack = same_stack;
  __atomic_store_n(&head->node, node, __ATOMIC_RELEASE);
  return id;
}

// The nearest caller (or the stack itself) that has a site.
uint32_t NearestSite(uint32_t node, Kind kind) {
  for (uint32_t depth = 0; node != 0 && depth < unwind::kMaxFrames; ++depth) {
    const uint32_t* site = SiteOfNode(node, kind, false);
    if (site != nullptr && *site != 0) return SiteOfThisThread(*site, kind) != 0 ? SiteOfThisThread(*site, kind) : *site;
    node = NodeAt(node)->parent;
  }
  return kSiteOtherId;
}

// REQUIRES: the interning lock.
uint32_t Intern(const uint64_t* frames, uint32_t count, unwind::End end, Kind kind) {
  uint32_t node = 0;
  for (uint32_t i = count; i-- > 0;) {
    const uint64_t pc = frames[i] & ~unwind::kExactPcBit;
    const bool exact_pc = (frames[i] & unwind::kExactPcBit) != 0;
    uint64_t bias = 0;
    const uint32_t module = ModuleOf(exact_pc ? pc : pc - 1, &bias);
    const uint64_t address = (module != 0 ? pc - bias : pc) | (exact_pc ? segment::kExactPcBit : 0);
    const uint32_t next = FindOrAddNode(node, module, address);
    if (next == kNoItem) {
      CountLoss(Loss::kSiteTableFull);
      return NearestSite(node, kind);
    }
    node = next;
  }
  uint32_t* newest = SiteOfNode(node, kind, true);
  const uint32_t known = newest != nullptr ? SiteOfThisThread(*newest, kind) : 0;
  if (known != 0) return known;
  const uint32_t added = newest != nullptr ? AddSite(node, *newest, end, kind) : kNoItem;
  if (added == kNoItem) {
    CountLoss(Loss::kSiteTableFull);
    return NearestSite(node, kind);
  }
  return *newest = added;
}

bool OpenTables() {
  auto* entries = static_cast<IndexEntry*>(MapPrivate(kFirstIndexEntries * sizeof(IndexEntry)));
  g_node_table = static_cast<uint32_t*>(MapPrivate(kFirstNodeEntries * sizeof(uint32_t)));
  if (entries == nullptr || g_node_table == nullptr) return false;
  g_node_mask = kFirstNodeEntries - 1;
  PublishIndex(entries, static_cast<uint64_t>(__builtin_ctzll(kFirstIndexEntries)));
  return true;
}

}  // namespace

bool OpenStacks(uint64_t seed) {
  g_seed = seed;
  return OpenTables();
}

bool ReopenStacks(uint64_t seed) {
  // The child's tables keep their places and sizes: they are zeros now. Nothing is asked of the kernel here, since the
  // child may have forbidden itself every system call.
  g_seed = seed;
  g_index_used = 0;
  g_node_count = 0;
  g_intern_lock = 0;
  return g_index != 0 && g_node_table != nullptr;
}

uint64_t HashStack(const uint64_t* frames, uint32_t count, unwind::End end) {
  // Two lanes, so that the multiplications overlap.
  uint64_t left = g_seed ^ Generation();
  uint64_t right = g_seed + (static_cast<uint64_t>(t_state.thread_name) << 48 | static_cast<uint64_t>(end) << 32 | count);
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    left = base::MultiplyFold(left ^ frames[i], frames[i + 1] ^ 0xe7037ed1a0b428dbull);
    right = base::MultiplyFold(right ^ frames[i + 2], frames[i + 3] ^ 0x8ebc6af09c88c6e3ull);
  }
  for (; i < count; ++i) left = base::HashCombine(left, frames[i]);
  const uint64_t hash = base::HashCombine(left, right);
  return hash | 1;
}

uint32_t SiteOf(const uint64_t* frames, uint32_t count, unwind::End end, Kind kind) {
  if (count == 0) return kSiteOtherId;
  // Samples are rare, so each has its modules looked at: the same addresses may be another library's by now. So are mappings.
  const bool sampled = segment::IsSampled(g_image.header->mode) || kind == Kind::kMappedSites;
  const uint64_t of_kind = kind == Kind::kMappedSites ? 0x9e3779b97f4a7c14ull : 0;
  if (sampled && !VerifyModules(frames, count)) VerifyAllModules();
  uint64_t hash = HashStack(frames, count, end) ^ of_kind;
  uint32_t site = LookUp(hash);
  if (HT_LIKELY(site != kNoItem)) return site;
  if (!sampled && !VerifyModules(frames, count)) {
    VerifyAllModules();
    hash = HashStack(frames, count, end) ^ of_kind;
  }
  switch (AcquireOwnerLock(&g_intern_lock, &g_intern_owner_sp, kLockYields)) {
    case LockResult::kReentry:
      CountLoss(Loss::kStackReentry);
      return kSiteOtherId;
    case LockResult::kTimeout:
      CountLoss(Loss::kLockTimeout);
      return kSiteOtherId;
    default:
      break;
  }
  site = LookUp(hash);
  if (site == kNoItem) {
    site = Intern(frames, count, end, kind);
    Remember(hash, site);
  }
  ReleaseOwnerLock(&g_intern_lock);
  return site;
}

}  // namespace heaptally::agent
