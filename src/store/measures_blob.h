// Amounts, measures, histograms and live samples as bytes: whole, or as what changed since the snapshot before.
//
// What is equal to its usual value takes no room: live = allocated - freed; peak = live; after another snapshot: as
// before. What is a plain number is written as the step from its usual value.
#pragma once

#include <vector>

#include "profile/profile.h"
#include "store/dictionaries.h"
#include "store/packing.h"

namespace heaptally::store {

// Whole.
void PackAmount(const profile::Amount& amount, Packer* packer);
profile::Amount UnpackAmount(Unpacker* unpacker);
void PackMeasures(const profile::Measures& measures, Packer* packer);
profile::Measures UnpackMeasures(Unpacker* unpacker);
void PackHistogram(const std::vector<profile::Bucket>& buckets, RangeNumbers* ranges, Packer* packer);
void UnpackHistogram(const std::vector<Range>& ranges, Unpacker* unpacker, std::vector<profile::Bucket>* buckets);

// After another one: Unpack*After takes what was before, and leaves what is now.
void PackMeasuresAfter(const profile::Measures& before, const profile::Measures& now, Packer* packer);
void UnpackMeasuresAfter(Unpacker* unpacker, profile::Measures* measures);
void PackHistogramAfter(const std::vector<profile::Bucket>& before, const std::vector<profile::Bucket>& now,
                        RangeNumbers* ranges, Packer* packer);
void UnpackHistogramAfter(const std::vector<Range>& ranges, Unpacker* unpacker, std::vector<profile::Bucket>* buckets);
// The same buckets, with ranges as the dictionary has them.
std::vector<profile::Bucket> WithKnownRanges(std::vector<profile::Bucket> buckets, RangeNumbers* ranges);

// Samples in order; `usual_period` is that of the site.
void PackSamplesAfter(const std::vector<profile::LiveSample>& before, const std::vector<profile::LiveSample>& now,
                      uint64_t usual_period, Packer* packer);
void UnpackSamplesAfter(uint64_t usual_period, Unpacker* unpacker, std::vector<profile::LiveSample>* samples);

}  // namespace heaptally::store
