#include "symbols/dwarf_strings.h"

#include <gelf.h>

#include <cstring>

namespace heaptally::symbols {
namespace {

// .debug_info, .debug_types (inline strings), .debug_str, .debug_line_str, and their .dwo forms.
bool HasStrings(const char* name) {
  return strncmp(name, ".debug_info", 11) == 0 || strncmp(name, ".debug_types", 12) == 0 ||
         strncmp(name, ".debug_str", 10) == 0 || strncmp(name, ".debug_line_str", 15) == 0 ||
         strncmp(name, ".zdebug_", 8) == 0;
}

}  // namespace

void DwarfStrings::AddSections(Dwarf* dwarf) {
  Elf* elf = dwarf == nullptr ? nullptr : dwarf_getelf(dwarf);
  size_t names = 0;
  if (elf == nullptr || !files_.insert(dwarf).second || elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn)) != nullptr;) {
    GElf_Shdr shdr;
    if (gelf_getshdr(scn, &shdr) == nullptr || shdr.sh_type == SHT_NOBITS) continue;
    const char* name = elf_strptr(elf, names, shdr.sh_name);
    const Elf_Data* data = name != nullptr && HasStrings(name) ? elf_getdata(scn, nullptr) : nullptr;
    if (data == nullptr || data->d_buf == nullptr) continue;
    const char* begin = static_cast<const char*>(data->d_buf);
    sections_[begin] = begin + data->d_size;
  }
  AddSections(dwarf_getalt(dwarf));
}

bool DwarfStrings::IsWhole(const char* text) const {
  auto section = sections_.upper_bound(text);
  if (section == sections_.begin()) return false;
  const char* end = (--section)->second;
  return text < end && memchr(text, '\0', static_cast<size_t>(end - text)) != nullptr;
}

const char* DwarfStrings::Of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(die, name, &attribute) == nullptr) return nullptr;
  const char* text = dwarf_formstring(&attribute);
  if (text == nullptr) return nullptr;
  AddSections(dwarf_cu_getdwarf(attribute.cu));
  return IsWhole(text) ? text : nullptr;
}

}  // namespace heaptally::symbols
