#include "symbols/dwarf_data.h"

#include <dwarf.h>

#include <algorithm>

#include "symbols/dwarf_forms.h"

namespace heaptally::symbols {

std::string_view SectionOf(const DwarfUnitHeader& unit) {
  return unit.in_types ? unit.data->sections().types : unit.data->sections().info;
}

const char* Die::key() const { return SectionOf(*unit).data() + offset; }

std::string_view StringAt(std::string_view section, uint64_t offset) {
  if (offset >= section.size()) return {};
  const size_t end = section.find('\0', offset);
  return end == std::string_view::npos ? std::string_view{} : section.substr(offset, end - offset);
}

DwarfData::DwarfData(const DwarfSections& sections, const DwarfData* alternate)
    : sections_(sections), alternate_(alternate) {
  ReadUnits(sections_.info, false, nullptr);
  ReadUnits(sections_.types, true, nullptr);
}

DwarfData::DwarfData(const DwarfSections& sections, const DwarfUnitHeader& skeleton) : sections_(sections) {
  ReadUnits(sections_.info, false, &skeleton);
  ReadUnits(sections_.types, true, &skeleton);
}

void DwarfData::ReadUnits(std::string_view section, bool in_types, const DwarfUnitHeader* skeleton) {
  for (uint64_t at = 0; at < section.size();) {
    DwarfUnitHeader unit;
    unit.data = this;
    unit.in_types = in_types;
    unit.is_split = skeleton != nullptr;
    if (!ReadHeader(section, at, &unit)) {
      whole_ = false;
      return;
    }
    at = unit.end;
    if (unit.version < 2 || unit.version > 5) continue;  // its length is all that is known of it
    ReadBases(skeleton, &unit);
    units_.push_back(unit);
    info_units_ += !in_types;
  }
}

bool DwarfData::ReadHeader(std::string_view section, uint64_t start, DwarfUnitHeader* unit) const {
  ByteReader in(section);
  in.Seek(start);
  uint64_t length = in.Fixed(4);
  unit->wide = length == 0xffffffffu;
  if (unit->wide) length = in.Fixed(8);
  if (!in.ok() || length > in.left() || length == 0) return false;
  unit->start = start;
  unit->end = in.position() + length;
  unit->version = static_cast<uint16_t>(in.Fixed(2));
  unit->type = DW_UT_compile;
  if (unit->version >= 5) {
    unit->type = in.U8();
    unit->address_bytes = in.U8();
    unit->abbrev_offset = in.Fixed(unit->offset_bytes());
  } else {
    unit->abbrev_offset = in.Fixed(unit->offset_bytes());
    unit->address_bytes = in.U8();
    if (unit->in_types) unit->type = DW_UT_type;
  }
  if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile) unit->dwo_id = in.Fixed(8);
  if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) in.Skip(8 + unit->offset_bytes());
  unit->address_bytes = std::min<uint8_t>(unit->address_bytes, 8);
  unit->first_die = in.position();
  return in.ok() && unit->first_die <= unit->end;
}

// The order matters: indices need their bases.
void DwarfData::ReadBases(const DwarfUnitHeader* skeleton, DwarfUnitHeader* unit) const {
  const Die die = UnitDie(*unit);
  const bool five = unit->version >= 5;
  const auto base = [&](uint16_t name, uint64_t otherwise) {
    const DieValue value = AttributeOf(die, name);
    return value.kind == DieValue::Kind::kNumber ? value.number : otherwise;
  };
  unit->str_offsets_base = base(DW_AT_str_offsets_base, !five ? 0 : unit->wide ? 16 : 8);
  unit->rnglists_base = base(DW_AT_rnglists_base, unit->wide ? 20 : 12);
  if (skeleton != nullptr) {
    unit->addr_base = skeleton->addr_base;
    unit->ranges_base = skeleton->ranges_base;
    unit->low_pc = skeleton->low_pc;
    if (!five) unit->dwo_id = NumberOf(die, DW_AT_GNU_dwo_id);
    return;
  }
  unit->addr_base = base(DW_AT_addr_base, base(DW_AT_GNU_addr_base, !five ? 0 : unit->wide ? 16 : 8));
  unit->ranges_base = base(DW_AT_GNU_ranges_base, 0);  // for the split unit; a skeleton's own ranges do not use it
  DieValue low = AttributeOf(die, DW_AT_low_pc);
  if (low.kind != DieValue::Kind::kAddress) low = AttributeOf(die, DW_AT_entry_pc);
  if (low.kind == DieValue::Kind::kAddress) unit->low_pc = low.number;
  if (five || unit->in_types) return;
  if (TagOf(die) == DW_TAG_partial_unit) unit->type = DW_UT_partial;
  unit->dwo_id = NumberOf(die, DW_AT_GNU_dwo_id);
  if (!TextOf(die, DW_AT_GNU_dwo_name).empty()) unit->type = DW_UT_skeleton;
}

