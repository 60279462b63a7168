#include "elf/program_headers.h"

#include "platform/syscalls.h"

namespace heaptally::elf {
namespace {

// The loader itself refuses objects with more (e_phnum is 16 bits, real objects have about a dozen).
constexpr uint32_t kMaxProgramHeaders = 512;

bool HasKnownHeader(const Elf64_Ehdr& header) {
  const uint8_t* ident = header.e_ident;
  return ident[EI_MAG0] == ELFMAG0 && ident[EI_MAG1] == ELFMAG1 && ident[EI_MAG2] == ELFMAG2 &&
         ident[EI_MAG3] == ELFMAG3 && ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB &&
         header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMaxProgramHeaders;
}

bool FitsInFirstPage(const Elf64_Ehdr& header) {
  const uint64_t table_bytes = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  return header.e_phoff < platform::kPageBytes && header.e_phoff + table_bytes <= platform::kPageBytes;
}

bool ProbeTable(uint64_t table, uint64_t bytes) {
  for (uint64_t at = table & ~uint64_t{7}; at < table + bytes; at = (at | (platform::kPageBytes - 1)) + 1) {
    if (!platform::IsReadable(at)) return false;
  }
  return true;
}

// Direct-mapped by address: a lost entry costs a probe. An entry outlives its object; what is loaded at the same place later
// is mapped by the same loader, with its header readable too.
constexpr uint32_t kSeenHeaders = 1024;
uint64_t seen_headers[kSeenHeaders];

}  // namespace

bool HasReadableHeader(uint64_t header_address) {
  if (header_address == 0) return false;  // the bias of a program at a fixed address; and an empty entry of the table
  uint64_t* seen = &seen_headers[(header_address >> 12) * 0x9e3779b97f4a7c15ull >> 54];
  if (__atomic_load_n(seen, __ATOMIC_RELAXED) == header_address) return true;
  if (header_address % platform::kPageBytes != 0 || !platform::IsReadable(header_address)) return false;
  __atomic_store_n(seen, header_address, __ATOMIC_RELAXED);
  return true;
}

ProgramHeaders ReadProgramHeaders(uint64_t header_address) {
  if (header_address % platform::kPageBytes != 0) return {};
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(header_address);
  if (!HasKnownHeader(header)) return {};
  const uint64_t table = header_address + header.e_phoff;
  // A table beyond the first page is legal and rare: then, and only then, a system call.
  if (!FitsInFirstPage(header) && !ProbeTable(table, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr))) return {};
  return {reinterpret_cast<const Elf64_Phdr*>(table), header.e_phnum};
}

ProgramHeaders ProbeProgramHeaders(uint64_t header_address) {
  if (!HasReadableHeader(header_address)) return {};
  return ReadProgramHeaders(header_address);
}

}  // namespace heaptally::elf
