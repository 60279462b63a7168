// What one sample adds to the sums from which every number of a sampled profile is estimated.
//
// Horvitz-Thompson: a block of s bytes is sampled with p = 1 - exp(-(s+1)/T) and then stands for 1/p blocks. With
// q = (1-p)/p = 1/expm1((s+1)/T), that is 1 + q: itself, proven, and q unseen ones, inferred. A set of samples
// (allocated ever; freed ever; live = the difference; reallocs; a bucket of a histogram) is kept as
//
//              | proven      | inferred     | variance of the error
//     bytes    | s = sum s   | E = sum s q  | V = sum s^2 q/p
//     objects  | n           | E = sum q    | V = sum q/p
//
// and its value is proven + inferred. Why not one sum of s/p: a block much larger than T is certain, and adds all of
// itself to s and nothing to E and V. estimate.h makes values and intervals of the sums.
//
// Fixed point, never doubles: a free subtracts, bit by bit, what the allocation added, so sums never drift and an
// emptied set is exactly zero. The terms are a pure function of (size, period), rounded once.
// E and the objects' V have 32 fractional bits, the bytes' V none (bytes^2). Per sample s q < T, s^2 q/p <= T^2,
// q < T, q/p <= T^2 + T. The largest is the objects' V: it holds 2^96 / T^2 samples of the smallest size, which is
// 2^40 samples at T = 256 MiB, and at any allowed T more than 2^56 bytes of allocations. s wraps at 2^64.
//
// A period of 0 means exact: every block is recorded, E and V are 0.
// Runs inside the profiled process. The structs are the storage form: trivial, no padding, 8-byte aligned.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/real.h"

namespace heaptally::sampling {

inline constexpr int kFractionBits = 32;

// A 128-bit unsigned number as two words. Arithmetic is modulo 2^128.
struct Fixed128 {
  uint64_t lo = 0;
  uint64_t hi = 0;

  static constexpr Fixed128 From(Uint128 value) {
    return {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  }
  constexpr Uint128 Value() const { return (static_cast<Uint128>(hi) << 64) | lo; }
  constexpr void Add(Fixed128 other) { *this = From(Value() + other.Value()); }
  constexpr void Subtract(Fixed128 other) { *this = From(Value() - other.Value()); }
  constexpr bool operator==(const Fixed128&) const = default;
};

// Sums over a set of samples, bytes and objects.
struct Sums {
  uint64_t n = 0;      // samples: objects proven
  uint64_t s = 0;      // bytes proven
  Fixed128 e_bytes;    // bytes inferred, 2^-32 bytes
  Fixed128 v_bytes;    // variance of the bytes, bytes^2
  Fixed128 e_objects;  // objects inferred, 2^-32
  Fixed128 v_objects;  // variance of the objects, 2^-32

  constexpr void Add(const Sums& other) {
    n += other.n;
    s += other.s;
    e_bytes.Add(other.e_bytes);
    v_bytes.Add(other.v_bytes);
    e_objects.Add(other.e_objects);
    v_objects.Add(other.v_objects);
  }

  // Takes out samples that are in the set: the exact inverse of Add.
  constexpr void Subtract(const Sums& other) {
    n -= other.n;
    s -= other.s;
    e_bytes.Subtract(other.e_bytes);
    v_bytes.Subtract(other.v_bytes);
    e_objects.Subtract(other.e_objects);
    v_objects.Subtract(other.v_objects);
  }

  // Estimated bytes, s + E, in 2^-32 bytes: what maxima are compared by.
  constexpr Uint128 ScaledBytes() const { return (static_cast<Uint128>(s) << kFractionBits) + e_bytes.Value(); }

  constexpr bool operator==(const Sums&) const = default;
};

// The terms of one sample are the sums over a set of one.
using Terms = Sums;

// The smaller form, where bytes are not asked for: reallocs, reallocs in place, temporary blocks, histogram buckets.
struct ObjectSums {
  uint64_t n = 0;
  Fixed128 e_objects;
  Fixed128 v_objects;

  constexpr void Add(const ObjectSums& other) {
    n += other.n;
    e_objects.Add(other.e_objects);
    v_objects.Add(other.v_objects);
  }
  constexpr void Add(const Terms& terms) { Add(ObjectSums{terms.n, terms.e_objects, terms.v_objects}); }
  constexpr bool operator==(const ObjectSums&) const = default;
};

static_assert(sizeof(Sums) == 80 && alignof(Sums) == 8 && std::is_trivially_copyable_v<Sums>);
static_assert(sizeof(ObjectSums) == 40 && alignof(ObjectSums) == 8 && std::is_trivially_copyable_v<ObjectSums>);
static_assert(std::has_unique_object_representations_v<Sums>, "no padding");
static_assert(std::has_unique_object_representations_v<ObjectSums>, "no padding");

// An allocation that debits `debit` from a draw with `period` is a sample with p = 1 - exp(-debit/period).
struct Odds {
  uint64_t debit;
  uint64_t period;  // 0: exact
};

// Where an allocation is sampled by its bytes.
constexpr Odds OddsByBytes(uint64_t size, uint64_t period) { return {size == ~uint64_t{0} ? size : size + 1, period}; }

// Terms of a sample of `size` bytes with q = 1/expm1(debit/period).
Terms TermsOf(uint64_t size, Odds odds);

// Terms of a sample of `size` bytes drawn with `period` (0: exact). Relative error of a term below 1e-15 before it
// is rounded. Total: any size; a period above 2 kMaxPeriod is taken as that.
Terms TermsOf(uint64_t size, uint64_t period);

}  // namespace heaptally::sampling
