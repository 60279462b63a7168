// The sites of one or more profiles as a tree of calls, callers first.
//
// A node is a function under its callers: calls from different lines of one function meet in one node, which knows the
// first and the last of its lines; the line that allocates is kept by the site's place. Parents stand before their
// children, so that sums run over the arrays without recursion, however deep a stack is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/shown_stack.h"
#include "exporters/whole_numbers.h"

namespace heaptally::exporters {

inline constexpr uint32_t kNone = UINT32_MAX;

// Strings, each once.
class StringTable {
 public:
  uint32_t Index(const std::string& text);
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  std::map<std::string, uint32_t> index_;
  std::vector<std::string> strings_;
};

// All members index the string table.
struct FunctionKey {
  uint32_t short_name, whole_name, file, module;
  auto operator<=>(const FunctionKey&) const = default;
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

struct CallLeaf {
  uint32_t node, place;
  std::array<uint64_t, kMeasures.size()> values;  // whole numbers, in the order of kMeasures
};

struct CallTree {
  std::vector<CallNode> nodes;  // [0] is the root
  std::vector<FunctionKey> functions;
  std::vector<CallPlace> places;
  std::vector<CallLeaf> leaves;  // one for each site that has anything at all
  // Sampled only, else empty: sums, for intervals; parallel to nodes and places.
  std::vector<profile::Measures> node_sums, place_sums;
  profile::Measures totals;
};

CallTree BuildCallTree(const std::vector<const profile::Profile*>& profiles, const Wording& wording,
                       StringTable* strings);

}  // namespace heaptally::exporters
