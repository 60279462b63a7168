// Decompression that libelf 0.188 lacks: zstd debug sections (binutils 2.40, LLVM 15), and the xz-packed symbol table
// of MiniDebugInfo (.gnu_debugdata). zlib sections are libelf's own work.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace heaptally::symbols {

struct Inflated {
  std::unique_ptr<char[]> bytes;  // null if the input is damaged or larger than allowed
  size_t size = 0;
};

constexpr uint64_t kMaxInflatedBytes = uint64_t{1} << 32;

// One zstd frame (or several) that must give exactly `size` bytes.
Inflated InflateZstd(std::string_view compressed, uint64_t size);

// An .xz stream that gives at most `max_bytes`.
Inflated InflateXz(std::string_view compressed, uint64_t max_bytes);

}  // namespace heaptally::symbols
