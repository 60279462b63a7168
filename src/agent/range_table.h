// What is mapped now: pieces of address space that do not overlap, found by address in O(log n).
//
// The pieces themselves are items of the segment (segment::MappedRange), which never move, so that a reader, or whoever is
// left with the file after a kill, finds each of them whole. What orders them by address is private: leaves of up to
// kLeafRanges, sorted, and a sorted list of the leaves. If a change was left half-way, Rebuild() makes all of it anew from
// the pieces.
//
// A mapping may be cut into pieces. It has the number of the item that was its first piece, and that item is not used for
// another range until the last piece is gone; so numbers need no table of their own.
//
// One caller at a time. Nothing here is a bound but the store's: Append() may refuse, Map() may refuse.
//   Store: segment::MappedRange* At(uint32_t), uint32_t Append() (UINT32_MAX: full), void* Map(uint64_t) (zeroed; nullptr),
//          void Unmap(void*, uint64_t), all static.
#pragma once

#include <cstdint>

#include "segment/layout.h"

namespace heaptally::agent {

template <typename Store>
class RangeTable {
 public:
  using Range = segment::MappedRange;
  static constexpr uint32_t kNone = UINT32_MAX;

  // Ends everything in [start, end) that events up to `newest` made. For each range that lies in it, wholly or in part, calls
  // visit(range as it was, bytes that are gone, whether its mapping ended). False: the upper piece of a range that was cut
  // in two found no room and is forgotten (it was not visited, so it counts as mapped for ever).
  template <typename Visit>
  bool Remove(uint64_t start, uint64_t end, uint64_t newest, Visit visit) {
    bool whole = true;
    for (uint64_t from = start; from < end;) {
      const Position at = FirstEndingAfter(from);
      if (!IsValid(at)) break;
      Range* range = RangeOf(at);
      if (range->start >= end) break;
      from = range->end;
      if (range->stamp > newest) continue;
      const Range before = *range;
      const uint64_t low = start > before.start ? start : before.start;
      const uint64_t high = end < before.end ? end : before.end;
      bool ended = false;
      if (low == before.start && high == before.end) {
        ended = Drop(at);
      } else {
        whole = Cut(at, low, high) && whole;
      }
      visit(before, high - low, ended);
    }
    return whole;
  }

  // Adds [start, end), in which nothing may be left. False: there is no room, and nothing has changed.
  bool Insert(uint64_t start, uint64_t end, uint32_t site, uint64_t birth, uint64_t stamp) {
    if (!Reserve()) return false;
    const uint32_t id = TakeItem();
    if (id == kNone) return false;
    Store::At(id)->pieces = 1;
    Publish(id, id, {start, end, birth, stamp, site, 0, 0, 0});
    Enter(start, id);
    return true;
  }

  // Makes everything anew from the first `items` items of the store.
  void Rebuild(uint32_t items) {
    Reset();
    for (uint32_t id = 0; id < items; ++id) Store::At(id)->pieces = 0;
    for (uint32_t id = 0; id < items; ++id) {
      const Range* range = Store::At(id);
      if (range->end <= range->start || range->mapping >= items) continue;
      if (Overlaps(range->start, range->end) || !Reserve()) {
        Store::At(id)->end = 0;
        continue;
      }
      ++Store::At(range->mapping)->pieces;
      Enter(range->start, id);
    }
    for (uint32_t id = 0; id < items; ++id) {
      if (Store::At(id)->end == 0 && Store::At(id)->pieces == 0) GiveItem(id);
    }
  }

  // Forgets everything; the memory of the leaves stays for later (in a forked child it has become zeros).
  void Reset() {
    leaves_ = leaves_made_ = free_item_ = 0;
    free_leaf_ = nullptr;
  }

