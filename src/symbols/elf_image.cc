#include "symbols/elf_image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "symbols/compression.h"

namespace heaptally::symbols {
namespace {

std::string Hex(const unsigned char* bytes, size_t n) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < n; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? 0xedb88320u : 0);
    table[i] = c;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = MakeCrcTable();

// Opens without following into devices, pipes or terminals, which could block or act.
int OpenRegular(const std::string& path, std::string* problem) {
  struct stat st {};
  if (stat(path.c_str(), &st) != 0) {
    *problem = (errno == ENOENT || errno == ENOTDIR) ? "no such file" : std::string("cannot open: ") + strerror(errno);
    return -1;
  }
  if (!S_ISREG(st.st_mode)) {
    *problem = "not a regular file";
    return -1;
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) *problem = std::string("cannot open: ") + strerror(errno);
  return fd;
}

}  // namespace

std::unique_ptr<ElfImage> ElfImage::Open(const std::string& path, std::string* problem) {
  static const unsigned version = elf_version(EV_CURRENT);
  if (version == EV_NONE) {
    *problem = "libelf is too old";
    return nullptr;
  }
  const int fd = OpenRegular(path, problem);
  if (fd < 0) return nullptr;
  Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
  GElf_Ehdr ehdr;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &ehdr) == nullptr) {
    *problem = "not an ELF file";
  } else if (ehdr.e_ident[EI_DATA] != ELFDATA2LSB) {
    *problem = "big-endian ELF files are not supported";
  } else {
    std::unique_ptr<ElfImage> image(new ElfImage(path, fd, elf));
    image->Read();
    return image;
  }
  elf_end(elf);
  close(fd);
  return nullptr;
}

std::unique_ptr<ElfImage> ElfImage::OpenMiniDebugInfo(const ElfImage& outer) {
  const std::string_view packed = outer.Bytes(".gnu_debugdata");
  if (packed.empty()) return nullptr;
  Inflated plain = InflateXz(packed, uint64_t{256} << 20);
  if (plain.bytes == nullptr) return nullptr;
  Elf* elf = elf_memory(plain.bytes.get(), plain.size);
  GElf_Ehdr ehdr;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &ehdr) == nullptr ||
      ehdr.e_ident[EI_DATA] != ELFDATA2LSB) {
    elf_end(elf);
    return nullptr;
  }
  std::unique_ptr<ElfImage> image(new ElfImage(outer.path() + " (.gnu_debugdata)", -1, elf));
  image->buffers_.push_back(std::move(plain.bytes));
  image->Read();
  return image;
}

ElfImage::~ElfImage() {
  elf_end(elf_);
  if (fd_ >= 0) close(fd_);
}

void ElfImage::Read() {
  ReadCode();
  ReadBuildId();
  Decompress();
}

void ElfImage::ReadWhole() {
  if (fd_ < 0 || elf_cntl(elf_, ELF_C_FDREAD) != 0) return;
  elf_cntl(elf_, ELF_C_FDDONE);
  close(fd_);
  fd_ = -1;
}

void ElfImage::ReadCode() {
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr shdr;
    if (gelf_getshdr(scn, &shdr) == nullptr) continue;
    constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
    const uint64_t high = shdr.sh_addr + shdr.sh_size;
    if ((shdr.sh_flags & kCode) == kCode && shdr.sh_addr < high) {
      code_.push_back({shdr.sh_addr, high, static_cast<uint32_t>(elf_ndxscn(scn))});
    }
  }
  size_t segments = 0;
  if (code_.empty() && elf_getphdrnum(elf_, &segments) == 0) {
    for (size_t i = 0; i < std::min<size_t>(segments, 4096); ++i) {
      GElf_Phdr phdr;
      if (gelf_getphdr(elf_, static_cast<int>(i), &phdr) == nullptr) continue;
      const uint64_t high = phdr.p_vaddr + phdr.p_memsz;
      if (phdr.p_type == PT_LOAD && (phdr.p_flags & PF_X) && phdr.p_vaddr < high) {
        code_.push_back({phdr.p_vaddr, high, 0});
      }
    }
  }
  std::sort(code_.begin(), code_.end(), [](const CodeRange& a, const CodeRange& b) { return a.low < b.low; });
}

void ElfImage::ReadBuildId() {
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr && build_id_hex_.empty();) {
    GElf_Shdr shdr;
    if (gelf_getshdr(scn, &shdr) != nullptr && shdr.sh_type == SHT_NOTE) FindBuildId(elf_getdata(scn, nullptr));
  }
  size_t segments = 0;
  if (!build_id_hex_.empty() || elf_getphdrnum(elf_, &segments) != 0) return;
  for (size_t i = 0; i < std::min<size_t>(segments, 4096) && build_id_hex_.empty(); ++i) {
    GElf_Phdr phdr;
    if (gelf_getphdr(elf_, static_cast<int>(i), &phdr) == nullptr || phdr.p_type != PT_NOTE) continue;
    FindBuildId(elf_getdata_rawchunk(elf_, static_cast<int64_t>(phdr.p_offset), phdr.p_filesz, ELF_T_NHDR));
  }
}

