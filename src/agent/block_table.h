// Exact mode's live blocks by address: 16 bytes each, so that finding, adding and ending one costs a single cache line most
// of the time. Lock-free; the protocol and its promises are those of live_table.h (claim, write, publish; one CAS ends a
// block; a dead slot is a free slot; growing adds a larger piece and moves nothing).
//
//   word 0:  address >> 3 (44 bits) | birth, low 17 bits | state (3 bits)
//   word 1:  site (22 bits) | size (23 bits) | birth, high 19 bits
//
// Birth is in clock units >> 11 modulo 2^36 (15 hours at 2.6 GHz: the lifetime of a block that lived longer wraps; its
// counts do not). Sizes of 8 MiB - 1 and more are kept in a table of their own and stored here as kBigSize.
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "segment/layout.h"

namespace heaptally::agent {

inline constexpr uint32_t kMaxExactSites = (1u << 22) - 1;
inline constexpr uint64_t kBigSize = (uint64_t{1} << 23) - 1;
inline constexpr uint32_t kBirthShift = 11;
inline constexpr uint64_t kBirthMask = (uint64_t{1} << 36) - 1;

struct Block {
  uint64_t size = 0;   // below kBigSize, or kBigSize
  uint32_t site = 0;
  uint64_t birth = 0;  // clock units >> kBirthShift, & kBirthMask
};

struct BlockEntry {
  uint64_t key;
  uint64_t value;
};

inline constexpr uint32_t kBlockSlots = 8;  // two cache lines; the address says which slot is looked at first
struct alignas(128) BlockBucket {
  BlockEntry entry[kBlockSlots];
};

class BlockTable {
 public:
  static constexpr uint32_t kMaxPieces = 20;
  enum State : uint64_t { kFree = 0, kBusy = 1, kLive = 2, kTransit = 4 };

  struct Slot {
    BlockEntry* entry = nullptr;
    uint64_t key = 0;  // as it was seen (Find) or will be published (Claim)
    explicit operator bool() const { return entry != nullptr; }
  };

  void AddPiece(BlockBucket* buckets, uint64_t count) {
    piece_[pieces_] = buckets;
    mask_[pieces_] = count - 1;
    __atomic_store_n(&pieces_, pieces_ + 1, __ATOMIC_RELEASE);
  }
  uint32_t pieces() const { return __atomic_load_n(&pieces_, __ATOMIC_ACQUIRE); }
  uint64_t last_piece_buckets() const { return mask_[pieces_ - 1] + 1; }

  // The live entry of `address`, or none.
  HT_ALWAYS_INLINE Slot Find(uint64_t address) const {
    const uint64_t wanted = AddressBits(address) | kLive;
    const uint32_t newest = pieces();
    for (uint32_t p = newest; p-- > 0;) {
      if (const Slot slot = FindInBucket(&piece_[p][Near(address) & mask_[p]], FirstSlot(address), wanted)) return slot;
    }
    for (uint32_t p = newest; p-- > 0;) {
      if (const Slot slot = FindInBucket(&piece_[p][Far(address) & mask_[p]], 0, wanted)) return slot;
    }
    if (HT_LIKELY(__atomic_load_n(&spare_used_, __ATOMIC_RELAXED) == 0)) return {};
    return FindSpare(wanted);
  }

  // Asks for the line in which `address` most likely is, or will be.
  HT_ALWAYS_INLINE void Prefetch(uint64_t address) const {
    const uint32_t newest = pieces() - 1;
    __builtin_prefetch(&piece_[newest][Near(address) & mask_[newest]].entry[FirstSlot(address)], 1);
  }

  static Block Read(const Slot& slot) {
    const uint64_t value = __atomic_load_n(&slot.entry->value, __ATOMIC_RELAXED);
    Block block;
    block.site = static_cast<uint32_t>(value >> 42);
    block.size = value >> 19 & kBigSize;
    block.birth = (slot.key >> 3 & kLowBirthMask) | (value & kHighBirthMask) << kLowBirthBits;
    return block;
  }

