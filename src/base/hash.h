// 64-bit mixing for hash tables that never leave the machine. Not cryptographic.
#pragma once

#include <cstdint>

namespace heaptally::base {

// Folded 64x64 -> 128 bit multiplication: the mixing step of wyhash (Wang Yi, public domain).
constexpr uint64_t MultiplyFold(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Adds one word to a running hash. Order matters; a zero word changes the hash too.
constexpr uint64_t HashCombine(uint64_t seed, uint64_t word) {
  return MultiplyFold(seed ^ 0x9e3779b97f4a7c15ull, word ^ 0xe7037ed1a0b428dbull);
}

// Invertible finaliser (splitmix64): distinct inputs give distinct outputs.
constexpr uint64_t Mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  x ^= x >> 31;
  return x;
}

}  // namespace heaptally::base
