#include "elf/rebind.h"

#include <link.h>

#include "elf/dynamic_tables.h"
#include "elf/link_map.h"
#include "elf/program_headers.h"
#include "platform/syscalls.h"

namespace heaptally::elf {
namespace {

constexpr uint64_t kPageMask = ~(platform::kPageBytes - 1);
constexpr long kRead = 1, kWrite = 2, kExecute = 4;  // PROT_*

// How the page of a word is protected: by its segment, and by RELRO after the loader's relocations.
struct Protection {
  bool known = false;
  long now = 0;
};

// An object with its headers: where it lies and which of its pages are read-only.
class Object {
 public:
  explicit Object(const link_map* map) : map_(map), tables_(ReadTables(*map)), headers_(HeadersOfObject(*map)) {}
  const DynamicTables& tables() const { return tables_; }
  uint64_t bias() const { return map_->l_addr; }

  bool known() const { return headers_.count != 0; }

  bool Covers(uint64_t address) const {
    for (const Elf64_Phdr& segment : headers_) {
      if (segment.p_type == PT_LOAD && address - (bias() + segment.p_vaddr) < segment.p_memsz) return true;
    }
    return false;
  }

  // Stores one word, whatever its page's protection. False: refused, nothing changed.
  bool Store(uint64_t address, uint64_t value) const {
    const Protection protection = ProtectionOf(address);
    if (!protection.known) return false;
    const bool writable = (protection.now & kWrite) != 0 || address - writable_start_ < writable_bytes_;
    const long page = static_cast<long>(address & kPageMask);
    constexpr long kBytes = platform::kPageBytes;
    if (!writable && platform::Syscall(platform::Call::kMprotect, page, kBytes, protection.now | kWrite) != 0) return false;
    __atomic_store_n(reinterpret_cast<uint64_t*>(address), value, __ATOMIC_RELEASE);
    if (!writable) platform::Syscall(platform::Call::kMprotect, page, kBytes, protection.now);
    return true;
  }

  void SetWritable(uint64_t start, uint64_t bytes) const {
    writable_start_ = start;
    writable_bytes_ = bytes;
  }

  Protection ProtectionOf(uint64_t address) const {
    Protection protection;
    for (const Elf64_Phdr& segment : headers_) {
      const uint64_t start = bias() + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || address - start >= segment.p_memsz) continue;
      protection.known = true;
      protection.now = ((segment.p_flags & PF_R) != 0 ? kRead : 0) | ((segment.p_flags & PF_W) != 0 ? kWrite : 0) | ((segment.p_flags & PF_X) != 0 ? kExecute : 0);
    }
    for (const Elf64_Phdr& segment : headers_) {
      if (segment.p_type != PT_GNU_RELRO) continue;  // whole pages only, both ends rounded down, as the loaders do it
      const uint64_t start = (bias() + segment.p_vaddr) & kPageMask;
      const uint64_t end = (bias() + segment.p_vaddr + segment.p_memsz) & kPageMask;
      if (address - start < end - start) protection.now = kRead;
    }
    return protection;
  }

 private:
  const link_map* map_;
  mutable uint64_t writable_start_ = 0;
  mutable uint64_t writable_bytes_ = 0;
  DynamicTables tables_;
  ProgramHeaders headers_;
};

// Makes a read-only range of one segment writable at once, while it lives. Where that is not possible, words are stored one by one.
class WritablePages {
 public:
  WritablePages(const Object& object, uint64_t low, uint64_t high) : object_(object) {
    if (low >= high) return;
    const Protection protection = object.ProtectionOf(low);
    if (!protection.known || (protection.now & kWrite) != 0 || object.ProtectionOf(high - 1).now != protection.now) return;
    start_ = low & kPageMask;
    bytes_ = ((high - 1) & kPageMask) + platform::kPageBytes - start_;
    was_ = protection.now;
    if (platform::Syscall(platform::Call::kMprotect, static_cast<long>(start_), static_cast<long>(bytes_), was_ | kWrite) != 0) bytes_ = 0;
    object_.SetWritable(start_, bytes_);
  }
  ~WritablePages() {
    object_.SetWritable(0, 0);
    if (bytes_ != 0) platform::Syscall(platform::Call::kMprotect, static_cast<long>(start_), static_cast<long>(bytes_), was_);
  }
  WritablePages(const WritablePages&) = delete;
  WritablePages& operator=(const WritablePages&) = delete;

