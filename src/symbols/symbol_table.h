// Names of functions from .symtab and .dynsym.
//
// A wrong name is worse than none, so a symbol names only what it provably covers: functions (and, in .symtab, untyped
// labels of assembly) that lie in an executable section, within their size. A symbol without a size is believed only
// in a full table (.symtab), up to the next symbol or the end of its section, and at most kMaxSizelessBytes: in a
// stripped library the few exported names say nothing about the code between them.
//
// Of several symbols at one address the choice is fixed: a function before an untyped label; with a size before
// without; a name without leading underscores (mangled ones count as without) before a reserved one; global, weak,
// local; the shorter; the lexically smaller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_image.h"
#include "symbols/range_map.h"

namespace heaptally::symbols {

class SymbolTable {
 public:
  static constexpr uint64_t kMaxSizelessBytes = 4096;

  struct Hit {
    const char* name = nullptr;  // mangled; null if nothing covers the address
    uint64_t start = 0;
  };

  // Adds the functions of .symtab, if `image` has one, and of .dynsym. `image` must outlive this table.
  void Add(const ElfImage& image);
  // Must be called after the last Add.
  void Build();

  Hit Find(uint64_t vaddr) const;

  size_t full_names() const { return full_names_; }
  size_t exported_names() const { return exported_names_; }

 private:
  struct Symbol {
    uint64_t start, end;  // end == start: without a size
    uint64_t limit;       // end of the code section around it
    const char* name;
    uint8_t type, binding;
    bool full;  // from .symtab
  };

  void AddSection(const ElfImage& image, Elf_Scn* scn, bool full);
  static bool Better(const Symbol& a, const Symbol& b);

  std::vector<Symbol> symbols_;
  RangeMap map_;
  size_t full_names_ = 0;
  size_t exported_names_ = 0;
};

}  // namespace heaptally::symbols
