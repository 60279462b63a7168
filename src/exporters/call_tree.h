// The sites of one or more profiles as a tree of calls, callers first.
//
// A node is a function under its callers: calls from different lines of one function meet in one node, which knows the
// first and the last of its lines; the line that allocates is kept by the site's place. All profiles share one tree, and a
// leaf says whose it is. Nodes stand in preorder, so that a subtree is a range and sums run over the arrays without
// recursion, however deep a stack is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporters/shown_stack.h"

namespace heaptally::exporters {

inline constexpr uint32_t kNone = UINT32_MAX;

// Strings, each once.
class StringTable {
 public:
  uint32_t Index(const std::string& text);
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  std::unordered_map<std::string, uint32_t> index_;
  std::vector<std::string> strings_;
};

// Names index the string table.
struct CallFunction {
  uint32_t short_name, whole_name, file, module;
  bool plumbing = false;  // allocates on behalf of its caller
  bool words = false;     // no function: says in words what is missing
  bool operator==(const CallFunction&) const = default;
};

struct CallNode {
  uint32_t parent = kNone;                 // kNone: the root
  uint32_t function = kNone;               // in CallTree::functions; kNone: the root
  uint32_t first_line = 0, last_line = 0;  // 0: not known
};

// The line that people look for (analysis/places.h).
struct CallPlace {
  uint32_t function;
  uint32_t line;
  auto operator<=>(const CallPlace&) const = default;
};

// What a leaf knows; the names are the page's.
enum LeafColumn {
  kLiveBytes,
  kLiveObjects,
  kPeakBytes,
  kPeakObjects,
  kChurnBytes,
  kChurnCalls,
  kTemporaryCalls,
  kMappedBytes,
  kMappings,
  kLeafColumns
};
using Amounts = std::array<profile::Amount, kLeafColumns>;
Amounts AmountsOf(const profile::Measures& measures);
// Of class mapped: reserved address space, exact in every mode, which is in no other column.
Amounts AmountsOfMapped(const profile::Measures& measures);

// All sites of one profile that meet in a node and a place.
struct CallLeaf {
  uint32_t node, place, profile;
  uint64_t floor_bytes;  // as profile::Measures has it
  Amounts amounts;
};

struct CallTree {
  std::vector<CallNode> nodes;  // [0] is the root; preorder
  std::vector<CallFunction> functions;
  std::vector<CallPlace> places;
  std::vector<CallLeaf> leaves;  // ordered by node; only those that have anything at all
};

CallTree BuildCallTree(const std::vector<const profile::Profile*>& profiles, const Wording& wording,
                       StringTable* strings);

// Orders the leaves by node, place and profile, and adds up those that agree in all three.
void MergeLeaves(CallTree* tree);

}  // namespace heaptally::exporters
