// For tests: takes a message apart that protobuf_writer.h wrote. Wrong input ends the test by an exception.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heaptally::exporters {

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) {
    while (!bytes.empty()) {
      const uint64_t key = TakeVarint(&bytes);
      const auto field = static_cast<uint32_t>(key >> 3);
      if ((key & 7) == 0) {
        integers_[field].push_back(TakeVarint(&bytes));
      } else if ((key & 7) == 2) {
        const uint64_t size = TakeVarint(&bytes);
        messages_[field].push_back(std::string(bytes.substr(0, size)));
        bytes.remove_prefix(size);
      } else {
        throw std::runtime_error("wire type");
      }
    }
  }

  uint64_t Integer(uint32_t field) const { return integers_.count(field) != 0 ? integers_.at(field).back() : 0; }
  size_t IntegerCount(uint32_t field) const { return integers_.count(field) != 0 ? integers_.at(field).size() : 0; }
  std::vector<std::string> Bytes(uint32_t field) const {
    return messages_.count(field) != 0 ? messages_.at(field) : std::vector<std::string>();
  }
  std::vector<ProtobufReader> Messages(uint32_t field) const {
    std::vector<ProtobufReader> out;
    for (const std::string& bytes : Bytes(field)) out.emplace_back(bytes);
    return out;
  }
  std::vector<uint64_t> Packed(uint32_t field) const {
    std::vector<uint64_t> out;
    for (const std::string& bytes : Bytes(field)) {
      for (std::string_view rest = bytes; !rest.empty();) out.push_back(TakeVarint(&rest));
    }
    return out;
  }

 private:
  static uint64_t TakeVarint(std::string_view* bytes) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes->at(0));
      bytes->remove_prefix(1);
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
  }

  std::map<uint32_t, std::vector<uint64_t>> integers_;
  std::map<uint32_t, std::vector<std::string>> messages_;
};

}  // namespace heaptally::exporters
