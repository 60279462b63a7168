// Opens a segment and reads images out of it, of living, stopped and dead processes alike, without touching them.
//
// The file may be growing, torn, truncated, written by an enemy, or not a segment at all. Nothing read from it is used
// as an offset, a count or an index before it was checked; no allocation is larger than placement.h's budget; there is
// no recursion, and every chain is bounded. An image that does not check out is an error of its own: the others can be
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "segment/file.h"
#include "segment/layout.h"
#include "segment/raw_image.h"

namespace heaptally::segment {

// What is mapped now, and the totals of that moment.
struct Mappings {
  ImageHeader header = {};
  std::vector<MappedRange> ranges;  // start < end; `site` may be any number
};

class Segment {
 public:
  // Opens `path` and checks the file's header. On failure returns nothing and sets *error to one sentence: file, fault,
  // what to do.
  static std::optional<Segment> Open(const std::string& path, std::string* error);

  // The file's header, as it was at Open.
  const FileHeader& header() const { return header_; }
  const File& file() const { return file_; }

  // Indices of the images that belong (or belonged) to a process, in order. Looks at the file again. Claims
  // beyond what the file can hold are left out, so reading all of them is bounded by its size too.
  std::vector<uint32_t> ClaimedImages() const;

  // Reads one image at the present moment. On failure returns nothing and sets *error to one sentence.
  std::optional<RawImage> ReadImage(uint32_t index, std::string* error) const;

  // Reads the header of one image only: who it is, cheaply.
  std::optional<ImageHeader> ReadImageHeader(uint32_t index, std::string* error) const;

  // The ranges of one image, without the rest: for somebody who looks at a running process again and again.
  std::optional<Mappings> ReadMappings(uint32_t index) const;

  // The modules of one image, without the rest: a forked child's frames point into its parent's.
  std::vector<Module> ReadModules(uint32_t index) const;

  // Where an image's header lies in the file, if it belongs to a process.
  std::optional<uint64_t> RegionOffset(uint32_t index) const {
    std::string ignored;
    return RegionOf(index, &ignored);
  }

 private:
  explicit Segment(File file) : file_(std::move(file)) {}
  std::optional<uint64_t> RegionOf(uint32_t index, std::string* fault) const;
  std::string Sentence(uint32_t index, const std::string& fault) const;

  File file_;
  FileHeader header_ = {};
};

// Text of a fixed-size field: up to its first NUL, or all of it.
std::string FieldText(const char* field, size_t capacity);

}  // namespace heaptally::segment
