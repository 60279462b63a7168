#include "symbols/demangle.h"

#include <libiberty/demangle.h>

#include <array>
#include <cctype>

namespace heaptally::symbols {
namespace {

constexpr size_t kMaxMangledBytes = 8192;    // bounds the recursion of the parser
constexpr size_t kMaxReadableBytes = 65536;  // bounds the expansion of substitutions

struct OutputLimit {};

void Append(const char* text, size_t n, void* opaque) {
  auto* out = static_cast<std::string*>(opaque);
  // Unwinds through libiberty's C frames, which hold nothing on the heap but at most one small identifier buffer.
  if (out->size() + n > kMaxReadableBytes) throw OutputLimit{};
  out->append(text, n);
}

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool AllDigits(std::string_view text) {
  for (char c : text) {
    if (!isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty();
}

// Length of the name without one clone suffix, or of the whole name if it ends in none.
size_t WithoutOneSuffix(std::string_view name) {
  for (std::string_view bare : {".cold", ".localalias"}) {
    if (name.size() > bare.size() && name.substr(name.size() - bare.size()) == bare) return name.size() - bare.size();
  }
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !AllDigits(name.substr(dot + 1))) return name.size();
  for (std::string_view kind : {".part", ".constprop", ".isra", ".lto_priv", ".llvm", ".cold", ".localalias"}) {
    if (dot > kind.size() && name.substr(dot - kind.size(), kind.size()) == kind) return dot - kind.size();
  }
  return name.size();
}

std::string_view WithoutSuffixes(std::string_view name) {
  if (const size_t at = name.find('@'); at != std::string_view::npos && at > 0) name = name.substr(0, at);
  for (size_t n; (n = WithoutOneSuffix(name)) < name.size();) name = name.substr(0, n);
  return name;
}

}  // namespace

bool IsMangled(std::string_view name) { return StartsWith(name, "_Z") || StartsWith(name, "_R"); }

std::string Demangle(std::string_view name) {
  const std::string plain(WithoutSuffixes(name));
  if (!IsMangled(plain) || plain.size() > kMaxMangledBytes) return plain;
  constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
  std::string readable;
  try {
    // Rust first: its legacy form (_ZN...17h<16 hex>E) is also valid C++.
    if (rust_demangle_callback(plain.c_str(), kOptions, Append, &readable) != 0 && !readable.empty()) return readable;
    readable.clear();
    if (plain[1] == 'Z' && cplus_demangle_v3_callback(plain.c_str(), kOptions, Append, &readable) != 0 &&
        !readable.empty()) {
      return readable;
    }
  } catch (const OutputLimit&) {
  }
  return plain;
}

}  // namespace heaptally::symbols
