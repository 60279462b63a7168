#include "analysis/source_stack.h"

#include <cstdio>

namespace heaptally::analysis {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void AppendFrame(const profile::Profile& profile, uint32_t index, std::vector<StackFrame>* out) {
  const profile::Frame& frame = profile.frames[index];
  StackFrame shown;
  if (frame.module < profile.modules.size()) shown.module = profile.modules[frame.module].path;
  shown.address = frame.address;
  if (index >= profile.sources.size() || profile.sources[index].empty()) {
    out->push_back(std::move(shown));
    return;
  }
  for (const profile::SourceFrame& source : profile.sources[index]) {
    shown.function = source.function;
    shown.file = source.file;
    shown.line = source.line;
    shown.why = source.why;
    shown.inlined = source.inlined;
    out->push_back(shown);
  }
}

}  // namespace

std::vector<StackFrame> SourceFramesOf(const profile::Profile& profile, uint32_t index) {
  std::vector<StackFrame> out;
  AppendFrame(profile, index, &out);
  return out;
}

std::vector<StackFrame> SourceStack(const profile::Profile& profile, const profile::Site& site) {
  std::vector<StackFrame> out;
  for (const uint32_t index : site.frames) {
    if (index < profile.frames.size()) AppendFrame(profile, index, &out);
  }
  return out;
}

std::string ShortPlace(const StackFrame& frame) {
  if (frame.file.empty()) return "";
  return BaseName(frame.file) + (frame.line != 0 ? ":" + std::to_string(frame.line) : "");
}

std::string NameOf(const StackFrame& frame) {
  if (!frame.words.empty()) return frame.words;
  if (!frame.function.empty()) return frame.function;
  char offset[32];
  std::snprintf(offset, sizeof(offset), "0x%llx", static_cast<unsigned long long>(frame.address));
  return frame.module.empty() ? offset : BaseName(frame.module) + "+" + offset;
}

}  // namespace heaptally::analysis