  // Of everything: for tests.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t leaf = 0; leaf < leaves_; ++leaf) {
      for (uint32_t i = 0; i < index_[leaf].leaf->count; ++i) visit(*Store::At(index_[leaf].leaf->item[i]));
    }
  }

 private:
  static constexpr uint32_t kLeafRanges = 84;
  static constexpr uint64_t kChunkBytes = 64u << 10;
  static constexpr uint32_t kMaxChunks = 512;

  struct Leaf {
    uint64_t start[kLeafRanges];
    uint32_t item[kLeafRanges];
    uint32_t count;
    uint32_t reserved;
    Leaf* next_free;
  };
  static constexpr uint32_t kLeavesPerChunk = kChunkBytes / sizeof(Leaf);

  struct IndexEntry {
    uint64_t first;  // start of the leaf's first range
    Leaf* leaf;
  };

  struct Position {
    uint32_t leaf;
    uint32_t entry;
  };

  bool IsValid(Position at) const { return at.leaf < leaves_; }
  Range* RangeOf(Position at) const { return Store::At(index_[at.leaf].leaf->item[at.entry]); }

  // The last leaf that begins at or below `address`, + 1; 0: none does.
  uint32_t LeafAfter(uint64_t address) const {
    uint32_t low = 0, high = leaves_;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      index_[middle].first <= address ? low = middle + 1 : high = middle;
    }
    return low;
  }

  static uint32_t EntryAfter(const Leaf& leaf, uint64_t address) {
    uint32_t low = 0, high = leaf.count;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      leaf.start[middle] <= address ? low = middle + 1 : high = middle;
    }
    return low;
  }

  Position FirstEndingAfter(uint64_t address) const {
    const uint32_t after = LeafAfter(address);
    if (after == 0) return {0, 0};
    const Leaf& leaf = *index_[after - 1].leaf;
    const Position at{after - 1, EntryAfter(leaf, address) - 1};
    if (RangeOf(at)->end > address) return at;
    return at.entry + 1 < leaf.count ? Position{at.leaf, at.entry + 1} : Position{at.leaf + 1, 0};
  }

  bool Overlaps(uint64_t start, uint64_t end) const {
    const Position at = FirstEndingAfter(start);
    return IsValid(at) && RangeOf(at)->start < end;
  }

  static void StoreEnd(Range* range, uint64_t end) { __atomic_store_n(&range->end, end, __ATOMIC_RELEASE); }

  void Publish(uint32_t id, uint32_t mapping, const Range& made) {
    Range* range = Store::At(id);
    range->start = made.start;
    range->birth = made.birth;
    range->stamp = made.stamp;
    range->site = made.site;
    range->mapping = mapping;
    StoreEnd(range, made.end);
  }

  // Takes [low, high), which is not all of the range, out of it.
  bool Cut(Position at, uint64_t low, uint64_t high) {
    Range* range = RangeOf(at);
    const Range before = *range;
    if (low == before.start) {
      __atomic_store_n(&range->start, high, __ATOMIC_RELEASE);
      index_[at.leaf].leaf->start[at.entry] = high;
      if (at.entry == 0) index_[at.leaf].first = high;
      return true;
    }
    StoreEnd(range, low);
    if (high == before.end) return true;
    const uint32_t id = Reserve() ? TakeItem() : kNone;
    if (id == kNone) return false;
    ++Store::At(before.mapping)->pieces;
    Publish(id, before.mapping, {high, before.end, before.birth, before.stamp, before.site, 0, 0, 0});
    Enter(high, id);
    return true;
  }

  // Ends a range. True iff it was the last piece of its mapping.
  bool Drop(Position at) {
    Leaf* leaf = index_[at.leaf].leaf;
    const uint32_t id = leaf->item[at.entry];
    const uint32_t mapping = Store::At(id)->mapping;
    StoreEnd(Store::At(id), 0);
    Leave(at);
    const bool ended = --Store::At(mapping)->pieces == 0;
    if (ended && Store::At(mapping)->end == 0) GiveItem(mapping);
    if (id != mapping) GiveItem(id);
    return ended;
  }

  uint32_t TakeItem() {
    if (free_item_ == 0) return Store::Append();
    const uint32_t id = free_item_ - 1;
    free_item_ = static_cast<uint32_t>(Store::At(id)->stamp);
    return id;
  }

  void GiveItem(uint32_t id) {
    Store::At(id)->stamp = free_item_;
    free_item_ = id + 1;
  }

  // Room for one more entry, whatever leaf it goes to.
  bool Reserve() {
    if (leaves_ == index_capacity_ && !GrowIndex()) return false;
    if (free_leaf_ != nullptr) return true;
    const uint32_t chunk = leaves_made_ / kLeavesPerChunk;
    if (chunk >= kMaxChunks) return false;
    if (chunk_[chunk] == nullptr) chunk_[chunk] = static_cast<Leaf*>(Store::Map(kChunkBytes));
    if (chunk_[chunk] == nullptr) return false;
    GiveLeaf(&chunk_[chunk][leaves_made_++ % kLeavesPerChunk]);
    return true;
  }

  bool GrowIndex() {
    const uint32_t capacity = index_capacity_ == 0 ? 256 : index_capacity_ * 2;
    auto* grown = static_cast<IndexEntry*>(Store::Map(capacity * sizeof(IndexEntry)));
    if (grown == nullptr) return false;
    for (uint32_t i = 0; i < leaves_; ++i) grown[i] = index_[i];
    if (index_ != nullptr) Store::Unmap(index_, index_capacity_ * sizeof(IndexEntry));
    index_ = grown;
    index_capacity_ = capacity;
    return true;
  }

  Leaf* TakeLeaf() {
    Leaf* leaf = free_leaf_;
    free_leaf_ = leaf->next_free;
    leaf->count = 0;
    return leaf;
  }

  void GiveLeaf(Leaf* leaf) {
    leaf->next_free = free_leaf_;
    free_leaf_ = leaf;
  }

  void EnterLeaf(uint32_t at, Leaf* leaf, uint64_t first) {
    for (uint32_t i = leaves_; i > at; --i) index_[i] = index_[i - 1];
    index_[at] = {first, leaf};
    ++leaves_;
  }

  // REQUIRES: Reserve().
  void Enter(uint64_t start, uint32_t id) {
    if (leaves_ == 0) EnterLeaf(0, TakeLeaf(), start);
    uint32_t at = LeafAfter(start);
    if (at > 0) --at;
    Leaf* leaf = index_[at].leaf;
    if (leaf->count == kLeafRanges) {
      Leaf* upper = TakeLeaf();
      for (uint32_t i = kLeafRanges / 2; i < kLeafRanges; ++i) {
        upper->start[upper->count] = leaf->start[i];
        upper->item[upper->count++] = leaf->item[i];
      }
      leaf->count = kLeafRanges / 2;
      EnterLeaf(at + 1, upper, upper->start[0]);
      if (start >= upper->start[0]) leaf = index_[++at].leaf;
    }
    const uint32_t entry = EntryAfter(*leaf, start);
    for (uint32_t i = leaf->count; i > entry; --i) {
      leaf->start[i] = leaf->start[i - 1];
      leaf->item[i] = leaf->item[i - 1];
    }
    leaf->start[entry] = start;
    leaf->item[entry] = id;
    ++leaf->count;
    index_[at].first = leaf->start[0];
  }

  void Leave(Position at) {
    Leaf* leaf = index_[at.leaf].leaf;
    --leaf->count;
    for (uint32_t i = at.entry; i < leaf->count; ++i) {
      leaf->start[i] = leaf->start[i + 1];
      leaf->item[i] = leaf->item[i + 1];
    }
    if (leaf->count > 0) {
      index_[at.leaf].first = leaf->start[0];
      return;
    }
    GiveLeaf(leaf);
    --leaves_;
    for (uint32_t i = at.leaf; i < leaves_; ++i) index_[i] = index_[i + 1];
  }

  IndexEntry* index_ = nullptr;
  uint32_t index_capacity_ = 0;
  uint32_t leaves_ = 0;       // entries of index_ in use
  uint32_t leaves_made_ = 0;  // taken from chunk_ so far
  uint32_t free_item_ = 0;    // item + 1; 0: none
  Leaf* free_leaf_ = nullptr;
  Leaf* chunk_[kMaxChunks] = {};
};

}  // namespace heaptally::agent
