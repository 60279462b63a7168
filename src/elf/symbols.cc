// Dynamic symbol lookup over link map nodes: DT_GNU_HASH, else DT_HASH.
//
// Meant for the start of the process (or a moment when nobody unloads): nodes are read without probes, because some
// thirty names times thirty objects would be a thousand system calls.
#include "elf/symbols.h"

#include "elf/dynamic_tables.h"
#include "elf/objects.h"
#include "elf/program_headers.h"
#include "platform/syscalls.h"

namespace heaptally::elf {
namespace {

constexpr int kMaxObjects = 1 << 16;
constexpr uint16_t kVersionHidden = 0x8000;  // not the default version of its name
constexpr uint32_t kMaxChain = 1 << 20;

// glibc adds the bias to these pointers in place; musl does not, and nobody does it for the vdso (read-only). A pointer
// below the bias has not been adjusted.
template <typename Table>
void SetTable(const Table** table, const link_map& object, const Elf64_Dyn& entry) {
  uint64_t pointer = entry.d_un.d_ptr;
  if (pointer < object.l_addr) pointer += object.l_addr;
  *table = reinterpret_cast<const Table*>(pointer);
}

bool IsDefaultFunction(const DynamicTables& tables, uint32_t index, const char* name) {
  const Elf64_Sym& symbol = tables.symbols[index];
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return false;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return false;
  if (tables.versions != nullptr && (tables.versions[index] & kVersionHidden) != 0) return false;
  return SameName(tables.strings + symbol.st_name, name);
}

// Bloom filter, buckets, chains: "ELF: better symbol lookup via DT_GNU_HASH" (Drepper, Sandoval); hash is Bernstein's.
const Elf64_Sym* LookUpGnu(const DynamicTables& tables, const char* name) {
  uint32_t hash = 5381;
  for (const char* c = name; *c != '\0'; ++c) hash = hash * 33 + static_cast<uint8_t>(*c);
  const uint32_t bucket_count = tables.gnu_hash[0];
  const uint32_t first_symbol = tables.gnu_hash[1];
  const uint32_t bloom_words = tables.gnu_hash[2];
  const uint32_t bloom_shift = tables.gnu_hash[3] & 31;
  if (bucket_count == 0 || bloom_words == 0) return nullptr;
  const auto* bloom = reinterpret_cast<const uint64_t*>(tables.gnu_hash + 4);
  const uint64_t word = bloom[(hash / 64) % bloom_words];
  if (((word >> (hash % 64)) & (word >> ((hash >> bloom_shift) % 64)) & 1) == 0) return nullptr;
  const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + bloom_words);
  const uint32_t* chain = buckets + bucket_count;
  uint32_t index = buckets[hash % bucket_count];
  if (index < first_symbol) return nullptr;
  for (uint32_t steps = 0; steps < kMaxChain; ++steps, ++index) {
    const uint32_t entry = chain[index - first_symbol];
    if ((entry | 1) == (hash | 1) && IsDefaultFunction(tables, index, name)) return &tables.symbols[index];
    if ((entry & 1) != 0) return nullptr;
  }
  return nullptr;
}

const Elf64_Sym* LookUpSysv(const DynamicTables& tables, const char* name) {
  uint32_t hash = 0;
  for (const char* c = name; *c != '\0'; ++c) {
    hash = (hash << 4) + static_cast<uint8_t>(*c);
    hash = (hash ^ ((hash & 0xf0000000u) >> 24)) & 0x0fffffffu;
  }
  const uint32_t bucket_count = tables.sysv_hash[0];
  const uint32_t symbol_count = tables.sysv_hash[1];
  if (bucket_count == 0) return nullptr;
  const uint32_t* chain = tables.sysv_hash + 2 + bucket_count;
  uint32_t index = tables.sysv_hash[2 + hash % bucket_count];
  for (uint32_t steps = 0; index != STN_UNDEF && index < symbol_count && steps < kMaxChain; ++steps) {
    if (IsDefaultFunction(tables, index, name)) return &tables.symbols[index];
    index = chain[index];
  }
  return nullptr;
}

// The executable segments around `address`. When the header is out of reach (never seen), the page itself: no caller is
// then taken for a part of that object, beyond the page.
void SetTextExtent(const link_map& object, uint64_t address, Definition* definition) {
  LoadedObject loaded;
  definition->text_start = address & ~(platform::kPageBytes - 1);
  definition->text_end = definition->text_start + platform::kPageBytes;
  if (!FindObject(address, &loaded)) return;
  uint64_t low = ~uint64_t{0};
  uint64_t high = 0;
  for (const Elf64_Phdr& segment : ProbeProgramHeaders(loaded.map_start)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uint64_t start = object.l_addr + segment.p_vaddr;
    if (start < low) low = start;
    if (start + segment.p_memsz > high) high = start + segment.p_memsz;
  }
  if (high == 0) return;
  definition->text_start = low;
  definition->text_end = high;
}

}  // namespace

