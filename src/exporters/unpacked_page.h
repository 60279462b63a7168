// For tests: the data of a flame page, read back without the page's own script.
#pragma once

#include <zlib.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heaptally::exporters {

inline std::string FromBase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xFF);
  }
  return out;
}

inline std::string Gunzip(const std::string& bytes) {
  z_stream stream{};
  inflateInit2(&stream, 16 + MAX_WBITS);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 1 << 16> piece;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? out : "";
}

struct UnpackedPage {
  explicit UnpackedPage(const std::string& base64) : bytes(Gunzip(FromBase64(base64))) {
    head = nlohmann::json::parse(Text());
    const size_t count = Number();
    std::string all = Text();
    for (size_t from = 0; strings.size() < count;) {
      const size_t end = std::min(all.find('\0', from), all.size());
      strings.push_back(all.substr(from, end - from));
      from = end + 1;
    }
    functions = Number();
    for (auto* names : {&short_names, &whole_names, &files, &modules}) {
      int64_t last = 0;
      for (size_t i = 0; i < functions; ++i) names->push_back(static_cast<size_t>(last += Signed()));
    }
    flags = Numbers(functions);
    const size_t nodes = Number();
    ups = Numbers(nodes);
    node_functions = Numbers(nodes);
    for (size_t i = 0; i < nodes; ++i) line_steps.push_back(Signed());
    further_lines = Numbers(nodes);
    const size_t places = Number();
    place_functions = Numbers(places);
    place_lines = Numbers(places);
    const size_t leaves = Number();
    leaf_steps = Numbers(leaves);
    leaf_places = Numbers(leaves);
    leaf_profiles = Numbers(leaves);
    for (int column = 0; column < head["columns"].get<int>(); ++column) {
      double sum = 0;
      for (const uint64_t proven : Numbers(leaves)) sum += static_cast<double>(proven);
      for (int kind = 0; head["sampled"] && kind < 2; ++kind) {
        for (size_t i = 0; i < leaves; ++i) sum += kind == 0 ? Double() : 0 * Double();
      }
      if (head["sampled"]) Numbers(leaves);
      sums.push_back(sum);
    }
    if (head["sampled"]) floors = Numbers(leaves);
  }

  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  int64_t Signed() {
    const uint64_t value = Number();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  double Double() {
    double value = 0;
    std::memcpy(&value, bytes.substr(at, sizeof(value)).data(), sizeof(value));
    at += sizeof(value);
    return value;
  }
  std::string Text() {
    const size_t length = Number();
    at += length;
    return bytes.substr(at - length, length);
  }
  std::vector<uint64_t> Numbers(size_t count) {
    std::vector<uint64_t> out;
    for (size_t i = 0; i < count; ++i) out.push_back(Number());
    return out;
  }
  bool AtEnd() const { return at == bytes.size(); }

  std::string bytes;
  size_t at = 0, functions = 0;
  nlohmann::json head;
  std::vector<std::string> strings;
  std::vector<size_t> short_names, whole_names, files, modules;
  std::vector<uint64_t> flags, ups, node_functions, further_lines, place_functions, place_lines, leaf_steps, leaf_places, leaf_profiles, floors;
  std::vector<int64_t> line_steps;
  std::vector<double> sums;  // of each column
};

}  // namespace heaptally::exporters
