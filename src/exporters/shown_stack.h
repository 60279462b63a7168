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

// Which frames of a site are shown, by number. Only frames at the leaf are an allocator's own (one further out is a
// caller); a stack of nothing else is kept whole.
class FrameChoice {
 public:
  // Both must outlive it.
  FrameChoice(const profile::Profile& profile, const Wording& wording);

  // Innermost first; empty if the site has no frames.
  std::vector<ShownFrame> Of(const profile::Site& site);

 private:
  uint32_t AllocatorFramesAtLeaf(uint32_t frame);

  static constexpr uint32_t kNotAsked = UINT32_MAX, kAll = UINT32_MAX - 1;
  const profile::Profile& profile_;
  const Wording& wording_;
  std::vector<uint32_t> at_leaf_;  // by frame: source frames that are an allocator's, or one of the two above
};

// Root first; never empty. The last frame is the innermost.
std::vector<analysis::StackFrame> ShownStack(const profile::Profile& profile, const profile::Site& site,
                                             const Wording& wording);

}  // namespace heaptally::exporters
