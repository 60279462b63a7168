#include "exporters/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace heaptally::exporters {

std::string Gzip(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16, kMemory = 8;
  constexpr size_t kPiece = size_t{1} << 30;  // zlib counts in 32 bits
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib has no memory to compress with");
  }
  std::string out;
  char room[1 << 16];
  int result = Z_OK;
  do {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const size_t piece = std::min(bytes.size(), kPiece);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(piece);
      bytes.remove_prefix(piece);
    }
    stream.next_out = reinterpret_cast<Bytef*>(room);
    stream.avail_out = sizeof room;
    result = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(room, sizeof room - stream.avail_out);
  } while (result == Z_OK || result == Z_BUF_ERROR);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("zlib cannot compress");
  return out;
}

}  // namespace heaptally::exporters
