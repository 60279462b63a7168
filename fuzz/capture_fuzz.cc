// The packed blobs of a capture, without the seal that would stop most damage: five texts for each snapshot of a series,
// each with a 4-byte length before it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "store/series.h"

namespace {

std::string_view TakeText(std::string_view* rest) {
  if (rest->size() < 4) return std::exchange(*rest, {});
  uint32_t length;
  std::memcpy(&length, rest->data(), 4);
  rest->remove_prefix(4);
  const std::string_view text = rest->substr(0, length);
  rest->remove_prefix(text.size());
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  heaptally::store::SeriesState state;
  bool whole = true;
  for (int moments = 0; moments < 8 && !rest.empty() && whole; ++moments) {
    heaptally::store::SnapshotBlobs blobs;
    for (std::string_view* blob : {&blobs.facts, &blobs.modules, &blobs.frames, &blobs.names, &blobs.sites})
      *blob = TakeText(&rest);
    whole = Apply(blobs, &state);
    const heaptally::profile::Profile profile = ProfileOf(state);
    for (const auto& site : profile.sites) {
      for (const uint32_t frame : site.frames) {
        if (frame >= profile.frames.size()) std::abort();
      }
    }
  }
  // Whatever can be read can be gone on with.
  if (!whole) return 0;
  const heaptally::profile::Profile last = ProfileOf(state);
  heaptally::store::SeriesPacker packer(state);
  const heaptally::store::PackedSnapshot next = packer.Next(last);
  if (!Apply(next.Blobs(), &state)) std::abort();
  if (ProfileOf(state).sites.size() != last.sites.size()) std::abort();
  return 0;
}