Die DwarfData::UnitDie(const DwarfUnitHeader& unit) const { return {&unit, unit.first_die}; }

Die DwarfData::DieAt(uint64_t info_offset) const {
  const auto end = units_.begin() + static_cast<ptrdiff_t>(info_units_);
  auto unit = std::upper_bound(units_.begin(), end, info_offset,
                               [](uint64_t offset, const DwarfUnitHeader& one) { return offset < one.start; });
  if (unit == units_.begin()) return {};
  --unit;
  if (info_offset < unit->first_die || info_offset >= unit->end) return {};
  return {&*unit, info_offset};
}

const AbbrevTable& DwarfData::AbbrevsOf(const DwarfUnitHeader& unit) const {
  if (unit.abbrevs != nullptr) return *unit.abbrevs;
  std::unique_ptr<AbbrevTable>& table = abbrevs_[unit.abbrev_offset];
  if (table == nullptr) table = std::make_unique<AbbrevTable>(sections_.abbrev, unit.abbrev_offset);
  unit.abbrevs = table.get();
  return *table;
}

const Abbrev* ReadAbbrev(ByteReader& in, const DwarfUnitHeader& unit) {
  const uint64_t code = in.Uleb();
  return code == 0 || !in.ok() ? nullptr : unit.data->AbbrevsOf(unit).Find(code);
}

uint64_t SkipAttributes(ByteReader& in, const DwarfUnitHeader& unit, const Abbrev& abbrev) {
  if (abbrev.is_fixed) {
    in.Skip(abbrev.fixed_bytes + abbrev.fixed_offsets * unit.offset_bytes() +
            uint64_t{abbrev.fixed_addresses} * unit.address_bytes);
    return 0;
  }
  uint64_t sibling = 0;
  const AbbrevTable& table = unit.data->AbbrevsOf(unit);
  for (const AbbrevAttribute* at = table.begin(abbrev); at != table.end(abbrev) && in.ok(); ++at) {
    if (at->name == DW_AT_sibling) {
      sibling = ReadForm(in, at->form, at->implicit, unit).die.offset;
    } else {
      SkipForm(in, at->form, unit);
    }
  }
  return sibling;
}

uint16_t TagOf(const Die& die) {
  if (!die) return 0;
  ByteReader in(SectionOf(*die.unit).substr(0, die.unit->end));
  in.Seek(die.offset);
  const Abbrev* abbrev = ReadAbbrev(in, *die.unit);
  return abbrev == nullptr ? 0 : abbrev->tag;
}

DieValue AttributeOf(const Die& die, uint16_t name) {
  if (!die) return {};
  ByteReader in(SectionOf(*die.unit).substr(0, die.unit->end));
  in.Seek(die.offset);
  const Abbrev* abbrev = ReadAbbrev(in, *die.unit);
  if (abbrev == nullptr) return {};
  const AbbrevTable& table = die.unit->data->AbbrevsOf(*die.unit);
  const AbbrevAttribute* end = table.end(*abbrev);
  const AbbrevAttribute* wanted =
      std::find_if(table.begin(*abbrev), end, [name](const AbbrevAttribute& one) { return one.name == name; });
  if (wanted == end) return {};
  for (const AbbrevAttribute* at = table.begin(*abbrev); at != wanted; ++at) SkipForm(in, at->form, *die.unit);
  DieValue value = ReadForm(in, wanted->form, wanted->implicit, *die.unit);
  return in.ok() ? value : DieValue{};
}

uint64_t NumberOf(const Die& die, uint16_t name) {
  const DieValue value = AttributeOf(die, name);
  return value.kind == DieValue::Kind::kNumber ? value.number : 0;
}

std::string_view TextOf(const Die& die, uint16_t name) { return AttributeOf(die, name).text; }

Die DieOf(const Die& die, uint16_t name) { return AttributeOf(die, name).die; }

}  // namespace heaptally::symbols
