#include "symbols/dwarf_abbrevs.h"

#include <dwarf.h>

#include "symbols/byte_reader.h"

namespace heaptally::symbols {
namespace {

// Adds a form's length to the abbreviation's; false if it has none of its own.
bool AddFixed(uint16_t form, uint16_t name, Abbrev* abbrev) {
  if (name == DW_AT_sibling) return false;  // somebody wants to see it
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return true;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      abbrev->fixed_bytes += 1;
      return true;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      abbrev->fixed_bytes += 2;
      return true;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      abbrev->fixed_bytes += 3;
      return true;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
      abbrev->fixed_bytes += 4;
      return true;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      abbrev->fixed_bytes += 8;
      return true;
    case DW_FORM_data16:
      abbrev->fixed_bytes += 16;
      return true;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_GNU_ref_alt:
      abbrev->fixed_offsets += 1;
      return true;
    case DW_FORM_addr:
      abbrev->fixed_addresses += 1;
      return true;
    default:
      return false;
  }
}

}  // namespace

AbbrevTable::AbbrevTable(std::string_view section, uint64_t offset) {
  if (offset >= section.size()) return;
  ByteReader in(section.substr(offset));
  while (in.ok()) {
    const uint64_t code = in.Uleb();
    if (code == 0) break;
    Abbrev abbrev;
    abbrev.tag = static_cast<uint16_t>(in.Uleb());
    abbrev.has_children = in.U8() != 0;
    abbrev.first = static_cast<uint32_t>(attributes_.size());
    abbrev.is_fixed = true;
    while (in.ok()) {
      AbbrevAttribute attribute;
      attribute.name = static_cast<uint16_t>(in.Uleb());
      attribute.form = static_cast<uint16_t>(in.Uleb());
      if (attribute.form == DW_FORM_implicit_const) attribute.implicit = in.Sleb();
      if (attribute.name == 0 && attribute.form == 0) break;
      attributes_.push_back(attribute);
      if (!AddFixed(attribute.form, attribute.name, &abbrev)) abbrev.is_fixed = false;
    }
    if (!in.ok()) break;
    abbrev.end = static_cast<uint32_t>(attributes_.size());
    if (code == dense_.size() + 1) {
      dense_.push_back(abbrev);
    } else {
      sparse_.emplace(code, abbrev);
    }
  }
}

const Abbrev* AbbrevTable::Find(uint64_t code) const {
  if (code - 1 < dense_.size()) return &dense_[code - 1];
  const auto found = sparse_.find(code);
  return found == sparse_.end() ? nullptr : &found->second;
}

}  // namespace heaptally::symbols
