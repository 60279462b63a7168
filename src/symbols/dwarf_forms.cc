#include "symbols/dwarf_forms.h"

#include <dwarf.h>

namespace heaptally::symbols {
namespace {

using Kind = DieValue::Kind;

DieValue Number(uint64_t number) { return {.kind = Kind::kNumber, .number = number}; }
DieValue Text(std::string_view text) { return {.kind = Kind::kText, .text = text}; }

uint64_t FixedAt(std::string_view section, uint64_t offset, size_t bytes, bool* ok) {
  ByteReader in(section);
  in.Seek(offset);
  const uint64_t value = in.Fixed(bytes);
  *ok = in.ok();
  return value;
}

// The index-th entry of a table of numbers `bytes` wide.
uint64_t Entry(std::string_view section, uint64_t base, uint64_t index, size_t bytes, bool* ok) {
  *ok = index <= section.size() && base <= section.size();
  return *ok ? FixedAt(section, base + index * bytes, bytes, ok) : 0;
}

DieValue Indexed(uint64_t index, const DwarfUnitHeader& unit) {  // of .debug_str_offsets
  bool ok = false;
  const DwarfSections& sections = unit.data->sections();
  const uint64_t offset = Entry(sections.str_offsets, unit.str_offsets_base, index, unit.offset_bytes(), &ok);
  return ok ? Text(StringAt(sections.str, offset)) : DieValue{};
}

DieValue IndexedAddress(uint64_t index, const DwarfUnitHeader& unit) {  // of .debug_addr
  bool ok = false;
  const uint64_t address = Entry(unit.data->sections().addr, unit.addr_base, index, unit.address_bytes, &ok);
  return ok ? DieValue{.kind = Kind::kAddress, .number = address} : DieValue{};
}

DieValue InUnit(uint64_t offset, const DwarfUnitHeader& unit) {
  const uint64_t at = unit.start + offset;
  if (at < unit.first_die || at >= unit.end) return {};
  return {.kind = Kind::kDie, .die = {&unit, at}};
}

DieValue InFile(const DwarfData* data, uint64_t offset) {
  const Die die = data == nullptr ? Die{} : data->DieAt(offset);
  return die ? DieValue{.kind = Kind::kDie, .die = die} : DieValue{};
}

DieValue Alternate(uint64_t offset, const DwarfUnitHeader& unit) {
  const DwarfData* alternate = unit.data->alternate();
  return alternate == nullptr ? DieValue{} : Text(StringAt(alternate->sections().str, offset));
}

// Blocks and what nobody here needs. False: not one of them.
bool SkipOthers(ByteReader& in, uint16_t form) {
  switch (form) {
    case DW_FORM_block1:
      in.Skip(in.Fixed(1));
      return true;
    case DW_FORM_block2:
      in.Skip(in.Fixed(2));
      return true;
    case DW_FORM_block4:
      in.Skip(in.Fixed(4));
      return true;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      in.Skip(in.Uleb());
      return true;
    case DW_FORM_data16:
      in.Skip(16);
      return true;
    case DW_FORM_ref_sig8:
      in.Skip(8);
      return true;
    case DW_FORM_loclistx:
      in.Uleb();
      return true;
    default:
      return false;
  }
}

// Strings and addresses; false: `form` is none.
bool ReadTextOrAddress(ByteReader& in, uint16_t form, const DwarfUnitHeader& unit, DieValue* value) {
  const DwarfSections& sections = unit.data->sections();
  const size_t wide = unit.offset_bytes();
  switch (form) {
    case DW_FORM_string:
      *value = Text(in.CString());
      return true;
    case DW_FORM_strp:
      *value = Text(StringAt(sections.str, in.Fixed(wide)));
      return true;
    case DW_FORM_line_strp:
      *value = Text(StringAt(sections.line_str, in.Fixed(wide)));
      return true;
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
      *value = Alternate(in.Fixed(wide), unit);
      return true;
    case DW_FORM_strx:
    case DW_FORM_GNU_str_index:
      *value = Indexed(in.Uleb(), unit);
      return true;
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
      *value = Indexed(in.Fixed(form - DW_FORM_strx1 + 1), unit);
      return true;
    case DW_FORM_addr:
      *value = {.kind = Kind::kAddress, .number = in.Fixed(unit.address_bytes)};
      return true;
    case DW_FORM_addrx:
    case DW_FORM_GNU_addr_index:
      *value = IndexedAddress(in.Uleb(), unit);
      return true;
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
      *value = IndexedAddress(in.Fixed(form - DW_FORM_addrx1 + 1), unit);
      return true;
    default:
      return false;
  }
}

// References to DIEs; false: `form` is none.
bool ReadReference(ByteReader& in, uint16_t form, const DwarfUnitHeader& unit, DieValue* value) {
  switch (form) {
    case DW_FORM_ref1:
      *value = InUnit(in.Fixed(1), unit);
      return true;
    case DW_FORM_ref2:
      *value = InUnit(in.Fixed(2), unit);
      return true;
    case DW_FORM_ref4:
      *value = InUnit(in.Fixed(4), unit);
      return true;
    case DW_FORM_ref8:
      *value = InUnit(in.Fixed(8), unit);
      return true;
    case DW_FORM_ref_udata:
      *value = InUnit(in.Uleb(), unit);
      return true;
    case DW_FORM_ref_addr:
      *value = InFile(unit.data, in.Fixed(unit.version == 2 ? unit.address_bytes : unit.offset_bytes()));
      return true;
    case DW_FORM_GNU_ref_alt:
      *value = InFile(unit.data->alternate(), in.Fixed(unit.offset_bytes()));
      return true;
    case DW_FORM_ref_sup4:
      *value = InFile(unit.data->alternate(), in.Fixed(4));
      return true;
    case DW_FORM_ref_sup8:
      *value = InFile(unit.data->alternate(), in.Fixed(8));
      return true;
    default:
      return false;
  }
}

}  // namespace

DieValue ReadForm(ByteReader& in, uint16_t form, int64_t implicit, const DwarfUnitHeader& unit) {
  DieValue value;
  if (form == DW_FORM_indirect) {
    form = static_cast<uint16_t>(in.Uleb());
    if (form == DW_FORM_indirect || form == DW_FORM_implicit_const) {
      in.Fail();
      return value;
    }
  }
  if (ReadTextOrAddress(in, form, unit, &value) || ReadReference(in, form, unit, &value) || SkipOthers(in, form))
    return value;
  switch (form) {
    case DW_FORM_data1:
    case DW_FORM_flag:
      return Number(in.Fixed(1));
    case DW_FORM_data2:
      return Number(in.Fixed(2));
    case DW_FORM_data4:
      return Number(in.Fixed(4));
    case DW_FORM_data8:
      return Number(in.Fixed(8));
    case DW_FORM_udata:
      return Number(in.Uleb());
    case DW_FORM_sdata:
      return Number(static_cast<uint64_t>(in.Sleb()));
    case DW_FORM_implicit_const:
      return Number(static_cast<uint64_t>(implicit));
    case DW_FORM_flag_present:
      return Number(1);
    case DW_FORM_sec_offset:
      return Number(in.Fixed(unit.offset_bytes()));
    case DW_FORM_rnglistx:
      return {.kind = Kind::kIndex, .number = in.Uleb()};
    default:
      in.Fail();
      return value;
  }
}

void SkipForm(ByteReader& in, uint16_t form, const DwarfUnitHeader& unit) {
  switch (form) {
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_GNU_ref_alt:
      in.Skip(unit.offset_bytes());
      return;
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_GNU_str_index:
    case DW_FORM_GNU_addr_index:
      in.Uleb();
      return;
    default:
      ReadForm(in, form, 0, unit);
  }
}

}  // namespace heaptally::symbols
