// The wire format of Protocol Buffers, as far as writing needs it: varints, length-delimited fields, packed integers.
// (protobuf.dev/programming-guides/encoding)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heaptally::exporters {

class ProtobufWriter {
 public:
  // A field with the value 0 is left out, as proto3 has it.
  void Integer(uint32_t field, uint64_t value) {
    if (value == 0) return;
    Varint(uint64_t{field} << 3);
    Varint(value);
  }

  // A string, or a message that was written by another writer.
  void Bytes(uint32_t field, std::string_view bytes) {
    Varint(uint64_t{field} << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
  }

  void Packed(uint32_t field, const std::vector<uint64_t>& values) {
    if (values.empty()) return;
    ProtobufWriter inner;
    for (const uint64_t value : values) inner.Varint(value);
    Bytes(field, inner.bytes_);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace heaptally::exporters
