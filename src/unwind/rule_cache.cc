#include "unwind/rule_cache.h"

#include <bit>

namespace heaptally::unwind {

void RuleCache::Use(std::atomic<uint64_t>* memory, size_t bytes) {
  word_count_ = bytes / sizeof(uint64_t);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(word_count_ / kWays));
  words_ = memory;
}

void RuleCache::Insert(uint64_t key, uint32_t packed, uint32_t generation) {
  if (words_ == nullptr || packed == 0) return;
  const uint64_t product = key * kMultiplier;
  std::atomic<uint64_t>* set = words_ + (product >> shift_) * kWays;
  for (unsigned way = kWays - 1; way > 0; --way) {
    set[way].store(set[way - 1].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  set[0].store(product << (64 - shift_) | uint64_t{generation} << kPackedBits | packed, std::memory_order_relaxed);
}

void RuleCache::Forget() {
  const uint32_t next = (generation_.load(std::memory_order_relaxed) + 1) & ((1u << kGenerationBits) - 1);
  generation_.store(next, std::memory_order_relaxed);
  if (next != 0) return;
  // The numbers start anew: what carries them must go. (A thread that has slept since eight generations ago in the
  // middle of an insert could still bring one back.)
  for (uint64_t i = 0; i < word_count_; ++i) words_[i].store(0, std::memory_order_relaxed);
}

}  // namespace heaptally::unwind
