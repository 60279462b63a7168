// What stands once in a capture and is referred to by number: texts, ranges of histograms, stacks. A dictionary goes on
// from snapshot to snapshot of an image: each adds what it met first. The writing side; the reading side is lists.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "profile/profile.h"
#include "store/packing.h"

namespace heaptally::store {

// The new items of a dictionary: their number, then themselves.
class NewItems {
 public:
  Packer* Add() {
    ++count_;
    return &items_;
  }
  std::string Take() {
    Packer whole;
    whole.Number(count_);
    std::string bytes = whole.bytes() + items_.bytes();
    *this = {};
    return bytes;
  }

 private:
  uint64_t count_ = 0;
  Packer items_;
};

class TextNumbers {
 public:
  uint64_t Of(const std::string& text) {
    const auto [at, added] = numbers_.try_emplace(text, count_);
    if (added) fresh_.Add()->Text(text);
    count_ += added ? 1 : 0;
    return at->second;
  }
  // The next text, as a reader knows it: one of a damaged file may stand twice.
  void AddKnown(const std::string& text) { numbers_.try_emplace(text, count_++); }
  std::string TakeNew() { return fresh_.Take(); }

 private:
  std::unordered_map<std::string, uint64_t> numbers_;
  uint64_t count_ = 0;
  NewItems fresh_;
};

using Range = std::pair<uint64_t, uint64_t>;

// Ranges of lifetimes come from a clock whose rate is measured anew for each snapshot: one that is as good as equal to
// one of an earlier snapshot (1 in 256) is that one.
class RangeNumbers {
 public:
  uint64_t Of(const Range& range);
  const Range& operator[](uint64_t number) const { return ranges_[number]; }
  // The next range, as a reader knows it.
  void AddKnown(const Range& range) {
    numbers_.try_emplace(range, ranges_.size());
    ranges_.push_back(range);
    old_ = ranges_.size();
  }
  std::string TakeNew() {
    old_ = ranges_.size();
    return fresh_.Take();
  }

 private:
  std::map<Range, uint64_t> numbers_;
  std::vector<Range> ranges_;
  size_t old_ = 0;  // those of earlier snapshots
  NewItems fresh_;
};

// Node 0 is the root. A node is written as the step back to its parent, and its frame.
class StackTree {
 public:
  // Sites come in the order in which they were first met, so most share their outer frames with the one before: only
  // the rest of a stack is looked up. Frames are innermost first.
  uint32_t NodeOf(const std::vector<uint32_t>& frames);
  // The next node, as a reader knows it.
  void AddKnown(uint32_t parent, uint32_t frame) { children_.try_emplace(KeyOf(parent, frame), ++count_); }
  std::string TakeNew() { return fresh_.Take(); }

 private:
  struct KeyHash {
    size_t operator()(uint64_t key) const { return base::Mix64(key); }
  };
  struct Step {
    uint32_t frame;
    uint32_t node;
  };

  static uint64_t KeyOf(uint32_t parent, uint32_t frame) { return uint64_t{parent} << 32 | frame; }
  uint32_t ChildOf(uint32_t parent, uint32_t frame);

  std::vector<Step> path_;  // of the last stack, outermost first
  std::unordered_map<uint64_t, uint32_t, KeyHash> children_;
  uint32_t count_ = 0;
  NewItems fresh_;
};

}  // namespace heaptally::store
