// One ELF file on disk, opened once and read through that one descriptor, so that a file that is replaced while we work
// cannot mix two versions. Sections are read with pread, never mapped: a file that is cut short meanwhile gives an
// error, not SIGBUS. Everything in the file is hostile input.
#pragma once

#include <gelf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heaptally::symbols {

struct CodeRange {
  uint64_t low, high;  // ELF virtual addresses
  uint32_t section;    // section index; 0 where the range is a segment's
};

struct DebugLink {
  std::string name;
  uint32_t crc = 0;
};

struct DebugAlternate {
  std::string name;
  std::string build_id_hex;
};

class ElfImage {
 public:
  // Opens a regular, little-endian ELF file. On failure returns null and sets `problem`.
  static std::unique_ptr<ElfImage> Open(const std::string& path, std::string* problem);
  // The symbol table that MiniDebugInfo packs into `outer`'s .gnu_debugdata; null if there is none that can be read.
  static std::unique_ptr<ElfImage> OpenMiniDebugInfo(const ElfImage& outer);
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  const std::string& path() const { return path_; }
  Elf* elf() const { return elf_; }
  // Lower-case hexadecimal; "" if the file has none.
  const std::string& build_id_hex() const { return build_id_hex_; }
  // Executable sections, or executable segments in a file without sections, sorted by address. Code that is debugged
  // or named lies inside one of them; whatever does not (functions that the linker dropped and left at 0, -1 or -2,
  // data) is never named.
  const std::vector<CodeRange>& code() const { return code_; }
  const CodeRange* CodeAround(uint64_t vaddr) const;

  // Reads the rest of the file now and closes it: for files of which a program has thousands.
  void ReadWhole();

  // The first section of that name (and, unless SHT_NULL, that type), or null.
  Elf_Scn* Section(const char* name) const;
  Elf_Scn* SectionOfType(uint32_t type) const;
  bool HasContents(const char* name) const;
  // Bytes of a section after decompression; empty if there are none.
  std::string_view Bytes(const char* name) const;

  // True if a section of this name is still compressed: in a way that we cannot read, or damaged.
  bool IsCompressed(const char* name) const;

  // .gnu_debuglink; name "" if there is none.
  DebugLink debug_link() const;
  // .gnu_debugaltlink, as dwz writes it; name "" if there is none.
  DebugAlternate debug_alternate() const;
  // CRC-32 (IEEE 802.3, as .gnu_debuglink uses it) over the whole file; false on a read error.
  bool FileCrc(uint32_t* crc) const;

 private:
  ElfImage(std::string path, int fd, Elf* elf) : path_(std::move(path)), fd_(fd), elf_(elf) {}
  void Read();
  void ReadCode();
  void ReadBuildId();
  void FindBuildId(Elf_Data* notes);
  // Makes zlib- and zstd-compressed debug sections plain.
  void Decompress();
  void DecompressZstd(Elf_Scn* scn, GElf_Shdr shdr);

  std::string path_;
  int fd_;  // -1: the image is in memory
  Elf* elf_;
  std::string build_id_hex_;
  std::vector<CodeRange> code_;
  std::vector<std::unique_ptr<char[]>> buffers_;  // what the sections of elf_ point to, beside the file
};

}  // namespace heaptally::symbols
