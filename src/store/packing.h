// Numbers and text in as few bytes as they need: what the blobs of a capture are made of (docs/capture.md has the
// grammar).
//
// Unpacker reads bytes that anybody may have written. It never reads past the end; after the first fault it gives zeros
// and ok() is false, so a decoder checks once at its end and in each loop.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace heaptally::store {

class Packer {
 public:
  // LEB128: seven bits a byte, least significant first.
  void Number(uint64_t number) {
    while (number >= 0x80) {
      bytes_.push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    bytes_.push_back(static_cast<char>(number));
  }
  // Small in both directions from 0 (zigzag).
  void Signed(int64_t number) { Number((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63)); }
  // Eight bytes, least significant first: the double's own bits.
  void Real(double number) {
    const auto bits = std::bit_cast<uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(bits >> shift));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_.append(text);
  }

  // Bytes that are packed already.
  void Append(std::string_view bytes) { bytes_.append(bytes); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      number |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return number;
    }
    ok_ = false;
    return 0;
  }
  int64_t Signed() {
    const uint64_t number = Number();
    return static_cast<int64_t>((number >> 1) ^ (0 - (number & 1)));
  }
  double Real() {
    uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 8) bits |= uint64_t{Byte()} << shift;
    return std::bit_cast<double>(bits);
  }
  std::string Text() {
    const uint64_t length = Number();
    if (length > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return text;
  }
  // A number of things that take at least a byte each.
  uint64_t Count() {
    const uint64_t count = Number();
    if (count > rest_.size()) ok_ = false;
    return ok_ ? count : 0;
  }
  // A number below `limit`.
  uint64_t Below(uint64_t limit) {
    const uint64_t number = Number();
    if (number >= limit) ok_ = false;
    return ok_ ? number : 0;
  }
  void Fail() { ok_ = false; }

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  uint8_t Byte() {
    if (rest_.empty()) ok_ = false;
    if (!ok_) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace heaptally::store
