// Which frames interest nobody. Plumbing is what allocates on behalf of its caller - allocators, the standard
// libraries, wrappers such as g_malloc; who decides is passed in, since this room knows no names.
#pragma once

#include <functional>

#include "analysis/source_stack.h"

namespace heaptally::analysis {

struct FrameTaste {
  std::function<bool(const StackFrame&)> is_plumbing;
  std::function<bool(const StackFrame&)> is_allocator;
};

}  // namespace heaptally::analysis
