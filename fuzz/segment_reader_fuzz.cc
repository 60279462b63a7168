// A segment as an enemy could leave it, read and turned into profiles. Beyond not crashing: ids in a profile may be
// used as indices, nothing is negative, and what was allocated for it bears a relation to the file's size.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "collect/image_profile.h"
#include "segment/reader.h"
#include "store/series.h"

namespace {

namespace collect = heaptally::collect;
namespace profile = heaptally::profile;
namespace segment = heaptally::segment;
namespace store = heaptally::store;

#define REQUIRE(condition)                                     \
  do {                                                         \
    if (!(condition)) {                                        \
      std::fprintf(stderr, "does not hold: %s\n", #condition); \
      std::abort();                                            \
    }                                                          \
  } while (false)

// tmpfs: an input costs microseconds there.
std::string Write(const uint8_t* data, size_t size) {
  static const std::string path = "/dev/shm/heaptally-fuzz-" + std::to_string(getpid()) + ".seg";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  return path;
}

void Check(const profile::Profile& profile) {
  for (const profile::Frame& frame : profile.frames) {
    REQUIRE(frame.module == profile::kNoModule || frame.module < profile.modules.size());
  }
  for (const profile::Site& site : profile.sites) {
    REQUIRE(site.frames.size() <= segment::kMaxDepth);
    for (const uint32_t frame : site.frames) REQUIRE(frame < profile.frames.size());
    const profile::Measures& m = site.measures;
    REQUIRE(m.live.bytes.proven <= m.allocated.bytes.proven);
    REQUIRE(m.live.bytes.inferred >= 0 && m.live.bytes.variance >= 0);
    REQUIRE(site.sizes.size() <= segment::kClasses && site.lifetimes_ns.size() <= segment::kClasses);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = Write(data, size);
  std::string error;
  const auto file = segment::Segment::Open(path, &error);
  REQUIRE(file.has_value() == error.empty());
  if (file) {
    for (const uint32_t index : file->ClaimedImages()) {
      error.clear();
      const auto image = file->ReadImage(index, &error);
      REQUIRE(image.has_value() == error.empty());
      if (!image) continue;
      const collect::ImageContext context = {collect::ModulesOf(*file, *image), collect::ClockScale(0, 0, 0.4),
                                             collect::LatestClock(*image), false};
      const profile::Profile made = collect::ProfileOf(*image, context);
      Check(made);
      const store::PackedSnapshot packed = store::SeriesPacker().Next(made);
      store::SeriesState again;
      REQUIRE(store::Apply(packed.Blobs(), &again));
    }
  }
  unlink(path.c_str());
  return 0;
}
