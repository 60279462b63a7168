// Stacks as exports show them: inlined frames unfolded, without the allocator's own frames at the leaf, and with a frame
// in words where something is missing.
//
// What is an allocator, and how a name is shown, is passed in: this room knows no names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/places.h"
#include "profile/profile.h"

namespace heaptally::exporters {

struct Wording {
  analysis::FrameTaste taste;
  std::function<std::string(const analysis::StackFrame&)> short_name;  // for a box of a few centimetres
  std::function<std::string(const analysis::StackFrame&)> whole_name;
  bool allocator_frames = false;  // keep them
  bool end_at_places = false;     // leave out all plumbing at the leaf: stacks end at the lines that reports name
};

// What called the outermost frame of a cut stack is not known, so that it must not look like a root.
inline constexpr const char* kCallersNotKnown = "[callers not known: stack was cut]";

// What stands in place of a stack that has no frame at all.
std::string WhyNoStack(const profile::Site& site);

// A machine frame, from its source frame `first_source` on.
struct ShownFrame {
  uint32_t frame = 0;  // in Profile::frames
  uint32_t first_source = 0;
};

// Which frames of a site are shown, by number. Only frames at the leaf are an allocator's own, or plumbing (one further
// out is a caller); of a stack of nothing but plumbing the allocator's own are left out, one of nothing else is whole.
class FrameChoice {
 public:
  // Both must outlive it.
  FrameChoice(const profile::Profile& profile, const Wording& wording);

  // Innermost first; empty if the site has no frames.
  std::vector<ShownFrame> Of(const profile::Site& site);

 private:
  using Taste = std::function<bool(const analysis::StackFrame&)>;
  // By frame: how many of its source frames, from the innermost on, are to the taste; or one of these two.
  static constexpr uint32_t kNotAsked = UINT32_MAX, kAll = UINT32_MAX - 1;
  using Counts = std::vector<uint32_t>;

  uint32_t LeadingFrames(uint32_t frame, const Taste& taste, Counts* known) const;
  std::vector<ShownFrame> Without(const Taste& taste, const profile::Site& site, Counts* known) const;

  const profile::Profile& profile_;
  const Wording& wording_;
  Counts plumbing_, allocators_;
};

// Root first; never empty. The last frame is the innermost.
std::vector<analysis::StackFrame> ShownStack(const profile::Profile& profile, const profile::Site& site,
                                             const Wording& wording);

}  // namespace heaptally::exporters
