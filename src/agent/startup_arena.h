// Memory for calls that come before the agent is ready: IFUNC resolvers of objects that are relocated before us, and a
// process without any malloc behind us. Blocks are never given back; free and realloc recognise them by address.
//
// Static pages first, then mappings of at least 1 MiB. Used before relocation too, so: no TLS, no GOT, no PLT.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heaptally::agent {

void* ArenaAllocate(size_t size, size_t alignment);  // nullptr when exhausted
bool ArenaOwns(const void* pointer);
size_t ArenaBlockSize(const void* pointer);          // REQUIRES: ArenaOwns(pointer)

struct ArenaUse {
  uint64_t objects;
  uint64_t bytes;
  uint64_t refused;
};
ArenaUse GetArenaUse();

}  // namespace heaptally::agent