void ElfImage::FindBuildId(Elf_Data* notes) {
  GElf_Nhdr note;
  size_t name_at = 0, id_at = 0;
  for (size_t at = 0; notes != nullptr && (at = gelf_getnote(notes, at, &note, &name_at, &id_at)) > 0;) {
    const char* bytes = static_cast<const char*>(notes->d_buf);
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp(bytes + name_at, "GNU", 4) != 0) continue;
    if (note.n_descsz == 0 || note.n_descsz > 64) continue;
    build_id_hex_ = Hex(reinterpret_cast<const unsigned char*>(bytes + id_at), note.n_descsz);
    return;
  }
}

void ElfImage::Decompress() {
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr shdr;
    if (gelf_getshdr(scn, &shdr) == nullptr || !(shdr.sh_flags & SHF_COMPRESSED)) continue;
    // A failure leaves the section compressed, and its readers see no contents.
    if (elf_compress(scn, 0, 0) < 0) DecompressZstd(scn, shdr);
  }
}

void ElfImage::DecompressZstd(Elf_Scn* scn, GElf_Shdr shdr) {
  constexpr uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD, which elf.h has since glibc 2.37
  GElf_Chdr header;
  Elf_Data* data = elf_getdata(scn, nullptr);
  if (data == nullptr || data->d_buf == nullptr || gelf_getchdr(scn, &header) == nullptr || header.ch_type != kZstd)
    return;
  const size_t header_bytes = gelf_getclass(elf_) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
  if (data->d_size <= header_bytes) return;
  const std::string_view packed(static_cast<const char*>(data->d_buf) + header_bytes, data->d_size - header_bytes);
  Inflated plain = InflateZstd(packed, header.ch_size);
  if (plain.bytes == nullptr) return;
  data->d_buf = plain.bytes.get();
  data->d_size = plain.size;
  data->d_type = ELF_T_BYTE;
  buffers_.push_back(std::move(plain.bytes));
  shdr.sh_flags &= ~uint64_t{SHF_COMPRESSED};
  shdr.sh_size = plain.size;
  gelf_update_shdr(scn, &shdr);
}

bool ElfImage::IsCompressed(const char* name) const {
  Elf_Scn* scn = Section(name);
  GElf_Shdr shdr;
  return scn != nullptr && gelf_getshdr(scn, &shdr) != nullptr && (shdr.sh_flags & SHF_COMPRESSED);
}

const CodeRange* ElfImage::CodeAround(uint64_t vaddr) const {
  auto it = std::upper_bound(code_.begin(), code_.end(), vaddr,
                             [](uint64_t a, const CodeRange& range) { return a < range.low; });
  if (it == code_.begin() || vaddr >= (--it)->high) return nullptr;
  return &*it;
}

Elf_Scn* ElfImage::Section(const char* name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr shdr;
    if (gelf_getshdr(scn, &shdr) == nullptr) continue;
    const char* own = elf_strptr(elf_, names, shdr.sh_name);
    if (own != nullptr && strcmp(own, name) == 0) return scn;
  }
  return nullptr;
}

Elf_Scn* ElfImage::SectionOfType(uint32_t type) const {
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr shdr;
    if (gelf_getshdr(scn, &shdr) != nullptr && shdr.sh_type == type) return scn;
  }
  return nullptr;
}

bool ElfImage::HasContents(const char* name) const {
  Elf_Scn* scn = Section(name);
  GElf_Shdr shdr;
  return scn != nullptr && gelf_getshdr(scn, &shdr) != nullptr && shdr.sh_type != SHT_NOBITS && shdr.sh_size > 0;
}

std::string_view ElfImage::Bytes(const char* name) const {
  Elf_Scn* scn = Section(name);
  GElf_Shdr shdr;
  if (scn == nullptr || gelf_getshdr(scn, &shdr) == nullptr || shdr.sh_type == SHT_NOBITS ||
      (shdr.sh_flags & SHF_COMPRESSED)) {
    return {};
  }
  const Elf_Data* data = elf_getdata(scn, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

DebugLink ElfImage::debug_link() const {
  const std::string_view bytes = Bytes(".gnu_debuglink");
  const size_t length = bytes.find('\0');
  const size_t at = (length + 4) & ~size_t{3};  // the name, its zero, padding to 4, then the CRC
  if (length == std::string_view::npos || length == 0 || at + 4 > bytes.size()) return {};
  DebugLink link{std::string(bytes.substr(0, length)), 0};
  memcpy(&link.crc, bytes.data() + at, 4);
  return link;
}

DebugAlternate ElfImage::debug_alternate() const {
  const std::string_view bytes = Bytes(".gnu_debugaltlink");
  const size_t length = bytes.find('\0');
  if (length == std::string_view::npos) return {};
  const std::string_view id = bytes.substr(length + 1);
  if (id.empty() || id.size() > 64) return {};
  return {std::string(bytes.substr(0, length)), Hex(reinterpret_cast<const unsigned char*>(id.data()), id.size())};
}

bool ElfImage::FileCrc(uint32_t* crc) const {
  std::vector<unsigned char> block(1 << 16);
  uint32_t c = 0xffffffffu;
  if (fd_ < 0) return false;
  for (off_t at = 0;;) {
    const ssize_t n = pread(fd_, block.data(), block.size(), at);
    if (n < 0) return false;
    if (n == 0) break;
    for (ssize_t i = 0; i < n; ++i) c = (c >> 8) ^ kCrcTable[(c ^ block[i]) & 0xff];
    at += n;
  }
  *crc = ~c;
  return true;
}

}  // namespace heaptally::symbols
