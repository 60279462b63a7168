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
#include "platform/atomic_words.h"
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

inline constexpr uint32_t kBlockSlots = 8;  // two cache lines; a hash bit says which is looked at first
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
    const uint64_t hash = Hash(address);
    const uint64_t wanted = AddressBits(address) | kLive;
    for (uint32_t p = pieces(); p-- > 0;) {
      BlockEntry* entry = piece_[p][hash & mask_[p]].entry;
      const uint32_t first = FirstLine(hash);
      for (uint32_t i = 0; i < kBlockSlots; ++i) {
        BlockEntry* at = &entry[i ^ first];
        const uint64_t key = __atomic_load_n(&at->key, __ATOMIC_ACQUIRE);
        if ((key & kIdentityMask) == wanted) return {at, key};
      }
    }
    return {};
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
  HT_ALWAYS_INLINE static bool Take(const Slot& slot, State to, uint8_t single) {
    return platform::CompareExchange(&slot.entry->key, slot.key, to, single);
  }
  static void Restore(const Slot& slot) { __atomic_store_n(&slot.entry->key, slot.key, __ATOMIC_RELEASE); }
  static void Drop(const Slot& slot) { __atomic_store_n(&slot.entry->key, uint64_t{kFree}, __ATOMIC_RELEASE); }

  // Adds the block; false when every bucket that may hold it is full.
  HT_ALWAYS_INLINE bool Insert(uint64_t address, const Block& block, uint8_t single) {
    const uint64_t hash = Hash(address);
    for (uint32_t p = pieces(); p-- > 0;) {
      BlockEntry* entry = piece_[p][hash & mask_[p]].entry;
      const uint32_t first = FirstLine(hash);
      for (uint32_t i = 0; i < kBlockSlots; ++i) {
        BlockEntry* at = &entry[i ^ first];
        if (__atomic_load_n(&at->key, __ATOMIC_RELAXED) != kFree || !platform::CompareExchange(&at->key, kFree, kBusy, single)) continue;
        at->value = static_cast<uint64_t>(block.site) << 42 | block.size << 19 | block.birth >> kLowBirthBits;
        __atomic_store_n(&at->key, AddressBits(address) | (block.birth & kLowBirthMask) << 3 | kLive, __ATOMIC_RELEASE);
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr uint32_t kLowBirthBits = 17;
  static constexpr uint64_t kLowBirthMask = (uint64_t{1} << kLowBirthBits) - 1;
  static constexpr uint64_t kHighBirthMask = (uint64_t{1} << 19) - 1;
  static constexpr uint32_t kAddressShift = 17;  // address >> 3 at bit 20
  static constexpr uint64_t kIdentityMask = ~(kLowBirthMask << 3);

  // Blocks are 8-byte aligned: two can't share a word.
  static uint64_t AddressBits(uint64_t address) { return (address & ~uint64_t{7}) << kAddressShift; }
  static uint64_t Hash(uint64_t address) {
    const uint64_t mixed = (address >> 4) * 0x9e3779b97f4a7c15ull;
    return mixed >> 32 ^ mixed >> 52;
  }
  static uint32_t FirstLine(uint64_t hash) { return static_cast<uint32_t>(hash >> 29 & 4); }

  uint32_t pieces_ = 0;
  BlockBucket* piece_[kMaxPieces] = {};
  uint64_t mask_[kMaxPieces] = {};
};

}  // namespace heaptally::agent
