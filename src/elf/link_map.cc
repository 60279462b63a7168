#include "elf/link_map.h"

#include <link.h>

#include "elf/program_headers.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"

// References to libc and ld.so: weak, since each is missing somewhere, and under own names, since the headers declare
// them with differing types. The agent is linked without libc, so no symbol version is recorded for them.
extern "C" {
extern r_debug heaptally_r_debug __asm__("_r_debug") __attribute__((weak, visibility("default")));
extern r_debug* heaptally_dl_debug_addr __asm__("_dl_debug_addr") __attribute__((weak, visibility("default")));
unsigned long heaptally_getauxval(unsigned long type) __asm__("getauxval") __attribute__((weak, visibility("default")));
}

namespace heaptally::elf {
namespace {

constexpr int kMaxObjects = 1 << 16;
constexpr uint64_t kPageMask = ~(platform::kPageBytes - 1);

// The program headers at `header` belong to the object of `map` iff they lead to its dynamic section.
bool BelongTo(const link_map& map, const ProgramHeaders& headers) {
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type == PT_DYNAMIC) return map.l_addr + segment.p_vaddr == reinterpret_cast<uint64_t>(map.l_ld);
  }
  return false;
}

}  // namespace

ProgramHeaders HeadersOfObject(const link_map& map) {
  ProgramHeaders headers = ProbeProgramHeaders(map.l_addr);
  if (BelongTo(map, headers)) return headers;
  headers = ProbeProgramHeaders(AuxiliaryValue(AT_PHDR) & kPageMask);
  if (BelongTo(map, headers)) return headers;
  // At most 256 MiB of text before the dynamic section; bounded, since this may run in a hook.
  uint64_t page = reinterpret_cast<uint64_t>(map.l_ld) & kPageMask;
  for (int i = 0; i < (1 << 16) && page != 0; ++i, page -= platform::kPageBytes) {
    headers = ProbeProgramHeaders(page);
    if (BelongTo(map, headers)) return headers;
  }
  return {};
}

bool DescribeObject(const link_map* map, LoadedObject* object) {
  const ProgramHeaders headers = HeadersOfObject(*map);
  uint64_t low = ~uint64_t{0};
  uint64_t high = 0;
  object->eh_frame_hdr = nullptr;
  for (const Elf64_Phdr& segment : headers) {
    const uint64_t start = map->l_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) object->eh_frame_hdr = reinterpret_cast<const uint8_t*>(start);
    if (segment.p_type != PT_LOAD) continue;
    if ((start & kPageMask) < low) low = start & kPageMask;
    if (start + segment.p_memsz > high) high = start + segment.p_memsz;
  }
  object->map_start = low;
  object->map_end = high;
  object->bias = map->l_addr;
  object->path = map->l_name;
  object->map = map;
  return high != 0;
}

namespace {

// The main program's own record of where the loader's debug structure is, for loaders that export none.
const r_debug* DebugOfMainProgram() {
  const uint64_t header_page = AuxiliaryValue(AT_PHDR) & kPageMask;
  if (header_page == 0) return nullptr;
  const ProgramHeaders headers = ProbeProgramHeaders(header_page);
  uint64_t bias = 0;
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type == PT_PHDR) bias = reinterpret_cast<uint64_t>(headers.first) - segment.p_vaddr;
  }
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (auto* entry = reinterpret_cast<const Elf64_Dyn*>(bias + segment.p_vaddr); entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_DEBUG) return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr);
    }
  }
  return nullptr;
}

}  // namespace

uint64_t AuxiliaryValue(unsigned long type) { return heaptally_getauxval != nullptr ? heaptally_getauxval(type) : 0; }

const link_map* LinkMapHead() {
  // First, because it is right even when the program was started as `ld.so program`, where an unadjusted AT_PHDR
  // describes ld.so.
  if (&heaptally_r_debug != nullptr && heaptally_r_debug.r_map != nullptr) return heaptally_r_debug.r_map;
  if (&heaptally_dl_debug_addr != nullptr && heaptally_dl_debug_addr != nullptr) return heaptally_dl_debug_addr->r_map;
  const r_debug* debug = DebugOfMainProgram();
  return debug != nullptr ? debug->r_map : nullptr;
}

const link_map* NextObject(const link_map* object) { return object->l_next; }

const void* DynamicSectionOf(const link_map* object) { return object->l_ld; }

bool FindObjectByLinkMap(uint64_t address, LoadedObject* object) {
  // Objects do not interleave and none begins below its bias, so only the one with the greatest bias at or below the
  // address can cover it.
  const link_map* nearest = nullptr;
  const link_map* map = LinkMapHead();
  for (int i = 0; map != nullptr && i < kMaxObjects; ++i, map = map->l_next) {
    const uint64_t node = reinterpret_cast<uint64_t>(map);
    if (!platform::IsReadable(node) || !platform::IsReadable(node + sizeof(link_map) - 8)) return false;
    if (map->l_addr <= address && (nearest == nullptr || map->l_addr > nearest->l_addr)) nearest = map;
  }
  if (nearest == nullptr || !DescribeObject(nearest, object)) return false;
  return address >= object->map_start && address < object->map_end;
}

}  // namespace heaptally::elf
