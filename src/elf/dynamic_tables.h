// The tables that an object's dynamic section leads to, as the loader left them.
#pragma once

#include <link.h>

#include <cstdint>

namespace heaptally::elf {

struct DynamicTables {
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* sysv_hash = nullptr;
  const uint16_t* versions = nullptr;
  const Elf64_Rela* relocations = nullptr;
  const Elf64_Rela* plt_relocations = nullptr;
  uint64_t relocation_count = 0;
  uint64_t relative_count = 0;  // of the first of them, that name no symbol
  uint64_t plt_relocation_count = 0;
};

DynamicTables ReadTables(const link_map& object);

// The entry of the default-version function `name` that `object` defines; nullptr if there is none.
const Elf64_Sym* FindFunctionSymbol(const DynamicTables& tables, const char* name);

bool SameName(const char* a, const char* b);

}  // namespace heaptally::elf
