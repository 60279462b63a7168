// Builds .eh_frame records for the parser's tests, byte by byte. For tests only.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "unwind/byte_reader.h"

namespace heaptally::unwind {

class FrameBytes {
 public:
  FrameBytes& U8(uint8_t value) {
    bytes_.push_back(value);
    return *this;
  }

  template <typename T>
  FrameBytes& Put(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }

  FrameBytes& Add(std::initializer_list<uint8_t> values) {
    bytes_.insert(bytes_.end(), values);
    return *this;
  }

  FrameBytes& Uleb(uint64_t value) {
    while (value >= 0x80) {
      U8(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    return U8(static_cast<uint8_t>(value));
  }

  FrameBytes& Text(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return U8(0);
  }

  // The usual CIE: code alignment 1, data alignment -8, return address in column 16, absolute 8-byte pointers; at entry
  // the CFA is rsp+8 and the return address is at CFA-8.
  FrameBytes& Cie(std::string_view augmentation = "zR", std::initializer_list<uint8_t> program = kEntryRow) {
    const size_t record = Open();
    Put<uint32_t>(0).U8(1).Text(augmentation).Uleb(1).U8(0x78).Uleb(16);
    if (augmentation.starts_with('z')) {
      Uleb(augmentation.find('R') != std::string_view::npos ? 1 : 0);
      if (augmentation.find('R') != std::string_view::npos) U8(0);
    }
    Add(program);
    return Close(record);
  }

  // An FDE for [start, start + length) whose CIE is the record at `cie`.
  FrameBytes& Fde(size_t cie, uint64_t start, uint64_t length, std::initializer_list<uint8_t> program,
                  bool augmented = true) {
    const size_t record = Open();
    Put<uint32_t>(static_cast<uint32_t>(bytes_.size() - cie)).Put(start).Put(length);
    if (augmented) Uleb(0);
    Add(program);
    return Close(record);
  }

  size_t Open() {
    const size_t record = bytes_.size();
    Put<uint32_t>(0);
    return record;
  }

  FrameBytes& Close(size_t record) {
    const auto length = static_cast<uint32_t>(bytes_.size() - record - 4);
    std::memcpy(bytes_.data() + record, &length, sizeof(length));
    return *this;
  }

  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t>& bytes() { return bytes_; }

  static constexpr std::initializer_list<uint8_t> kEntryRow = {0x0c, 7, 8, 0x90, 1};

 private:
  std::vector<uint8_t> bytes_;
};

// A copy that ends exactly at the end of a heap block, so that a sanitizer sees a read beyond it.
class ExactCopy {
 public:
  explicit ExactCopy(const std::vector<uint8_t>& bytes, size_t size)
      : size_(size), block_(new uint8_t[size > 0 ? size : 1]) {
    std::memcpy(block_.get(), bytes.data(), size);
  }
  explicit ExactCopy(const std::vector<uint8_t>& bytes) : ExactCopy(bytes, bytes.size()) {}

  Bytes section() const { return {block_.get(), block_.get() + size_}; }
  const uint8_t* at(size_t offset) const { return block_.get() + offset; }

 private:
  size_t size_;
  std::unique_ptr<uint8_t[]> block_;
};

}  // namespace heaptally::unwind