 private:
  const Object& object_;
  uint64_t start_ = 0;
  uint64_t bytes_ = 0;
  long was_ = 0;
};

const Rebinding* Wanted(const Object& object, const Elf64_Rela& entry, const Rebinding* rebindings, size_t count) {
  const auto type = ELF64_R_TYPE(entry.r_info);
  if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return nullptr;
  const auto symbol = ELF64_R_SYM(entry.r_info);
  if (symbol == 0 || (type == R_X86_64_64 && entry.r_addend != 0)) return nullptr;
  const char* name = object.tables().strings + object.tables().symbols[symbol].st_name;
  for (size_t i = 0; i < count; ++i) {
    if (rebindings[i].from != nullptr && SameName(name, rebindings[i].name)) return &rebindings[i];
  }
  return nullptr;
}

// Calls visit(slot address, rebinding) for each slot of `object` that refers to a wanted name.
template <typename Visit>
void VisitSlots(const Object& object, const Rebinding* rebindings, size_t count, Visit visit) {
  const DynamicTables& tables = object.tables();
  if (tables.symbols == nullptr || tables.strings == nullptr) return;
  const auto look = [&](const Elf64_Rela& entry) {
    if (const Rebinding* wanted = Wanted(object, entry, rebindings, count)) visit(object.bias() + entry.r_offset, *wanted);
  };
  if (tables.relocations != nullptr) {
    const uint64_t first = tables.relative_count < tables.relocation_count ? tables.relative_count : tables.relocation_count;
    for (uint64_t i = first; i < tables.relocation_count; ++i) look(tables.relocations[i]);
  }
  if (tables.plt_relocations == nullptr) return;
  for (uint64_t i = 0; i < tables.plt_relocation_count; ++i) look(tables.plt_relocations[i]);
}

uint64_t Word(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

void Count(bool stored, RebindResult* result) { ++(stored ? result->stored : result->refused); }

}  // namespace

RebindResult RebindSlots(const link_map* map, const Rebinding* rebindings, size_t count, Slots which) {
  RebindResult result;
  const Object object(map);
  VisitSlots(object, rebindings, count, [&](uint64_t slot, const Rebinding& wanted) {
    if (!object.known()) ++result.refused;
    if (!object.Covers(slot)) return;
    const uint64_t now = *reinterpret_cast<const uint64_t*>(slot);
    const bool lazy = which == Slots::kLazyToo && object.Covers(now);
    if (now == Word(wanted.from) || lazy) Count(object.Store(slot, Word(wanted.to)), &result);
  });
  return result;
}

RebindResult RebindSymbols(const link_map* definer, const Rebinding* rebindings, size_t count) {
  RebindResult result;
  const Object object(definer);
  // Dozens of symbols lie in a few pages of one segment: two system calls for all of them instead of two for each.
  uint64_t low = ~uint64_t{0};
  uint64_t high = 0;
  for (size_t i = 0; i < count; ++i) {
    const Elf64_Sym* symbol = rebindings[i].from != nullptr ? FindFunctionSymbol(object.tables(), rebindings[i].name) : nullptr;
    if (symbol == nullptr) continue;
    if (Word(symbol) < low) low = Word(symbol);
    if (Word(symbol + 1) > high) high = Word(symbol + 1);
  }
  const WritablePages pages(object, low, high);
  for (size_t i = 0; i < count; ++i) {
    if (rebindings[i].from == nullptr) continue;
    const Elf64_Sym* symbol = FindFunctionSymbol(object.tables(), rebindings[i].name);
    if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) {
      ++result.refused;  // a resolver chooses: what stands in the symbol is not the function
      continue;
    }
    Count(object.Store(Word(&symbol->st_value), Word(rebindings[i].to) - object.bias()), &result);
  }
  return result;
}

}  // namespace heaptally::elf
