// Debug information of one file, as units, DIEs and attributes (DWARF 2 to 5, chapter 7 of each; GNU's split units of
// DWARF 4). Everything is read in place, from sections that may be cut short or lie: a number that cannot be read is 0, a
// string that is not whole is "", a reference that leads nowhere is no DIE, and every walk is bounded by the section.
//
// Why not libdw: 0.188 knows no .dwp packages, hands out strings and siblings beyond their sections, and keeps one
// descriptor open for every .dwo file (docs/dependencies.md).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/byte_reader.h"
#include "symbols/dwarf_abbrevs.h"

namespace heaptally::symbols {

struct DwarfSections {
  std::string_view info, types, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, line, aranges;
};

class DwarfData;

// One unit of .debug_info or .debug_types.
struct DwarfUnitHeader {
  const DwarfData* data = nullptr;
  uint64_t start = 0, end = 0;  // in its section
  uint64_t first_die = 0;       // in its section
  uint64_t abbrev_offset = 0;
  uint64_t dwo_id = 0;  // of skeletons and split units; 0: none
  uint16_t version = 0;
  uint8_t type = 0;  // DW_UT_*; DWARF 4's are told apart by their attributes
  uint8_t address_bytes = 0;
  bool wide = false;      // 64-bit DWARF
  bool in_types = false;  // in .debug_types
  bool is_split = false;  // in a .dwo or .dwp file
  // Where this unit's parts of the sections begin. Those of a split unit come from its skeleton.
  uint64_t str_offsets_base = 0, addr_base = 0, ranges_base = 0, rnglists_base = 0;
  uint64_t low_pc = 0;
  mutable const AbbrevTable* abbrevs = nullptr;

  size_t offset_bytes() const { return wide ? 8 : 4; }
};

struct Die {
  const DwarfUnitHeader* unit = nullptr;  // null: no DIE
  uint64_t offset = 0;                    // in the unit's section

  explicit operator bool() const { return unit != nullptr; }
  // The DIE's first byte: one of a kind among all DIEs of all files.
  const char* key() const;
};

struct DieValue {
  enum class Kind : uint8_t { kNone, kNumber, kIndex, kAddress, kText, kDie };
  Kind kind = Kind::kNone;  // kNone: not there, or of a form that nobody here needs
  uint64_t number = 0;
  std::string_view text;
  Die die;
};

class DwarfData {
 public:
  // The sections must outlive the data; `alternate`, which dwz's references lead to, too (null: none).
  explicit DwarfData(const DwarfSections& sections, const DwarfData* alternate = nullptr);
  // The units of a .dwo file, or one of a .dwp package. `skeleton` is the unit in the file itself that names it: what a
  // split unit says relative to addresses and ranges, it says relative to that. It must outlive the data.
  DwarfData(const DwarfSections& sections, const DwarfUnitHeader& skeleton);
  DwarfData(const DwarfData&) = delete;
  DwarfData& operator=(const DwarfData&) = delete;

  const DwarfSections& sections() const { return sections_; }
  const DwarfData* alternate() const { return alternate_; }
  const std::deque<DwarfUnitHeader>& units() const { return units_; }
  // False if a unit's header could not be read: those before it are there.
  bool whole() const { return whole_; }

  Die UnitDie(const DwarfUnitHeader& unit) const;
  // The DIE at an offset of .debug_info, in whichever unit.
  Die DieAt(uint64_t info_offset) const;
  const AbbrevTable& AbbrevsOf(const DwarfUnitHeader& unit) const;

 private:
  void ReadUnits(std::string_view section, bool in_types, const DwarfUnitHeader* skeleton);
  bool ReadHeader(std::string_view section, uint64_t start, DwarfUnitHeader* unit) const;
  void ReadBases(const DwarfUnitHeader* skeleton, DwarfUnitHeader* unit) const;

  DwarfSections sections_;
  const DwarfData* alternate_ = nullptr;
  std::deque<DwarfUnitHeader> units_;  // .debug_info's first, in order
  size_t info_units_ = 0;
  bool whole_ = true;
  mutable std::unordered_map<uint64_t, std::unique_ptr<AbbrevTable>> abbrevs_;  // by offset
};

// The tag of a DIE; 0 if it cannot be read.
uint16_t TagOf(const Die& die);
// An attribute of a DIE.
DieValue AttributeOf(const Die& die, uint16_t name);
// The same as a number (0 if it is none), a string, a DIE.
uint64_t NumberOf(const Die& die, uint16_t name);
std::string_view TextOf(const Die& die, uint16_t name);
Die DieOf(const Die& die, uint16_t name);

// The string at `offset` of a section; "" if it is not whole.
std::string_view StringAt(std::string_view section, uint64_t offset);

// Reads a DIE's abbreviation code, and moves `in`, which stands at the DIE, behind it. Null at a null entry or where
// nothing can be read.
const Abbrev* ReadAbbrev(ByteReader& in, const DwarfUnitHeader& unit);
// Moves `in`, which stands behind the abbreviation code, behind the attributes. Gives DW_AT_sibling's offset in the
// section if there is one, else 0.
uint64_t SkipAttributes(ByteReader& in, const DwarfUnitHeader& unit, const Abbrev& abbrev);
std::string_view SectionOf(const DwarfUnitHeader& unit);

// Calls visit(die, parent) for the DIEs below `root` in file order; visit returns true to go into the children. Nesting
// deeper than kMaxDieDepth is not gone into.
inline constexpr size_t kMaxDieDepth = 256;
template <typename Visit>
void WalkDies(const Die& root, Visit visit) {
  if (!root) return;
  const DwarfUnitHeader& unit = *root.unit;
  ByteReader in(SectionOf(unit).substr(0, unit.end));
  in.Seek(root.offset);
  const Abbrev* abbrev = ReadAbbrev(in, unit);
  if (abbrev == nullptr || !abbrev->has_children) return;
  SkipAttributes(in, unit, *abbrev);
  std::vector<Die> parents = {root};
  size_t skipped_levels = 0;  // below the last parent, whose DIEs nobody wants
  while (!parents.empty() && !in.AtEnd()) {
    const Die die = {&unit, in.position()};
    abbrev = ReadAbbrev(in, unit);
    if (abbrev == nullptr) {
      if (skipped_levels > 0) {
        --skipped_levels;
      } else {
        parents.pop_back();
      }
      continue;
    }
    const bool enter = skipped_levels == 0 && visit(die, parents.back()) && parents.size() < kMaxDieDepth;
    const uint64_t sibling = SkipAttributes(in, unit, *abbrev);
    if (!abbrev->has_children) continue;
    if (enter) {
      parents.push_back(die);
    } else if (sibling > in.position() && sibling <= unit.end) {
      in.Seek(sibling);
    } else {
      ++skipped_levels;
    }
  }
}

}  // namespace heaptally::symbols