  // live -> `to` (free or transit). True iff this caller ended it.
  HT_ALWAYS_INLINE static bool Take(const Slot& slot, State to) {
    uint64_t expected = slot.key;
    return __atomic_compare_exchange_n(&slot.entry->key, &expected, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
  static void Restore(const Slot& slot) { __atomic_store_n(&slot.entry->key, slot.key, __ATOMIC_RELEASE); }
  static void Drop(const Slot& slot) { __atomic_store_n(&slot.entry->key, uint64_t{kFree}, __ATOMIC_RELEASE); }

  enum class Inserted : uint8_t { kYes, kFull, kAlreadyThere };

  // Adds the block. kFull: every bucket that may hold it is. kAlreadyThere: a live entry of the same address was met (the
  // search stops at the first free slot, so it may be missed: Find knows for certain).
  HT_ALWAYS_INLINE Inserted Insert(uint64_t address, const Block& block) {
    const uint64_t key = KeyOf(address, block);
    const uint64_t value = ValueOf(block);
    for (uint32_t p = pieces(); p-- > 0;) {
      Inserted result = InsertInBucket(&piece_[p][Near(address) & mask_[p]], FirstSlot(address), key, value);
      if (result == Inserted::kFull) result = InsertInBucket(&piece_[p][Far(address) & mask_[p]], 0, key, value);
      if (HT_LIKELY(result != Inserted::kFull)) return result;
    }
    return Inserted::kFull;
  }

  // A forked child's pieces are wiped; the spare room is not.
  void ClearSpare() {
    spare_used_ = 0;
    for (BlockBucket& bucket : spare_) {
      for (BlockEntry& entry : bucket.entry) entry.key = kFree;
    }
  }

  // Where a block goes when no bucket has room and the table can't grow just now: a signal handler may have interrupted the
  // growing. Once used, every search that finds nothing looks here too.
  HT_COLD bool InsertSpare(uint64_t address, const Block& block) {
    __atomic_store_n(&spare_used_, 1u, __ATOMIC_RELAXED);
    for (BlockBucket& bucket : spare_) {
      if (InsertInBucket(&bucket, 0, KeyOf(address, block), ValueOf(block)) == Inserted::kYes) return true;
    }
    return false;
  }

 private:
  HT_COLD Slot FindSpare(uint64_t wanted) const {
    for (const BlockBucket& bucket : spare_) {
      if (const Slot slot = FindInBucket(const_cast<BlockBucket*>(&bucket), 0, wanted)) return slot;
    }
    return {};
  }
  static uint64_t KeyOf(uint64_t address, const Block& block) { return AddressBits(address) | (block.birth & kLowBirthMask) << 3 | kLive; }
  static uint64_t ValueOf(const Block& block) { return static_cast<uint64_t>(block.site) << 42 | block.size << 19 | block.birth >> kLowBirthBits; }

  static constexpr uint32_t kLowBirthBits = 17;
  static constexpr uint64_t kLowBirthMask = (uint64_t{1} << kLowBirthBits) - 1;
  static constexpr uint64_t kHighBirthMask = (uint64_t{1} << 19) - 1;
  static constexpr uint32_t kAddressShift = 17;  // address >> 3 at bit 20
  static constexpr uint64_t kIdentityMask = ~(kLowBirthMask << 3);

  // Blocks are 8-byte aligned: two can't share a word.
  static uint64_t AddressBits(uint64_t address) { return (address & ~uint64_t{7}) << kAddressShift; }

  HT_ALWAYS_INLINE static Slot FindInBucket(BlockBucket* bucket, uint32_t first, uint64_t wanted) {
    for (uint32_t i = 0; i < kBlockSlots; ++i) {
      BlockEntry* at = &bucket->entry[i ^ first];
      const uint64_t key = __atomic_load_n(&at->key, __ATOMIC_ACQUIRE);
      if ((key & kIdentityMask) == wanted) return {at, key};
    }
    return {};
  }

  HT_ALWAYS_INLINE static Inserted InsertInBucket(BlockBucket* bucket, uint32_t first, uint64_t key, uint64_t value) {
    for (uint32_t i = 0; i < kBlockSlots; ++i) {
      BlockEntry* at = &bucket->entry[i ^ first];
      uint64_t there = __atomic_load_n(&at->key, __ATOMIC_RELAXED);
      if (HT_UNLIKELY((there & kIdentityMask) == (key & kIdentityMask))) return Inserted::kAlreadyThere;
      if (there != kFree || !__atomic_compare_exchange_n(&at->key, &there, uint64_t{kBusy}, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
      at->value = value;
      __atomic_store_n(&at->key, key, __ATOMIC_RELEASE);
      return Inserted::kYes;
    }
    return Inserted::kFull;
  }

  // Neighbours in the heap are neighbours in the table: 128 bytes of heap share a bucket, and so a page of heap 32 of them in
  // a row. What finds its bucket full goes to one that a hash chooses.
  static uint64_t Near(uint64_t address) { return (address >> 7) + ((address >> 12) * 0x9e3779b97f4a7c15ull >> 32); }
  static uint32_t FirstSlot(uint64_t address) { return address >> 4 & (kBlockSlots - 1); }
  static uint64_t Far(uint64_t address) {
    const uint64_t mixed = (address >> 4) * 0x9e3779b97f4a7c15ull;
    return mixed >> 32 ^ mixed >> 52;
  }

  static constexpr uint32_t kSpareBuckets = 16;
  BlockBucket spare_[kSpareBuckets] = {};
  uint32_t spare_used_ = 0;
  uint32_t pieces_ = 0;
  BlockBucket* piece_[kMaxPieces] = {};
  uint64_t mask_[kMaxPieces] = {};
};

}  // namespace heaptally::agent
