// Abbreviations: what attributes, in what forms, the DIEs of a unit have (DWARF 5, section 7.5.3).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heaptally::symbols {

struct AbbrevAttribute {
  uint16_t name = 0;
  uint16_t form = 0;
  int64_t implicit = 0;  // DW_FORM_implicit_const's value
};

struct Abbrev {
  uint16_t tag = 0;
  bool has_children = false;
  uint32_t first = 0, end = 0;  // attributes, in AbbrevTable::attributes
  // The attributes' length, where all of their forms have one: bytes, and numbers as wide as an offset and an address.
  bool is_fixed = false;
  uint32_t fixed_bytes = 0, fixed_offsets = 0, fixed_addresses = 0;
};

class AbbrevTable {
 public:
  // The table at `offset` of .debug_abbrev, up to where it cannot be read.
  AbbrevTable(std::string_view section, uint64_t offset);

  // Null if there is none of this code.
  const Abbrev* Find(uint64_t code) const;
  const AbbrevAttribute* begin(const Abbrev& abbrev) const { return attributes_.data() + abbrev.first; }
  const AbbrevAttribute* end(const Abbrev& abbrev) const { return attributes_.data() + abbrev.end; }

 private:
  std::vector<Abbrev> dense_;  // by code - 1, as compilers number them
  std::unordered_map<uint64_t, Abbrev> sparse_;
  std::vector<AbbrevAttribute> attributes_;
};

}  // namespace heaptally::symbols
