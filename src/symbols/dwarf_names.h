// Names of functions in DWARF. Where a mangled linkage name is present it decides (a plain one is a C library's private
// alias, such as __GI_abort for abort). Where none is (functions that exist only inlined, in anonymous namespaces,
// lambdas) the name is built from the scopes around the declaration: namespaces, classes, enclosing functions. Built
// names carry no parameter list.
#pragma once

#include <string>
#include <unordered_map>

#include "symbols/dwarf_data.h"

namespace heaptally::symbols {

struct DieName {
  std::string text;         // readable; "" if the DIE has no name at all
  bool is_linkage = false;  // made from a mangled linkage name
};

class DwarfNames {
 public:
  // The name of a subprogram or inlined subroutine.
  const DieName& Function(const Die& die);

 private:
  using ParentMap = std::unordered_map<const char*, Die>;  // DIE -> the DIE of its scope

  DieName Make(Die die, int depth);
  std::string ScopeOf(const Die& declaration, int depth);
  // Scopes of all functions and types of one unit; made once per unit, at the first name without a linkage name.
  const ParentMap& ParentsIn(const DwarfUnitHeader& unit);

  std::unordered_map<const char*, DieName> names_;
  std::unordered_map<const DwarfUnitHeader*, ParentMap> parents_;
};

}  // namespace heaptally::symbols
