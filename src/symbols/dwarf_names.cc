#include "symbols/dwarf_names.h"

#include <dwarf.h>

#include <string_view>

#include "symbols/demangle.h"

namespace heaptally::symbols {
namespace {

constexpr int kMaxOrigins = 16;  // links of abstract origins and specifications
constexpr int kMaxScopes = 64;

// The DIE that `die` is an instance or the definition of; none at the end of the chain.
Die Origin(const Die& die) {
  const Die origin = DieOf(die, DW_AT_abstract_origin);
  return origin ? origin : DieOf(die, DW_AT_specification);
}

bool IsScope(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_interface_type:
    case DW_TAG_subprogram:
      return true;
    default:
      return false;
  }
}

// GCC calls the class of a lambda `<lambda(int)>`; angle brackets are for template arguments.
std::string ScopeName(std::string_view name, int tag, std::string_view member) {
  if (name.substr(0, 8) == "<lambda(" && name.back() == '>') {
    return "{" + std::string(name.substr(1, name.size() - 2)) + "}";
  }
  if (!name.empty()) return std::string(name);
  if (tag == DW_TAG_namespace) return "(anonymous namespace)";
  return member.substr(0, 10) == "operator()" ? "{lambda}" : "{unnamed type}";
}

}  // namespace

const DieName& DwarfNames::Function(const Die& die) {
  auto [it, is_new] = names_.try_emplace(die.key());
  if (is_new) {
    DieName made = Make(die, 0);
    return names_[die.key()] = std::move(made);  // Make may have grown the map
  }
  return it->second;
}

DieName DwarfNames::Make(Die die, int depth) {
  std::string_view name;
  for (int i = 0; i < kMaxOrigins; ++i) {
    std::string_view linkage = TextOf(die, DW_AT_linkage_name);
    if (linkage.empty()) linkage = TextOf(die, DW_AT_MIPS_linkage_name);
    if (IsMangled(linkage)) return {Demangle(linkage), true};
    if (name.empty()) name = TextOf(die, DW_AT_name);
    const Die origin = Origin(die);
    if (!origin) break;
    die = origin;
  }
  if (name.empty()) return {};
  return {ScopeOf(die, depth) + std::string(name), false};
}

std::string DwarfNames::ScopeOf(const Die& declaration, int depth) {
  if (depth > 4) return "";
  const ParentMap& parents = ParentsIn(*declaration.unit);
  std::string member(TextOf(declaration, DW_AT_name));
  std::string scope;
  bool in_type = false;  // a function nested in a function keeps its plain C name
  const char* at = declaration.key();
  for (int i = 0; i < kMaxScopes; ++i) {
    auto it = parents.find(at);
    if (it == parents.end()) break;
    const Die parent = it->second;
    const int tag = TagOf(parent);
    if (!IsScope(tag)) break;
    if (tag == DW_TAG_subprogram) {
      if (in_type) scope = Make(parent, depth + 1).text + "::" + scope;
      break;
    }
    in_type = true;
    member = ScopeName(TextOf(parent, DW_AT_name), tag, member);
    scope = member + "::" + scope;
    at = parent.key();
  }
  return scope;
}

const DwarfNames::ParentMap& DwarfNames::ParentsIn(const DwarfUnitHeader& unit) {
  auto [it, is_new] = parents_.try_emplace(&unit);
  ParentMap& map = it->second;
  if (!is_new) return map;
  WalkDies(unit.data->UnitDie(unit), [&](const Die& die, const Die& parent) {
    const int tag = TagOf(die);
    const bool scope = IsScope(tag);
    const bool block = tag == DW_TAG_lexical_block;
    if (scope || block) {
      // A block is no scope of names: what is in it belongs to the scope around it.
      auto around = TagOf(parent) == DW_TAG_lexical_block ? map.find(parent.key()) : map.end();
      map.emplace(die.key(), around == map.end() ? parent : around->second);
    }
    return scope || block;
  });
  return map;
}

}  // namespace heaptally::symbols
