// Columns of numbers as bytes: LEB128 varints, and doubles as they lie in memory (little endian). Each column by itself, so
// that like stands beside like and compresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heaptally::exporters {

class ColumnWriter {
 public:
  void Number(uint64_t number);
  // Small differences in both directions: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  void Signed(int64_t number);
  void Double(double number);
  void Text(const std::string& text);  // its length in bytes, and the bytes

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// RFC 4648 with padding.
std::string Base64(const std::string& bytes);

}  // namespace heaptally::exporters
