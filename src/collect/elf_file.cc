#include "collect/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace heaptally::collect {
namespace {

constexpr uint64_t kMaxTableBytes = 256ull << 20;
constexpr uint64_t kMaxSections = 65535;

// A file that can be read at any offset, and says no instead of reading past its end.
class Source {
 public:
  explicit Source(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
      size_ = static_cast<uint64_t>(status.st_size);
    }
  }
  ~Source() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  bool Read(uint64_t offset, void* into, uint64_t bytes) const {
    if (offset > size_ || bytes > size_ - offset) return false;
    auto* at = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = pread(descriptor_, at, bytes, static_cast<off_t>(offset));
      if (got <= 0) return false;
      at += got;
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<uint64_t>(got);
    }
    return true;
  }

  template <typename T>
  std::optional<std::vector<T>> ReadArray(uint64_t offset, uint64_t count) const {
    if (count > kMaxTableBytes / sizeof(T) || offset > size_ || count * sizeof(T) > size_ - offset) return std::nullopt;
    std::vector<T> items(count);
    if (!Read(offset, items.data(), count * sizeof(T))) return std::nullopt;
    return items;
  }

 private:
  int descriptor_;
  uint64_t size_ = 0;
};

// The NUL-terminated string at `at` of a string table, "" if it is not one.
std::string StringAt(const std::vector<char>& table, uint64_t at) {
  if (at >= table.size()) return "";
  const size_t length = strnlen(table.data() + at, table.size() - at);
  return at + length < table.size() ? std::string(table.data() + at, length) : "";
}

bool ReadHeader(const Source& source, Elf64_Ehdr* header) {
  unsigned char ident[EI_NIDENT];
  if (!source.Read(0, ident, sizeof(ident)) || std::memcmp(ident, ELFMAG, SELFMAG) != 0) return false;
  std::memset(header, 0, sizeof(*header));
  std::memcpy(header->e_ident, ident, sizeof(ident));
  if (ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB) return source.Read(0, header, sizeof(*header));
  Elf32_Half type_machine[2];  // the same place in both classes
  if (source.Read(EI_NIDENT, type_machine, sizeof(type_machine)) && ident[EI_DATA] == ELFDATA2LSB) {
    header->e_type = type_machine[0];
    header->e_machine = type_machine[1];
  }
  return true;
}

std::optional<std::vector<Elf64_Shdr>> ReadSections(const Source& source, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  uint64_t count = header.e_shnum;
  Elf64_Shdr first{};
  if (count == 0 && source.Read(header.e_shoff, &first, sizeof(first))) count = first.sh_size;  // more than 65279
  if (count == 0 || count > kMaxSections) return std::nullopt;
  return source.ReadArray<Elf64_Shdr>(header.e_shoff, count);
}

// The file offset of a virtual address, by the program headers.
std::optional<uint64_t> OffsetOf(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

void ReadNeeded(const Source& source, const std::vector<Elf64_Phdr>& segments, const Elf64_Phdr& dynamic,
                ElfFile* out) {
  const auto entries = source.ReadArray<Elf64_Dyn>(dynamic.p_offset, dynamic.p_filesz / sizeof(Elf64_Dyn));
  if (!entries) return;
  uint64_t names_address = 0;
  uint64_t names_bytes = 0;
  for (const Elf64_Dyn& entry : *entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) names_address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) names_bytes = entry.d_un.d_val;
  }
  const auto offset = OffsetOf(segments, names_address);
  if (!offset) return;
  const auto names = source.ReadArray<char>(*offset, names_bytes);
  if (!names) return;
  for (const Elf64_Dyn& entry : *entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) out->needed.push_back(StringAt(*names, entry.d_un.d_val));
  }
}

void ReadSegments(const Source& source, const Elf64_Ehdr& header, ElfFile* out) {
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return;
  const auto segments = source.ReadArray<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (!segments) return;
  out->read_whole = true;
  for (const Elf64_Phdr& segment : *segments) {
    if (segment.p_type == PT_INTERP && segment.p_filesz > 0 && segment.p_filesz < 4096) {
      const auto text = source.ReadArray<char>(segment.p_offset, segment.p_filesz);
      if (text) out->interpreter.assign(text->data(), strnlen(text->data(), text->size()));
    }
    if (segment.p_type == PT_DYNAMIC) {
      out->has_dynamic = true;
      ReadNeeded(source, *segments, segment, out);
    }
  }
}

void ReadSectionNames(const Source& source, const Elf64_Ehdr& header, ElfFile* out) {
  const auto sections = ReadSections(source, header);
  if (!sections) return;
  const uint64_t index = header.e_shstrndx == SHN_XINDEX ? (*sections)[0].sh_link : header.e_shstrndx;
  if (index >= sections->size()) return;
  const auto names = source.ReadArray<char>((*sections)[index].sh_offset, (*sections)[index].sh_size);
  if (!names) return;
  for (const Elf64_Shdr& section : *sections) out->sections.push_back(StringAt(*names, section.sh_name));
}

}  // namespace

ElfFile ReadElfFile(const std::string& path) {
  ElfFile out;
  const Source source(path);
  Elf64_Ehdr header;
  if (!ReadHeader(source, &header)) return out;
  out.is_elf = true;
  out.elf_class = header.e_ident[EI_CLASS];
  out.machine = header.e_machine;
  out.type = header.e_type;
  if (out.elf_class != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return out;
  ReadSegments(source, header, &out);
  ReadSectionNames(source, header, &out);
  return out;
}

bool VisitDefinedSymbols(const std::string& path, SymbolTable table,
                         const std::function<bool(const char* name, bool is_function)>& visit) {
  const Source source(path);
  Elf64_Ehdr header;
  if (!ReadHeader(source, &header) || header.e_shoff == 0) return false;
  const auto sections = ReadSections(source, header);
  if (!sections) return false;
  const uint32_t wanted = table == SymbolTable::kDynamic ? SHT_DYNSYM : SHT_SYMTAB;
  const auto found =
      std::find_if(sections->begin(), sections->end(), [&](const auto& s) { return s.sh_type == wanted; });
  if (found == sections->end() || found->sh_link >= sections->size()) return false;
  const Elf64_Shdr& strings = (*sections)[found->sh_link];
  const auto names = source.ReadArray<char>(strings.sh_offset, strings.sh_size);
  const auto symbols = source.ReadArray<Elf64_Sym>(found->sh_offset, found->sh_size / sizeof(Elf64_Sym));
  if (!names || !symbols || names->empty() || names->back() != '\0') return false;
  for (const Elf64_Sym& symbol : *symbols) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0 || symbol.st_name >= names->size()) continue;
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (!visit(names->data() + symbol.st_name, type == STT_FUNC || type == STT_GNU_IFUNC)) break;
  }
  return true;
}

}  // namespace heaptally::collect
