#include "symbols/compression.h"

#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace heaptally::symbols {
namespace {

// Uninitialised, so that a lie about the size costs address space and not memory.
std::unique_ptr<char[]> Allocate(uint64_t size) { return std::unique_ptr<char[]>(new (std::nothrow) char[size]); }

}  // namespace

Inflated InflateZstd(std::string_view compressed, uint64_t size) {
  if (size == 0 || size > kMaxInflatedBytes) return {};
  Inflated out{Allocate(size), size};
  if (out.bytes == nullptr) return {};
  const size_t n = ZSTD_decompress(out.bytes.get(), size, compressed.data(), compressed.size());
  if (ZSTD_isError(n) || n != size) return {};
  return out;
}

Inflated InflateXz(std::string_view compressed, uint64_t max_bytes) {
  constexpr uint64_t kMaxDecoderBytes = uint64_t{128} << 20;
  for (uint64_t room = std::min<uint64_t>(compressed.size() * 8 + 4096, max_bytes);;
       room = std::min(room * 4, max_bytes)) {
    Inflated out{Allocate(room), 0};
    if (out.bytes == nullptr) return {};
    uint64_t limit = kMaxDecoderBytes;
    size_t in_at = 0;
    const lzma_ret status =
        lzma_stream_buffer_decode(&limit, 0, nullptr, reinterpret_cast<const uint8_t*>(compressed.data()), &in_at,
                                  compressed.size(), reinterpret_cast<uint8_t*>(out.bytes.get()), &out.size, room);
    if (status == LZMA_OK) return out;
    if (status != LZMA_BUF_ERROR || room == max_bytes) return {};
  }
}

}  // namespace heaptally::symbols