DynamicTables ReadTables(const link_map& object) {
  DynamicTables tables;
  for (const Elf64_Dyn* entry = object.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) SetTable(&tables.symbols, object, *entry);
    if (entry->d_tag == DT_STRTAB) SetTable(&tables.strings, object, *entry);
    if (entry->d_tag == DT_GNU_HASH) SetTable(&tables.gnu_hash, object, *entry);
    if (entry->d_tag == DT_HASH) SetTable(&tables.sysv_hash, object, *entry);
    if (entry->d_tag == DT_VERSYM) SetTable(&tables.versions, object, *entry);
    if (entry->d_tag == DT_RELA) SetTable(&tables.relocations, object, *entry);
    if (entry->d_tag == DT_JMPREL) SetTable(&tables.plt_relocations, object, *entry);
    if (entry->d_tag == DT_RELASZ) tables.relocation_count = entry->d_un.d_val / sizeof(Elf64_Rela);
    if (entry->d_tag == DT_RELACOUNT) tables.relative_count = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTRELSZ) tables.plt_relocation_count = entry->d_un.d_val / sizeof(Elf64_Rela);
  }
  return tables;
}

bool SameName(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

const Elf64_Sym* FindFunctionSymbol(const DynamicTables& tables, const char* name) {
  if (tables.symbols == nullptr || tables.strings == nullptr) return nullptr;
  if (tables.gnu_hash != nullptr) return LookUpGnu(tables, name);
  return tables.sysv_hash != nullptr ? LookUpSysv(tables, name) : nullptr;
}

Definition FindInObject(const link_map* object, const char* name) {
  Definition definition;
  const Elf64_Sym* symbol = FindFunctionSymbol(ReadTables(*object), name);
  if (symbol == nullptr) return definition;
  const uint64_t address = object->l_addr + symbol->st_value;
  definition.object = object;
  SetTextExtent(*object, address, &definition);
  definition.address = reinterpret_cast<void*>(address);
  if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) {
    // x86-64 resolvers take no argument. The code that it chooses may lie in the same object only.
    definition.address = reinterpret_cast<void* (*)()>(address)();
  }
  return definition;
}

Definition FindNext(const void* self_dynamic, const char* name) {
  bool passed_self = false;
  const link_map* object = LinkMapHead();
  for (int i = 0; object != nullptr && i < kMaxObjects; ++i, object = object->l_next) {
    if (object->l_ld == self_dynamic) {
      passed_self = true;
    } else if (passed_self) {
      const Definition definition = FindInObject(object, name);
      if (definition.address != nullptr) return definition;
    }
  }
  return {};
}

Definition FindBefore(const void* self_dynamic, const char* name) {
  Definition first;
  const link_map* object = LinkMapHead();
  for (int i = 0; object != nullptr && i < kMaxObjects; ++i, object = object->l_next) {
    if (object->l_ld == self_dynamic) return first;
    if (first.address == nullptr) first = FindInObject(object, name);
  }
  return {};
}

}  // namespace heaptally::elf
