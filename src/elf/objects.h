// Which loaded ELF object covers an address, found without libc's help, without a lock and without allocating.
//
// Source: `_dl_find_object` (glibc 2.35+, async-signal-safe, a few ns), referenced weakly and unversioned, so that the
// same binary runs where it is missing. There the link map is walked instead (every pointer is probed before it is
// followed, since another thread may be unloading).
#pragma once

#include <cstddef>
#include <cstdint>

struct link_map;

namespace heaptally::elf {

struct BuildId {
  uint8_t size = 0;  // 0: the object has none
  uint8_t bytes[20] = {};
};

// A view of an object that was mapped at the moment of the call. Pointers belong to the object: they die with it.
struct LoadedObject {
  uint64_t map_start = 0;  // [map_start, map_end) covers all of its PT_LOAD segments
  uint64_t map_end = 0;
  uint64_t bias = 0;                      // run-time address = bias + ELF virtual address
  const uint8_t* eh_frame_hdr = nullptr;  // nullptr: no .eh_frame_hdr
  const char* path = nullptr;             // link map's name; "" for the main program; nullptr if not known
  const link_map* map = nullptr;
};

// Fills *object and returns true iff `address` lies in a loaded object. Safe in a signal handler and at any moment of
// another thread's dlopen or dlclose.
bool FindObject(uint64_t address, LoadedObject* object);

// Is FindObject() a matter of nanoseconds here (`_dl_find_object` is there), or does it ask the kernel about each loaded object?
bool FindsObjectsQuickly();

// An executable with holes between its segments (node's, programs for large pages) is one object all the same: the loader names
// the one segment that was asked about, and none but the first holds the program headers. Once, at start, before
// the first FindObject() that must know it.
void LearnMainProgram();

// Which readable PT_LOAD segment of `object` covers `address`: [*start, *end). Objects may have holes between their
// segments, so readers of tables inside an object keep to one segment. False if none does.
// REQUIRES: the first page of the object is readable (it holds the program headers; some packers unmap it, so ask
// platform::IsReadable(object.map_start) first).
bool FindSegment(const LoadedObject& object, uint64_t address, uint64_t* start, uint64_t* end);

// Reads the NT_GNU_BUILD_ID note of an object through its program headers. size 0 if there is none.
BuildId ReadBuildId(const LoadedObject& object);

// True iff what is loaded at `object`'s addresses now is still that object (same extent, bias and build id). Cheap
// enough (tens of ns) to be asked before a new stack is believed: libc loads and unloads without telling anybody.
bool StillLoaded(const LoadedObject& object, const BuildId& build_id);

}  // namespace heaptally::elf
