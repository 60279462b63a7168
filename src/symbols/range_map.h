// Which value covers an address: half-open ranges that may nest or overlap are flattened once into disjoint pieces,
// then each question is one binary search. The innermost range (the one that starts last) owns a piece; of two equal
// ranges the one that was added first does. Flattening is O(n log n), so that hostile input cannot make it quadratic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heaptally::symbols {

class RangeMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Adds [low, high); empty and reversed ranges are ignored.
  void Add(uint64_t low, uint64_t high, uint32_t value) {
    if (low < high) ranges_.push_back({low, high, value, static_cast<uint32_t>(ranges_.size())});
  }

  // Must be called after the last Add and before the first Find.
  void Build() {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      if (a.low != b.low) return a.low < b.low;
      if (a.high != b.high) return a.high > b.high;
      return a.order > b.order;
    });
    std::vector<uint32_t> open;  // indexes into ranges_, outermost first
    uint64_t at = 0;
    for (uint32_t i = 0; i < ranges_.size(); ++i) {
      CloseUpTo(ranges_[i].low, open, at);
      if (!open.empty()) Emit(at, ranges_[i].low, ranges_[open.back()].value);
      at = ranges_[i].low;
      open.push_back(i);
    }
    CloseUpTo(UINT64_MAX, open, at);
    ranges_.clear();
    ranges_.shrink_to_fit();
  }

  // The value of the innermost range around `address`, or kNone.
  uint32_t Find(uint64_t address) const {
    auto it = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                               [](uint64_t a, const Piece& piece) { return a < piece.low; });
    if (it == pieces_.begin() || address >= (--it)->high) return kNone;
    return it->value;
  }

  bool empty() const { return pieces_.empty(); }

 private:
  struct Range {
    uint64_t low, high;
    uint32_t value, order;
  };
  struct Piece {
    uint64_t low, high;
    uint32_t value;
  };

  // Ends every open range that ends at or before `limit`, giving each what it owns from `at` on.
  void CloseUpTo(uint64_t limit, std::vector<uint32_t>& open, uint64_t& at) {
    while (!open.empty() && ranges_[open.back()].high <= limit) {
      Emit(at, ranges_[open.back()].high, ranges_[open.back()].value);
      at = std::max(at, ranges_[open.back()].high);
      open.pop_back();
    }
  }

  void Emit(uint64_t low, uint64_t high, uint32_t value) {
    if (low >= high) return;
    if (!pieces_.empty() && pieces_.back().high == low && pieces_.back().value == value) {
      pieces_.back().high = high;
    } else {
      pieces_.push_back({low, high, value});
    }
  }

  std::vector<Range> ranges_;
  std::vector<Piece> pieces_;
};

}  // namespace heaptally::symbols
