// Finds the node for a function under a parent: open addressing, because a tree of a million nodes is built by asking ten
// million times, and a hash map with a block for each entry takes half of the time to build and to free.
#pragma once

#include <cstdint>
#include <vector>

namespace heaptally::exporters {

class ChildIndex {
 public:
  // The place for the node of `function` under `parent`: UINT32_MAX if it has none yet, and then the caller must set it.
  // Holds until the next call.
  uint32_t& At(uint32_t parent, uint32_t function) {
    if (2 * used_ >= keys_.size()) Grow();
    const uint64_t key = uint64_t{parent} << 32 | function;
    const size_t slot = Find(keys_, key);
    if (keys_[slot] == kFree) {
      keys_[slot] = key;
      ++used_;
    }
    return nodes_[slot];
  }

 private:
  static constexpr uint64_t kFree = UINT64_MAX;  // no key: there are not so many nodes

  static size_t Find(const std::vector<uint64_t>& keys, uint64_t key) {
    const size_t mask = keys.size() - 1;
    size_t slot = (key * 0x9E3779B97F4A7C15 >> 20) & mask;  // Fibonacci hashing
    while (keys[slot] != kFree && keys[slot] != key) slot = (slot + 1) & mask;
    return slot;
  }

  void Grow() {
    const size_t size = keys_.empty() ? 1024 : 2 * keys_.size();
    std::vector<uint64_t> keys(size, kFree);
    std::vector<uint32_t> nodes(size, UINT32_MAX);
    for (size_t old = 0; old < keys_.size(); ++old) {
      if (keys_[old] == kFree) continue;
      const size_t slot = Find(keys, keys_[old]);
      keys[slot] = keys_[old];
      nodes[slot] = nodes_[old];
    }
    keys_ = std::move(keys);
    nodes_ = std::move(nodes);
  }

  std::vector<uint64_t> keys_;
  std::vector<uint32_t> nodes_;
  size_t used_ = 0;
};

}  // namespace heaptally::exporters
