// A site's stack as people read it: source frames (inlined ones unfolded), each with the module that it lies in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace heaptally::analysis {

struct StackFrame {
  std::string function;  // demangled; "" if not known
  std::string file;      // as the debug information has it; "" if not known
  uint32_t line = 0;
  std::string module;    // path; "" if not known
  uint64_t address = 0;  // ELF virtual address in the module
  std::string why;       // where function is "": the reason
  bool inlined = false;
  std::string words;     // not "": no frame but what stands where one is missing ("no stack: ..."); all else is empty
};

// What one machine frame stands for, innermost first; at least one. REQUIRES: index < profile.frames.size().
std::vector<StackFrame> SourceFramesOf(const profile::Profile& profile, uint32_t index);

// Innermost first. Frame numbers beyond the profile's tables are left out.
std::vector<StackFrame> SourceStack(const profile::Profile& profile, const profile::Site& site);

// "cache.cc:88", "http.c", or "" - the file without its directories.
std::string ShortPlace(const StackFrame& frame);

// The function, or where it has no name "libfoo.so+0x1234".
std::string NameOf(const StackFrame& frame);

}  // namespace heaptally::analysis
