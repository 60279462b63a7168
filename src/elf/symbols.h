// Finding functions by an own walk over the link map: no dlsym (it allocates, takes the loader's lock, and would tie
// the agent to one libc's symbol versions).
#pragma once

#include <cstddef>
#include <cstdint>

struct link_map;

namespace heaptally::elf {

// The head of the process's link map, or nullptr when it can't be found. First ld.so's `_r_debug` (weak, unversioned;
// absent in musl), else DT_DEBUG of the main program (via the auxiliary vector).
const link_map* LinkMapHead();

const link_map* NextObject(const link_map* object);

// What an object calls _DYNAMIC.
const void* DynamicSectionOf(const link_map* object);

// The auxiliary vector's value for `type` (AT_...), or 0. Reads memory only.
uint64_t AuxiliaryValue(unsigned long type);

struct Definition {
  void* address = nullptr;           // callable: an IFUNC has been resolved
  const link_map* object = nullptr;  // who defines it
  uint64_t text_start = 0;           // the executable segments of that object: [text_start, text_end)
  uint64_t text_end = 0;
};

// The default-version function `name` in one object; address nullptr if it does not define it.
Definition FindInObject(const link_map* object, const char* name);

// The first definition of `name` after `self` in link-map order. `self` is matched by its dynamic section's address.
Definition FindNext(const void* self_dynamic, const char* name);

// The first definition of `name` anywhere before `self` in link-map order: an interposer that the agent cannot see
// past.
Definition FindBefore(const void* self_dynamic, const char* name);

// Calls visit(object) for every object of the link map.
template <typename Visit>
void VisitObjects(Visit visit) {
  constexpr int kMost = 1 << 16;
  const link_map* object = LinkMapHead();
  for (int i = 0; object != nullptr && i < kMost; ++i, object = NextObject(object)) visit(object);
}

}  // namespace heaptally::elf
