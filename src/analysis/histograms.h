// Histograms of sizes and lifetimes as people compare them: of several sites together, without gaps, and in few words.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace heaptally::analysis {

// Sums buckets of the same range; in order of their lower edges.
void AddHistogram(const std::vector<profile::Bucket>& more, std::vector<profile::Bucket>* sum);

// Sizes with the empty classes between the smallest and the largest filled in; each class is a power of two, [2^i,
// 2^(i+1) - 1], and 0 stands alone.
std::vector<profile::Bucket> WithoutGaps(const std::vector<profile::Bucket>& sizes);

// Freed blocks by the decade of their lifetime: below 1 us, 1 us, 10 us, ... 1 s, 10 s and longer; a bucket belongs to
// the decade in which its geometric middle is.
inline constexpr size_t kDecades = 9;
std::vector<double> LifetimeDecades(const std::vector<profile::Bucket>& lifetimes_ns);

// The sizes that matter: the fewest neighbouring classes, joined where they touch, that hold 85 % of the objects; by
// their share, at most three. Empty if it takes more.
struct MainSize {
  uint64_t from, to;  // bytes
  double share;       // of all objects
};
std::vector<MainSize> MainSizes(const std::vector<profile::Bucket>& sizes);

}  // namespace heaptally::analysis
