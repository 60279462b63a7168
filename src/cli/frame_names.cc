#include "cli/frame_names.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "cli/text.h"
#include "symbols/display.h"

namespace heaptally::cli {
namespace {

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Everything in there works for a caller: strdup, getline, std::string's members, the start of threads and of main.
constexpr std::array<std::string_view, 12> kRuntimeLibraries = {
    "libc.so",   "libc-2",     "ld-linux",      "ld-2.",     "ld-musl",     "libstdc++.so",
    "libc++.so", "libc++abi.", "libpthread.so", "libgcc_s.", "libpthread-", "libheaptally"};

bool InRuntimeLibrary(const analysis::StackFrame& frame) {
  const std::string_view name = BaseName(frame.module);
  for (const std::string_view library : kRuntimeLibraries) {
    if (name.starts_with(library)) return true;
  }
  return false;
}

}  // namespace

analysis::FrameTaste ReportTaste() {
  const auto named = [](const analysis::StackFrame& frame, bool (*is)(std::string_view)) {
    return !frame.function.empty() && is(frame.function);
  };
  return {
      .is_plumbing =
          [named](const analysis::StackFrame& frame) {
            return InRuntimeLibrary(frame) || named(frame, symbols::IsPlumbing) || frame.function == "_start";
          },
      .is_allocator = [named](const analysis::StackFrame& frame) { return named(frame, symbols::IsAllocatorFrame); }};
}

std::string ShownName(const analysis::StackFrame& frame) {
  if (!frame.words.empty()) return "[" + Printable(frame.words) + "]";
  if (frame.function.empty()) return Printable(analysis::NameOf(frame));
  const std::string name = symbols::QualifiedName(frame.function);
  return Printable(name.empty() ? frame.function : name);
}

std::string ShownPlace(const analysis::StackFrame& frame) {
  const std::string place = analysis::ShortPlace(frame);
  if (!place.empty()) return Printable(place);
  if (frame.function.empty() || frame.module.empty()) return "";
  return "[" + Printable(BaseName(frame.module)) + "]";
}

std::string ShownWholeName(const analysis::StackFrame& frame) {
  return Printable(frame.function.empty() ? analysis::NameOf(frame) : symbols::ShortenTemplates(frame.function));
}

std::string ShownWholePlace(const analysis::StackFrame& frame) {
  std::string out;
  if (!frame.file.empty()) {
    out = std::filesystem::path(frame.file).lexically_normal().string() + (frame.line != 0 ? ":" + std::to_string(frame.line) : "");
  } else if (!frame.function.empty() && !frame.module.empty()) {
    out = "[" + std::string(BaseName(frame.module)) + "]";
  } else if (frame.function.empty() && !frame.why.empty()) {
    out = "(" + frame.why + ")";
  }
  return Printable(out + (frame.inlined ? " (inlined)" : ""));
}

}  // namespace heaptally::cli
