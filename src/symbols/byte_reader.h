// Reads little-endian numbers from bytes that may be cut short anywhere. Past the end every read gives 0 and the reader
// stays failed, so that a parser checks once at its end instead of at every step.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace heaptally::symbols {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return !ok_ || at_ >= bytes_.size(); }
  size_t position() const { return at_; }
  size_t left() const { return ok_ ? bytes_.size() - at_ : 0; }

  void Fail() { ok_ = false; }
  // To an offset of the bytes.
  void Seek(uint64_t position) {
    if (position > bytes_.size()) {
      ok_ = false;
    } else {
      at_ = position;
    }
  }
  void Skip(uint64_t n) {
    if (Need(n)) at_ += n;
  }

  // n is at most 8.
  uint64_t Fixed(size_t n) {
    if (!Need(n)) return 0;
    uint64_t value = 0;
    memcpy(&value, bytes_.data() + at_, n);
    at_ += n;
    return value;
  }
  uint8_t U8() {
    if (!Need(1)) return 0;
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t Uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = U8();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  int64_t Sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const uint8_t byte = U8();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if (shift < 64 && (byte & 0x40)) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  // A zero-terminated string, without its zero.
  std::string_view CString() {
    if (!ok_) return {};
    const size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }
  std::string_view Block(uint64_t n) {
    if (!Need(n)) return {};
    std::string_view block = bytes_.substr(at_, n);
    at_ += n;
    return block;
  }

 private:
  bool Need(uint64_t n) {
    if (ok_ && n <= bytes_.size() - at_) return true;
    ok_ = false;
    return false;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace heaptally::symbols
