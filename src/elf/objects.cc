// Objects by address, their segments and build ids.
//
// `_dl_find_object` hands out a link map pointer that stays valid only while the object is loaded. That is so for any
// object with a frame on a live stack; for a stray address in an object that another thread unloads at this very moment
// there remains a window of a few instructions between the answer and the reads that follow it.
#include "elf/objects.h"

#include <link.h>

#include "base/branch.h"
#include "elf/link_map.h"
#include "elf/program_headers.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"

namespace {

// glibc's struct dl_find_object (dlfcn.h, 2.35+) for x86-64. Spelt out, because older headers lack it.
struct LoaderAnswer {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame_hdr;
  unsigned long long reserved[7];
};

}  // namespace

extern "C" int heaptally_dl_find_object(void* address, LoaderAnswer* answer) __asm__("_dl_find_object")
    __attribute__((weak, visibility("default")));

namespace heaptally::elf {
namespace {

// Written once, by LearnMainProgram.
const link_map* main_with_holes;
uint64_t main_start;
uint64_t main_end;

constexpr uint32_t kNtGnuBuildId = 3;
constexpr uint64_t kNoteHeaderBytes = sizeof(Elf64_Nhdr);

bool IsBuildIdNote(const Elf64_Nhdr& note) {
  if (note.n_type != kNtGnuBuildId || note.n_namesz != 4) return false;
  const char* name = reinterpret_cast<const char*>(&note) + kNoteHeaderBytes;
  return name[0] == 'G' && name[1] == 'N' && name[2] == 'U' && name[3] == '\0';
}

// Looks through one PT_NOTE segment. Notes are padded to the segment's alignment: 4, or 8 for .note.gnu.property.
bool FindBuildIdNote(uint64_t start, uint64_t bytes, uint64_t alignment, BuildId* id) {
  const uint64_t pad = alignment == 8 ? 7 : 3;
  uint64_t offset = 0;
  while (offset <= bytes && bytes - offset >= kNoteHeaderBytes) {
    const auto& note = *reinterpret_cast<const Elf64_Nhdr*>(start + offset);
    const uint64_t description = (offset + kNoteHeaderBytes + note.n_namesz + pad) & ~pad;
    const uint64_t end = description + note.n_descsz;
    if (end > bytes) return false;
    if (IsBuildIdNote(note) && note.n_descsz > 0) {
      const auto* from = reinterpret_cast<const uint8_t*>(start + description);
      id->size = note.n_descsz < sizeof(id->bytes) ? static_cast<uint8_t>(note.n_descsz) : sizeof(id->bytes);
      for (uint32_t i = 0; i < id->size; ++i) id->bytes[i] = from[i];
      return true;
    }
    offset = (end + pad) & ~pad;
  }
  return false;
}

// Whether the loader has mapped the segment, readably, from the file. objcopy --remove-section leaves headers of what is gone,
// at address 0.
bool IsLoaded(const ProgramHeaders& headers, const Elf64_Phdr& part) {
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0 || part.p_vaddr < segment.p_vaddr) continue;
    const uint64_t before = part.p_vaddr - segment.p_vaddr;
    if (before <= segment.p_filesz && part.p_filesz <= segment.p_filesz - before) return true;
  }
  return false;
}

BuildId BuildIdFrom(const ProgramHeaders& headers, uint64_t bias) {
  BuildId id;
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type != PT_NOTE || !IsLoaded(headers, segment)) continue;
    if (FindBuildIdNote(bias + segment.p_vaddr, segment.p_filesz, segment.p_align, &id)) break;
  }
  return id;
}

bool Equal(const BuildId& a, const BuildId& b) {
  if (a.size != b.size) return false;
  for (uint32_t i = 0; i < a.size; ++i) {
    if (a.bytes[i] != b.bytes[i]) return false;
  }
  return true;
}

}  // namespace

bool FindsObjectsQuickly() { return heaptally_dl_find_object != nullptr; }

void LearnMainProgram() {
  const link_map* map = LinkMapHead();
  LoadedObject whole;
  if (map == nullptr || !DescribeObject(map, &whole)) return;
  main_with_holes = nullptr;
  LoadedObject found;
  if (!FindObject(reinterpret_cast<uint64_t>(map->l_ld), &found) || found.map_start == whole.map_start) return;
  main_start = whole.map_start;
  main_end = whole.map_end;
  main_with_holes = map;
}

bool FindObject(uint64_t address, LoadedObject* object) {
  if (heaptally_dl_find_object == nullptr) return FindObjectByLinkMap(address, object);
  LoaderAnswer answer;
  if (heaptally_dl_find_object(reinterpret_cast<void*>(address), &answer) != 0) return false;
  object->map_start = reinterpret_cast<uint64_t>(answer.map_start);
  object->map_end = reinterpret_cast<uint64_t>(answer.map_end);
  if (HT_UNLIKELY(answer.map == main_with_holes)) {
    object->map_start = main_start;
    object->map_end = main_end;
  }
  object->bias = answer.map->l_addr;
  object->eh_frame_hdr = static_cast<const uint8_t*>(answer.eh_frame_hdr);
  object->path = answer.map->l_name;
  object->map = answer.map;
  return true;
}

bool FindSegment(const LoadedObject& object, uint64_t address, uint64_t* start, uint64_t* end) {
  for (const Elf64_Phdr& segment : ReadProgramHeaders(object.map_start)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0) continue;
    const uint64_t segment_start = object.bias + segment.p_vaddr;
    if (address - segment_start >= segment.p_memsz) continue;
    *start = segment_start;
    *end = segment_start + segment.p_memsz;
    return true;
  }
  return false;
}

BuildId ReadBuildId(const LoadedObject& object) {
  return BuildIdFrom(ProbeProgramHeaders(object.map_start), object.bias);
}

bool StillLoaded(const LoadedObject& object, const BuildId& build_id) {
  LoadedObject now;
  if (!FindObject(object.map_start, &now)) return false;
  if (now.map_start != object.map_start || now.map_end != object.map_end || now.bias != object.bias ||
      now.eh_frame_hdr != object.eh_frame_hdr) {
    return false;
  }
  // No id: either there is none, or the header can't be read, and must not be read here without a probe.
  if (build_id.size == 0) return true;
  return Equal(BuildIdFrom(ReadProgramHeaders(now.map_start), now.bias), build_id);
}

}  // namespace heaptally::elf
