// A hostile perf map: each address has one frame, with a name or a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "symbols/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > (1 << 20)) return 0;
  auto map = heaptally::symbols::PerfMap::Parse(std::string(reinterpret_cast<const char*>(data), size));
  for (uint64_t address : {uint64_t{0}, uint64_t{0x1000}, uint64_t{0x1008}, uint64_t{0x2000}, UINT64_MAX}) {
    const auto& frames = map.At(address);
    if (frames.size() != 1 || frames[0].function.empty() == frames[0].why.empty()) abort();
  }
  return 0;
}
