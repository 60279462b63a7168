// Address to file and line: the line number program of one compilation unit (DWARF 2 to 5, chapter 6.2 of each).
//
// Why not libdw's decoder: it merges all sequences of a unit into one sorted list, so the rows of a function that the
// linker dropped (left at address 0) land between the rows of living code. Here a sequence whose start is not code is
// thrown away whole, and rows are never mixed across sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/range_map.h"

namespace heaptally::symbols {

struct LineSections {
  std::string_view line;      // .debug_line
  std::string_view line_str;  // .debug_line_str
  std::string_view str;       // .debug_str
  std::string_view str_offsets = {};  // .debug_str_offsets, whole; read where a name is an index
};

class LineTable {
 public:
  struct Position {
    uint32_t file = 0;  // as FileName takes it
    uint32_t line = 0;  // 0: not known
  };

  // Decodes the program at `offset` of .debug_line. `is_code` tells living code from dropped. What cannot be decoded
  // is left out; an unreadable header gives an empty table. `sections` must outlive the table.
  LineTable(const LineSections& sections, uint64_t offset, std::string comp_dir,
            const std::function<bool(uint64_t)>& is_code);

  // Line 0 if no row covers the address.
  Position Find(uint64_t vaddr) const;
  // `index` as DW_AT_call_file and DW_AT_decl_file count (from 1 up to DWARF 4, from 0 since). "" if there is none.
  std::string FileName(uint64_t index) const;

 private:
  struct Row {
    uint64_t address;
    uint32_t file, line;
  };
  struct File {
    std::string_view name;
    uint64_t directory;
  };
  struct Header;
  struct Sequence;

  bool ReadHeader(std::string_view unit, const LineSections& sections, Header* header);
  bool ReadNames(class ByteReader& in, const LineSections& sections, bool wide);
  bool ReadOldNames(class ByteReader& in);
  void Run(const Header& header, const std::function<bool(uint64_t)>& is_code);
  void Extended(class ByteReader& in, const Header& header, Sequence* sequence,
                const std::function<bool(uint64_t)>& is_code);
  void EndSequence(Sequence* sequence, const std::function<bool(uint64_t)>& is_code);

  std::string comp_dir_;
  uint16_t version_ = 0;
  std::vector<std::string_view> directories_;
  std::vector<File> files_;
  std::vector<Row> rows_;                                 // of all kept sequences, each sorted by address
  std::vector<std::pair<uint32_t, uint32_t>> sequences_;  // [first row, end row)
  RangeMap map_;                                          // address -> index into sequences_
};

}  // namespace heaptally::symbols
