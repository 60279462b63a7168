// A cursor over bytes that may be hostile: it never moves past its end. A read that does not fit returns 0 and makes
// the reader fail for good, so that callers check once, after a run of reads.
#pragma once

#include <cstdint>

namespace heaptally::unwind {

// Readable memory: [start, end).
struct Bytes {
  const uint8_t* start = nullptr;
  const uint8_t* end = nullptr;

  bool Contains(const uint8_t* at) const { return at >= start && at < end; }
};

// DW_EH_PE: low four bits are the format, the next three say to what the value is relative, the top bit means indirect.
inline constexpr uint8_t kEncodingOmit = 0xff;

class ByteReader {
 public:
  ByteReader(const uint8_t* at, const uint8_t* end) : at_(at), end_(end), ok_(at <= end) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return !ok_ || at_ == end_; }
  const uint8_t* at() const { return at_; }
  const uint8_t* end() const { return end_; }
  uint64_t left() const { return ok_ ? static_cast<uint64_t>(end_ - at_) : 0; }

  void Fail() { ok_ = false; }

  void Skip(uint64_t count) {
    if (count > left()) {
      Fail();
    } else {
      at_ += count;
    }
  }

  // Little-endian integers of the width of T, of any alignment.
  template <typename T>
  T Read() {
    if (left() < sizeof(T)) {
      Fail();
      return 0;
    }
    T value;
    __builtin_memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  uint64_t ReadUleb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
      byte = Read<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
    } while (ok_ && (byte & 0x80) != 0);
    return value;
  }

  int64_t ReadSleb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
      byte = Read<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
    } while (ok_ && (byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

  // A pointer with a DW_EH_PE encoding. Relative to the place of the pointer (pcrel), to `data_base` (datarel), or
  // absolute. The indirect bit is not followed: the caller only ever wants values that are direct.
  uint64_t ReadEncoded(uint8_t encoding, uint64_t data_base) {
    const uint64_t place = reinterpret_cast<uint64_t>(at_);
    const uint64_t value = ReadFormat(encoding & 0x0f);
    switch (encoding & 0x70) {
      case 0x00:
        return value;
      case 0x10:
        return place + value;
      case 0x30:
        return data_base + value;
      default:
        Fail();
        return 0;
    }
  }

  // The value of one encoded pointer, without its base: FDEs store lengths so.
  uint64_t ReadFormat(uint8_t format) {
    switch (format) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return Read<uint64_t>();
      case 0x01:
        return ReadUleb();
      case 0x02:
        return Read<uint16_t>();
      case 0x03:
        return Read<uint32_t>();
      case 0x09:
        return static_cast<uint64_t>(ReadSleb());
      case 0x0a:
        return static_cast<uint64_t>(int64_t{Read<int16_t>()});
      case 0x0b:
        return static_cast<uint64_t>(int64_t{Read<int32_t>()});
      default:
        Fail();
        return 0;
    }
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_;
};

}  // namespace heaptally::unwind
