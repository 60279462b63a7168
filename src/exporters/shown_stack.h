// Stacks as exports show them: root first, inlined frames unfolded (the outer function before what was inlined into
// it), without the allocator's own frames at the leaf, and with a frame in words where something is missing.
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

// Never empty. Only frames at the leaf are an allocator's own (one further out is a caller); a stack of nothing else is
// kept whole. The last frame is the innermost.
std::vector<analysis::StackFrame> ShownStack(const profile::Profile& profile, const profile::Site& site,
                                             const Wording& wording);

}  // namespace heaptally::exporters
