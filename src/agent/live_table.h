// Live blocks by address: pieces of 8-slot buckets, lock-free.
//
// A lookup looks at the whole bucket of each piece (a dead slot is a free slot, so there are no chains that could grow
// for ever). A release is one CAS live -> dead; whoever wins owns the record. An insert claims a slot (CAS free -> busy),
// writes the value and publishes (store live): readers skip busy slots, so nobody sees a value half written. Growing adds
// a larger piece beside the old ones; nobody waits and nothing moves.
//
// The caller guarantees what the allocator guarantees: an address is inserted only by the thread that was just handed it,
// and released before it is handed back.
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "base/hash.h"
#include "segment/layout.h"

namespace heaptally::agent {

inline constexpr uint32_t kSlots = segment::kSlotsPerBucket;

constexpr uint64_t LiveKey(uint64_t address) { return address << 4 | static_cast<uint64_t>(segment::SlotState::kLive); }
constexpr uint64_t BusyKey(uint64_t address) { return address << 4 | static_cast<uint64_t>(segment::SlotState::kBusy); }
constexpr segment::SlotState StateOf(uint64_t key) { return static_cast<segment::SlotState>(key & 15); }
inline constexpr uint64_t kDeadKey = static_cast<uint64_t>(segment::SlotState::kDead);
inline constexpr uint64_t kTransitKey = static_cast<uint64_t>(segment::SlotState::kTransit);

template <typename Value>
struct alignas(64) LiveBucket {
  uint64_t key[kSlots];
  Value value[kSlots];
};

template <typename Value>
class LiveTable {
 public:
  using Bucket = LiveBucket<Value>;
  static constexpr uint32_t kMaxPieces = segment::kMaxPieces;

  struct Slot {
    uint64_t* key = nullptr;
    Value* value = nullptr;
    uint32_t piece = 0;
    uint64_t number = 0;  // within its piece
    explicit operator bool() const { return key != nullptr; }
  };

  // Adds a piece of `buckets` (a power of two) zeroed buckets. Caller holds whatever lock keeps growers apart.
  void AddPiece(Bucket* buckets, uint64_t count) {
    const uint32_t at = pieces_;
    piece_[at] = buckets;
    mask_[at] = count - 1;
    first_slot_[at] = at == 0 ? 0 : first_slot_[at - 1] + (mask_[at - 1] + 1) * kSlots;
    __atomic_store_n(&pieces_, at + 1, __ATOMIC_RELEASE);
  }
  void Clear() { __atomic_store_n(&pieces_, 0u, __ATOMIC_RELEASE); }
  uint32_t pieces() const { return __atomic_load_n(&pieces_, __ATOMIC_ACQUIRE); }
  uint64_t last_piece_buckets() const { return mask_[pieces_ - 1] + 1; }
  uint64_t GlobalNumber(const Slot& slot) const { return first_slot_[slot.piece] + slot.number; }

  // The live record of `address`, or none.
  HT_ALWAYS_INLINE Slot Find(uint64_t address) const {
    const uint64_t wanted = LiveKey(address);
    const uint64_t hash = Hash(address);
    for (uint32_t p = pieces(); p-- > 0;) {
      Bucket& bucket = piece_[p][hash & mask_[p]];
      for (uint32_t i = 0; i < kSlots; ++i) {
        if (__atomic_load_n(&bucket.key[i], __ATOMIC_ACQUIRE) == wanted) return Make(bucket, p, hash & mask_[p], i);
      }
    }
    return {};
  }

  // live -> `to` (dead or transit). True iff this caller ended it.
  static bool Take(const Slot& slot, uint64_t address, uint64_t to) {
    uint64_t expected = LiveKey(address);
    return __atomic_compare_exchange_n(slot.key, &expected, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }

  // A busy slot for `address`, newest piece first; none when each bucket is full.
  HT_ALWAYS_INLINE Slot Claim(uint64_t address) {
    const uint64_t hash = Hash(address);
    for (uint32_t p = pieces(); p-- > 0;) {
      Bucket& bucket = piece_[p][hash & mask_[p]];
      for (uint32_t i = 0; i < kSlots; ++i) {
        uint64_t key = __atomic_load_n(&bucket.key[i], __ATOMIC_RELAXED);
        if (key != 0 && StateOf(key) != segment::SlotState::kDead) continue;
        if (__atomic_compare_exchange_n(&bucket.key[i], &key, BusyKey(address), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
          return Make(bucket, p, hash & mask_[p], i);
        }
      }
    }
    return {};
  }

  // busy -> live: from here on every thread finds it.
  static void Publish(const Slot& slot, uint64_t address) { __atomic_store_n(slot.key, LiveKey(address), __ATOMIC_RELEASE); }
  static void Drop(const Slot& slot) { __atomic_store_n(slot.key, kDeadKey, __ATOMIC_RELEASE); }

 private:
  static uint64_t Hash(uint64_t address) {
    const uint64_t mixed = (address >> 4) * 0x9e3779b97f4a7c15ull;
    return mixed >> 32 ^ mixed >> 52;
  }
  static Slot Make(Bucket& bucket, uint32_t piece, uint64_t index, uint32_t i) {
    return {&bucket.key[i], &bucket.value[i], piece, index * kSlots + i};
  }

  uint32_t pieces_ = 0;
  Bucket* piece_[kMaxPieces] = {};
  uint64_t mask_[kMaxPieces] = {};
  uint64_t first_slot_[kMaxPieces] = {};
};

}  // namespace heaptally::agent
