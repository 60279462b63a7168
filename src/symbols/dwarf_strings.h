// Strings of DWARF attributes, checked: libdw 0.188 hands out strings that begin at the very end of their section, or
// run over it. Each string must lie, with its end, in a section of the file that its attribute is in (or of that file's
// alternate).
#pragma once

#include <elfutils/libdw.h>

#include <map>
#include <set>

namespace heaptally::symbols {

class DwarfStrings {
 public:
  // The string attribute `name` of `die`; null if there is none, or if it is not whole.
  const char* Of(Dwarf_Die* die, unsigned name);

 private:
  bool IsWhole(const char* text) const;
  // Learns where the strings of a file are; each file once.
  void AddSections(Dwarf* dwarf);

  std::map<const char*, const char*> sections_;  // begin -> end
  std::set<Dwarf*> files_;
};

}  // namespace heaptally::symbols
