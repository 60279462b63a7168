// The packed blobs of a capture, without the seal that would stop most damage: four texts, each with a 4-byte length
// before it (the last one takes the rest).
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "store/profile_blobs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size), blob[4];
  for (int i = 0; i < 3 && rest.size() >= 4; ++i) {
    uint32_t length;
    std::memcpy(&length, rest.data(), 4);
    rest.remove_prefix(4);
    blob[i] = rest.substr(0, length);
    rest.remove_prefix(blob[i].size());
  }
  blob[3] = rest;
  heaptally::profile::Profile profile;
  heaptally::store::Unpack(blob[0], blob[1], blob[2], blob[3], &profile);
  for (const auto& site : profile.sites) {
    for (const uint32_t frame : site.frames) {
      if (frame >= profile.frames.size()) std::abort();
    }
  }
  return 0;
}
