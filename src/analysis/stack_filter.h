// Keeps the stacks that a question is about: --focus, --ignore and --hide, with the meaning that they have in pprof.
//
//   focus    only stacks with a frame that matches stay
//   ignore   stacks with a frame that matches go
//   hide     frames that match go; their stack stays, and is booked at what is left of it
//
// An expression is RE2's (linear in the text, no recursion, so no name can make it slow), unanchored, and is held
// against a frame's function - as the debug information has it, and as reports show it -, source file and module.
// Focus and ignore are asked before anything is hidden. What is left is an ordinary profile with totals of its own, so
// that every view and every export of it agrees.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace re2 {
class RE2;
}

namespace heaptally::analysis {

struct FilterWords {
  std::string focus, ignore, hide;  // "": not asked for
  bool any() const { return !focus.empty() || !ignore.empty() || !hide.empty(); }
};

class StackFilter {
 public:
  // A function's name as reports show it.
  using ShortName = std::function<std::string(const std::string& function)>;

  // Returns nothing and sets *error (a sentence that says where) if an expression is none.
  static std::optional<StackFilter> Make(const FilterWords& words, ShortName short_name, std::string* error);

  StackFilter(StackFilter&&) noexcept;
  StackFilter& operator=(StackFilter&&) noexcept;
  ~StackFilter();

  // Sites that do not stay are removed and totals are summed anew. A stack of which every frame is hidden stays,
  // without frames.
  void Apply(profile::Profile* profile) const;

 private:
  StackFilter();
  struct FrameMarks;
  FrameMarks Mark(const profile::Profile& profile) const;
  void Hide(const FrameMarks& marks, profile::Profile* profile) const;

  ShortName short_name_;
  std::unique_ptr<re2::RE2> focus_, ignore_, hide_;
};

}  // namespace heaptally::analysis
