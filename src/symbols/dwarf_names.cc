#include "symbols/dwarf_names.h"

#include <dwarf.h>

#include <string_view>
#include <vector>

#include "symbols/demangle.h"

namespace heaptally::symbols {
namespace {

constexpr int kMaxOrigins = 16;  // as many links of abstract origins and specifications as libdw itself follows
constexpr int kMaxScopes = 64;

// The DIE that `die` is an instance or the definition of; false at the end of the chain.
bool Origin(Dwarf_Die* die, Dwarf_Die* origin) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) == nullptr &&
      dwarf_attr(die, DW_AT_specification, &attribute) == nullptr) {
    return false;
  }
  return dwarf_formref_die(&attribute, origin) != nullptr && origin->addr != die->addr;
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
std::string ScopeName(const char* raw, int tag, std::string_view member) {
  const std::string_view name = raw == nullptr ? "" : raw;
  if (name.substr(0, 8) == "<lambda(" && name.back() == '>') {
    return "{" + std::string(name.substr(1, name.size() - 2)) + "}";
  }
  if (!name.empty()) return std::string(name);
  if (tag == DW_TAG_namespace) return "(anonymous namespace)";
  return member.substr(0, 10) == "operator()" ? "{lambda}" : "{unnamed type}";
}

}  // namespace

const DieName& DwarfNames::Function(Dwarf_Die die) {
  auto [it, is_new] = names_.try_emplace(die.addr);
  if (is_new) {
    DieName made = Make(die, 0);
    return names_[die.addr] = std::move(made);  // Make may have grown the map
  }
  return it->second;
}

DieName DwarfNames::Make(Dwarf_Die die, int depth) {
  const char* name = nullptr;
  for (int i = 0; i < kMaxOrigins; ++i) {
    const char* linkage = strings_.Of(&die, DW_AT_linkage_name);
    if (linkage == nullptr) linkage = strings_.Of(&die, DW_AT_MIPS_linkage_name);
    if (linkage != nullptr && IsMangled(linkage)) return {Demangle(linkage), true};
    if (name == nullptr) name = strings_.Of(&die, DW_AT_name);
    Dwarf_Die origin;
    if (!Origin(&die, &origin)) break;
    die = origin;
  }
  if (name == nullptr || name[0] == '\0') return {};
  return {ScopeOf(die, depth) + name, false};
}

std::string DwarfNames::ScopeOf(Dwarf_Die declaration, int depth) {
  Dwarf_Die unit;
  if (depth > 4 || dwarf_diecu(&declaration, &unit, nullptr, nullptr) == nullptr) return "";
  const ParentMap& parents = ParentsIn(unit);
  const char* own = strings_.Of(&declaration, DW_AT_name);
  std::string member = own == nullptr ? "" : own;
  std::string scope;
  bool in_type = false;  // a function nested in a function keeps its plain C name
  const void* at = declaration.addr;
  for (int i = 0; i < kMaxScopes; ++i) {
    auto it = parents.find(at);
    if (it == parents.end()) break;
    Dwarf_Die parent = it->second;
    const int tag = dwarf_tag(&parent);
    if (!IsScope(tag)) break;
    if (tag == DW_TAG_subprogram) {
      if (in_type) scope = Make(parent, depth + 1).text + "::" + scope;
      break;
    }
    in_type = true;
    member = ScopeName(strings_.Of(&parent, DW_AT_name), tag, member);
    scope = member + "::" + scope;
    at = parent.addr;
  }
  return scope;
}

const DwarfNames::ParentMap& DwarfNames::ParentsIn(Dwarf_Die unit) {
  auto [it, is_new] = parents_.try_emplace(unit.addr);
  ParentMap& map = it->second;
  if (!is_new) return map;
  WalkDies(unit, [&](Dwarf_Die die, Dwarf_Die parent) {
    const int tag = dwarf_tag(&die);
    const bool scope = IsScope(tag);
    const bool block = tag == DW_TAG_lexical_block;
    if (scope || block) {
      // A block is no scope of names: what is in it belongs to the scope around it.
      auto around = dwarf_tag(&parent) == DW_TAG_lexical_block ? map.find(parent.addr) : map.end();
      map.emplace(die.addr, around == map.end() ? parent : around->second);
    }
    return scope || block;
  });
  return map;
}

}  // namespace heaptally::symbols
