// Names of functions in DWARF. Where a mangled linkage name is present it decides (a plain one is a C library's private
// alias, such as __GI_abort for abort). Where none is (functions that exist only inlined, in anonymous namespaces,
// lambdas) the name is built from the scopes around the declaration: namespaces, classes, enclosing functions. Built
// names carry no parameter list.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_strings.h"

namespace heaptally::symbols {

struct DieName {
  std::string text;         // readable; "" if the DIE has no name at all
  bool is_linkage = false;  // made from a mangled linkage name
};

class DwarfNames {
 public:
  // The name of a subprogram or inlined subroutine.
  const DieName& Function(Dwarf_Die die);

 private:
  using ParentMap = std::unordered_map<const void*, Dwarf_Die>;  // DIE address -> the DIE of its scope

  DieName Make(Dwarf_Die die, int depth);
  std::string ScopeOf(Dwarf_Die declaration, int depth);
  // Scopes of all functions and types of one unit; made once per unit, at the first name without a linkage name.
  const ParentMap& ParentsIn(Dwarf_Die unit);

  DwarfStrings strings_;
  std::unordered_map<const void*, DieName> names_;
  std::unordered_map<const void*, ParentMap> parents_;
};

// Calls visit(die, parent) for the DIEs below `root` in file order; visit returns true to go into the children.
// Survives sibling links that point backwards, and nesting without end.
template <typename Visit>
void WalkDies(Dwarf_Die root, Visit visit) {
  constexpr size_t kMaxDepth = 256;
  struct Level {
    Dwarf_Die next, parent;
  };
  std::vector<Level> levels(1);
  if (dwarf_child(&root, &levels[0].next) != 0) return;
  levels[0].parent = root;
  const void* last = nullptr;
  while (!levels.empty()) {
    const Level here = levels.back();
    levels.pop_back();
    Dwarf_Die die = here.next;
    if (die.addr <= last) continue;  // file order is strict in valid DWARF
    last = die.addr;
    const bool enter = visit(die, here.parent);
    Level sibling{{}, here.parent};
    if (dwarf_siblingof(&die, &sibling.next) == 0) levels.push_back(sibling);
    Level child{{}, die};
    if (enter && levels.size() < kMaxDepth && dwarf_child(&die, &child.next) == 0) levels.push_back(child);
  }
}

}  // namespace heaptally::symbols
