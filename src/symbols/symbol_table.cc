#include "symbols/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "symbols/demangle.h"

namespace heaptally::symbols {
namespace {

// Sort key of a binding: global before weak before local before anything else.
int BindingRank(uint8_t binding) {
  switch (binding) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE:
      return 0;
    case STB_WEAK:
      return 1;
    case STB_LOCAL:
      return 2;
    default:
      return 3;
  }
}

size_t LeadingUnderscores(const char* name) { return IsMangled(name) ? 0 : strspn(name, "_"); }

bool Wanted(const GElf_Sym& sym, bool full) {
  const int type = GELF_ST_TYPE(sym.st_info);
  const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (!function && !(full && type == STT_NOTYPE)) return false;
  return sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_ABS && sym.st_shndx != SHN_COMMON;
}

// Labels that assemblers and compilers make for themselves.
bool IsPrivateLabel(const char* name) { return name[0] == '\0' || name[0] == '$' || strncmp(name, ".L", 2) == 0; }

}  // namespace

bool SymbolTable::Better(const Symbol& a, const Symbol& b) {
  auto key = [](const Symbol& s) {
    return std::make_tuple(s.type == STT_NOTYPE, s.end == s.start, LeadingUnderscores(s.name), BindingRank(s.binding),
                           strlen(s.name), std::string_view(s.name), !s.full);
  };
  return key(a) < key(b);
}

void SymbolTable::AddSection(const ElfImage& image, Elf_Scn* scn, bool full) {
  GElf_Shdr shdr;
  if (scn == nullptr || gelf_getshdr(scn, &shdr) == nullptr || shdr.sh_entsize == 0) return;
  Elf_Data* data = elf_getdata(scn, nullptr);
  if (data == nullptr) return;
  const size_t n = std::min<size_t>(data->d_size / shdr.sh_entsize, INT32_MAX);
  for (size_t i = 1; i < n; ++i) {
    GElf_Sym sym;
    if (gelf_getsym(data, static_cast<int>(i), &sym) == nullptr) break;
    if (!Wanted(sym, full)) continue;
    const CodeRange* code = image.CodeAround(sym.st_value);
    const char* name = elf_strptr(image.elf(), shdr.sh_link, sym.st_name);
    if (code == nullptr || name == nullptr || IsPrivateLabel(name)) continue;
    // objcopy renumbers the sections, and leaves .dynsym as it was.
    if (full && sym.st_shndx < SHN_LORESERVE && code->section != 0 && sym.st_shndx != code->section) continue;
    const uint64_t size = std::min(sym.st_size, code->high - sym.st_value);
    symbols_.push_back({sym.st_value, sym.st_value + size, code->high, name,
                        static_cast<uint8_t>(GELF_ST_TYPE(sym.st_info)),
                        static_cast<uint8_t>(GELF_ST_BIND(sym.st_info)), full});
    ++(full ? full_names_ : exported_names_);
  }
}

void SymbolTable::Add(const ElfImage& image) {
  AddSection(image, image.SectionOfType(SHT_SYMTAB), true);
  AddSection(image, image.SectionOfType(SHT_DYNSYM), false);
}

void SymbolTable::Build() {
  std::sort(symbols_.begin(), symbols_.end(),
            [](const Symbol& a, const Symbol& b) { return a.start != b.start ? a.start < b.start : Better(a, b); });
  auto last = std::unique(symbols_.begin(), symbols_.end(),
                          [](const Symbol& a, const Symbol& b) { return a.start == b.start; });
  symbols_.erase(last, symbols_.end());
  for (size_t i = 0; i < symbols_.size(); ++i) {
    Symbol& s = symbols_[i];
    if (s.end == s.start && s.full) {
      uint64_t end = i + 1 < symbols_.size() ? std::min(symbols_[i + 1].start, s.limit) : s.limit;
      if (end - s.start <= kMaxSizelessBytes) s.end = end;
    }
    map_.Add(s.start, s.end, static_cast<uint32_t>(i));
  }
  map_.Build();
}

SymbolTable::Hit SymbolTable::Find(uint64_t vaddr) const {
  const uint32_t i = map_.Find(vaddr);
  if (i == RangeMap::kNone) return {};
  return {symbols_[i].name, symbols_[i].start};
}

}  // namespace heaptally::symbols
