// One compilation unit: its functions, their inlined calls, and its lines, each read at the first need and kept.
//
// Functions are collected from the top level and from namespaces first, which skips most of a unit; only an address
// that is in none of them makes us search everywhere (bodies of local classes). Functions and inlined calls whose code
// the linker dropped lie outside of executable sections and are ignored.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "symbols/dwarf_data.h"
#include "symbols/elf_image.h"
#include "symbols/line_table.h"
#include "symbols/range_map.h"
#include "symbols/split_files.h"

namespace heaptally::symbols {

class DwarfUnit {
 public:
  // A function, or a call that was inlined into it (or into an inlined call).
  struct InlinedCall {
    Die die;
    uint32_t first_range, end_range;
    uint32_t end;  // index behind the last call nested in this one
    uint64_t call_file;
    uint32_t call_line;
  };

  // `image` has the code and the unit's header; it, `unit` and `splits` must outlive this.
  DwarfUnit(const ElfImage& image, const DwarfUnitHeader& unit, SplitFiles* splits)
      : image_(image), unit_(unit), functions_unit_(&unit), splits_(splits) {}

  // The physical function at `vaddr` and the inlined calls around the address, outermost first. Empty if none.
  std::vector<Die> ChainAt(uint64_t vaddr, std::vector<const InlinedCall*>* calls);

  // Adds the ranges of all functions; for units that do not state their own.
  void AddFunctionRanges(RangeMap* map, uint32_t value);

  // File for a call's file number.
  std::string CallFile(uint64_t index, const LineTable& lines);

  Die die() const { return unit_.data->UnitDie(unit_); }
  // "" or what is missing, e.g. a split file.
  const std::string& problem() const { return problem_; }

 private:
  struct Function {
    Die die;
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    bool has_calls = false;  // calls read
    std::vector<InlinedCall> calls;
    std::vector<std::pair<uint64_t, uint64_t>> call_ranges;
  };

  void FindSplitUnit();
  void ReadFunctions(bool everywhere);
  Function* FunctionAt(uint64_t vaddr);
  void ReadCalls(Function* function);

  const ElfImage& image_;
  const DwarfUnitHeader& unit_;            // in the file itself: a full or a skeleton unit
  const DwarfUnitHeader* functions_unit_;  // where its functions are: the same, or the unit of the .dwo file
  SplitFiles* splits_;
  SplitUnit split_;
  std::unique_ptr<LineTable> split_lines_;  // the .dwo file's own table of files
  bool read_top_ = false;
  bool read_all_ = false;
  std::deque<Function> functions_;
  RangeMap map_;
  std::string problem_;
};

}  // namespace heaptally::symbols
