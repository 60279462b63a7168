// A hostile index of a .dwp package: whatever it says, looking up a unit ends, and gives no part for an index that cannot be read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "symbols/dwp_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > (1 << 20)) return 0;
  const heaptally::symbols::DwpIndex index({reinterpret_cast<const char*>(data), size});
  for (uint64_t id : {uint64_t{0}, uint64_t{7}, UINT64_MAX, uint64_t{0x123456789abcdef}}) {
    if (index.Find(id) && !index.readable()) abort();
  }
  // The ids that it has.
  for (size_t at = 16; at + 8 <= size && at < 16 + 64 * 8; at += 8) {
    uint64_t id = 0;
    for (size_t i = 0; i < 8; ++i) id |= uint64_t{data[at + i]} << (8 * i);
    index.Find(id);
  }
  return 0;
}
