// Turning references to a function over to another one, for functions that cannot be exported under the same name: slots
// that the loader has bound already are stored to, and the definer's own dynamic symbol is rewritten, so that whatever the
// loader binds later (lazily, by dlopen or dlsym) reaches the new function, without any polling.
//
// Meant for the start of the process, before there is a second thread. Pages that the loader has made read-only are made
// writable by the system call alone and put back; code pages never lose their right to be executed.
#pragma once

#include <cstddef>
#include <cstdint>

struct link_map;

namespace heaptally::elf {

struct Rebinding {
  const char* name;  // of the dynamic symbol
  void* from;        // where slots point to now; nullptr: this one is not wanted
  void* to;
};

struct RebindResult {
  uint32_t stored = 0;   // slots or symbols that hold the new value now
  uint32_t refused = 0;  // those that could not be made writable
};

// Stores `to` into every slot of `object` that refers to one of the names and holds its `from`. A slot that is still to be
// bound lazily holds an address in its own object: it is left alone, or with kLazyToo stored to as well, which is for the
// definer itself.
enum class Slots { kBound, kLazyToo };
RebindResult RebindSlots(const link_map* object, const Rebinding* rebindings, size_t count, Slots which = Slots::kBound);

// Makes the definer's dynamic symbols of these names stand for `to`.
RebindResult RebindSymbols(const link_map* definer, const Rebinding* rebindings, size_t count);

}  // namespace heaptally::elf
