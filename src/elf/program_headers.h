// The program headers of an object that is mapped in this process, found through the ELF header at its first byte.
//
// Limits: an object whose ELF header is not mapped (no linker in use makes one) has no program headers here.
#pragma once

#include <elf.h>

#include <cstdint>

namespace heaptally::elf {

struct ProgramHeaders {
  const Elf64_Phdr* first = nullptr;
  uint32_t count = 0;  // 0: none could be read

  const Elf64_Phdr* begin() const { return first; }
  const Elf64_Phdr* end() const { return first + count; }
};

// Is the first page of the object that a loader mapped at `header_address` readable? Asks the kernel once for each object and
// remembers a yes: a sandbox that the program enters later may kill for the question.
bool HasReadableHeader(uint64_t header_address);

// Reads the header at `header_address`, which must be mapped and readable.
ProgramHeaders ReadProgramHeaders(uint64_t header_address);

// The same for an address about which nothing is known: every page is probed before it is read.
ProgramHeaders ProbeProgramHeaders(uint64_t header_address);

}  // namespace heaptally::elf
