// The source frames of some profiles, each distinct one once, so that views work on numbers instead of on names: a
// compiler's run has four million frames in its stacks and ten thousand names.
//
// A frame is a line of a function in a module (an address, where there is no name); a function is all of its lines.
// Where a stack or a part of it is missing, a frame in words stands there (StackFrame::words), so that every site has
// a stack of at least one frame and nothing falls out of a sum.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/frame_taste.h"
#include "analysis/source_stack.h"
#include "profile/profile.h"

namespace heaptally::analysis {

class FrameTable {
 public:
  // `profiles` must outlive the table.
  FrameTable(const std::vector<const profile::Profile*>& profiles, const FrameTaste& taste);

  // The stack of a site of profile number `profile`, innermost first, inlined frames unfolded. Never empty.
  void Stack(size_t profile, const profile::Site& site, std::vector<uint32_t>* out);

  const StackFrame& operator[](uint32_t frame) const { return frames_[frame]; }
  uint32_t FunctionOf(uint32_t frame) const { return functions_of_[frame]; }
  size_t function_count() const { return functions_.size(); }
  // One of its frames, for its names.
  const StackFrame& FunctionFrame(uint32_t function) const { return frames_[functions_[function].frame]; }

  // Plumbing and allocators, as the taste has it; asked once for each function.
  bool IsPlumbing(uint32_t frame) const { return Ask(&Function::plumbing, taste_.is_plumbing, frame); }
  bool IsAllocator(uint32_t frame) const { return Ask(&Function::allocator, taste_.is_allocator, frame); }

  // Position of the frame that names the place of a stack (places.h).
  size_t PlaceAt(std::span<const uint32_t> stack) const;

 private:
  enum class Answer : uint8_t { kNotAsked, kNo, kYes };
  struct Function {
    uint32_t frame;
    Answer plumbing = Answer::kNotAsked, allocator = Answer::kNotAsked;
  };
  struct Range {
    uint32_t first = 0, count = 0;
  };

  uint32_t Intern(StackFrame frame);
  uint32_t InWords(const std::string& words);
  bool Ask(Answer Function::*answer, const std::function<bool(const StackFrame&)>& ask, uint32_t frame) const;

  FrameTaste taste_;
  std::vector<StackFrame> frames_;
  std::vector<uint32_t> functions_of_;  // parallel to frames_
  mutable std::vector<Function> functions_;  // answers are kept
  std::vector<std::vector<Range>> machine_;  // of each profile: machine frame -> part of unfolded_
  std::vector<uint32_t> unfolded_;
  std::unordered_map<std::string, uint32_t> seen_, seen_functions_;
};

}  // namespace heaptally::analysis
