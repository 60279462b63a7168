// What an ELF file on disk says about itself, as far as `run` must know before it starts it: can a preloaded library
// get in, and who brings the malloc. Reads by pread with bounds on everything: the file is whatever the user points at.
//
// Limits: only 64-bit little-endian files are read beyond their header (the tool runs on nothing else). Symbols come
// from the section headers; a file without them (sstrip) has no known symbols. Tables above 256 MiB are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heaptally::collect {

struct ElfFile {
  bool is_elf = false;
  uint8_t elf_class = 0;              // ELFCLASS32 or ELFCLASS64
  uint16_t machine = 0;               // EM_*
  uint16_t type = 0;                  // ET_*
  bool read_whole = false;            // what follows is known
  std::string interpreter;            // PT_INTERP; "" if none
  bool has_dynamic = false;           // PT_DYNAMIC
  std::vector<std::string> needed;    // DT_NEEDED
  std::vector<std::string> sections;  // section names, "" where unreadable
};

// Returns is_elf = false for anything that cannot be opened or is no ELF file.
ElfFile ReadElfFile(const std::string& path);

enum class SymbolTable { kDynamic, kFull };

// Calls `visit(name, is_function)` for every symbol that `path` defines (not merely refers to) in one of its tables,
// until it returns false. Returns false if the table is not there or cannot be read.
bool VisitDefinedSymbols(const std::string& path, SymbolTable table,
                         const std::function<bool(const char* name, bool is_function)>& visit);

}  // namespace heaptally::collect
