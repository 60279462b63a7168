// Debug information of one file: which unit covers an address, and the chain of functions there. The table of units is
// made once; units are read as they are asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_names.h"
#include "symbols/dwarf_unit.h"
#include "symbols/elf_image.h"
#include "symbols/line_table.h"
#include "symbols/symbolizer.h"

namespace heaptally::symbols {

class DwarfIndex {
 public:
  // Reads the table of units of `image`, which must outlive the index. Null if it has no debug information; then
  // `problem` is "" or says why it cannot be read.
  // `alternate`, null if there is none, is what dwz moved common parts to; it must outlive the index too.
  // `splits` finds split units; it must outlive the index too.
  static std::unique_ptr<DwarfIndex> Open(const ElfImage& image, const ElfImage* alternate, SplitFiles* splits,
                                          std::string* problem);
  DwarfIndex(const DwarfIndex&) = delete;
  DwarfIndex& operator=(const DwarfIndex&) = delete;

  struct Answer {
    std::vector<Frame> frames;   // innermost first; empty if no unit knows a function or a line
    bool linkage_known = false;  // the last frame's name comes from a linkage name
  };
  Answer Find(uint64_t vaddr);

  // "" or what could not be read so far.
  const std::string& problem() const { return problem_; }

 private:
  DwarfIndex(const ElfImage& image, const ElfImage* alternate, SplitFiles* splits);
  void ReadUnits();
  // DWARF 2 has no DW_AT_ranges: what a unit covers beyond one range is in .debug_aranges only.
  void AddAranges(const std::unordered_map<uint64_t, uint32_t>& units);
  const LineTable& LinesOf(const Die& unit);

  const ElfImage& image_;
  std::unique_ptr<DwarfData> alternate_;  // null if there is none
  std::unique_ptr<DwarfData> data_;
  SplitFiles* splits_;
  LineSections sections_;
  std::deque<DwarfUnit> units_;
  RangeMap map_;  // address -> index into units_
  DwarfNames names_;
  std::unordered_map<uint64_t, std::unique_ptr<LineTable>> lines_;  // by offset of the program
  std::string problem_;
};

}  // namespace heaptally::symbols
