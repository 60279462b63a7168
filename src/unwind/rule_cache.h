// Rules by pc, for all threads: a lock-free table of 64-bit words, four to a set.
//
// A word holds its address's tag, a generation and the packed rule, so that it validates itself: a torn or lost update
// costs a miss, never a wrong rule. The address (47 bits) is multiplied by an odd constant modulo 2^47, which is
// invertible; the product's top bits choose the set and *all* its other bits are the tag, so no two addresses can be
// taken for one another. (A hashed tag of 24 bits would give a false rule now and then, at a million pcs.)
//
//   word: [63 .. 64-47+n] tag (47-n bits for 2^n sets), zero bits, [28..26] generation, [25..0] rule
//
// All accesses are relaxed: a word depends on no other word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/branch.h"
#include "unwind/rule.h"

namespace heaptally::unwind {

// What a rule is cached under. A return address stands for the call before it, an exact pc for itself; keyed so, the
// usual walk need not subtract anything before it can look up.
constexpr uint64_t CacheKey(uint64_t pc, bool is_exact) { return pc + (is_exact ? 1 : 0); }

inline constexpr unsigned kAddressBits = 47;
inline constexpr uint64_t kAddressLimit = uint64_t{1} << kAddressBits;

class RuleCache {
 public:
  // 2^12 sets is the least: with fewer, tag, generation and rule would not fit into one word.
  static constexpr size_t kMinBytes = size_t{1} << 17;
  static constexpr size_t kMaxBytes = size_t{1} << 28;

  // `memory` is zero-initialised, `bytes` a power of two in [kMinBytes, kMaxBytes]. Not thread-safe.
  void Use(std::atomic<uint64_t>* memory, size_t bytes);

  // The packed rule for a key (its low kPackedBits; what is above is not specified), or 0 if it is not cached.
  // REQUIRES: key < kAddressLimit.
  HT_ALWAYS_INLINE uint64_t Find(uint64_t key) const {
    if (HT_UNLIKELY(words_ == nullptr)) return 0;
    const uint64_t product = key * kMultiplier;
    const std::atomic<uint64_t>* set = words_ + (product >> shift_) * kWays;
    const uint64_t wanted = Wanted(product);
    for (unsigned way = 0; way < kWays; ++way) {
      const uint64_t word = set[way].load(std::memory_order_relaxed);
      if (HT_LIKELY((word ^ wanted) >> kPackedBits == 0)) return word;
    }
    return 0;
  }

  // Puts the rule at the front of its set; the last of the set falls out.
  void Insert(uint64_t key, uint32_t packed, uint32_t generation);

  // Read before the rule is looked up and handed to Insert: a rule found before Forget() is then never served after it.
  uint32_t generation() const { return generation_.load(std::memory_order_relaxed); }

  // Every rule is forgotten. Threads may look up at the same time.
  void Forget();

 private:
  static constexpr unsigned kWays = 4;
  static constexpr unsigned kGenerationBits = 3;
  static constexpr unsigned kUnusedAddressBits = 64 - kAddressBits;
  // An odd number (2^64 divided by the golden ratio) moved up, so that the product modulo 2^47 stands in the top bits.
  static constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ull << kUnusedAddressBits;

  uint64_t Wanted(uint64_t product) const {
    return product << (64 - shift_) | uint64_t{generation_.load(std::memory_order_relaxed)} << kPackedBits;
  }

  std::atomic<uint64_t>* words_ = nullptr;
  uint64_t word_count_ = 0;
  unsigned shift_ = 0;  // 64 - log2(sets)
  std::atomic<uint32_t> generation_{0};
};

}  // namespace heaptally::unwind
