#include "exporters/column_writer.h"

#include <bit>
#include <cstring>

namespace heaptally::exporters {

static_assert(std::endian::native == std::endian::little);

void ColumnWriter::Number(uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
  bytes_ += static_cast<char>(number);
}

void ColumnWriter::Signed(int64_t number) {
  Number(static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63));
}

void ColumnWriter::Double(double number) {
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(number));
  bytes_.append(raw, sizeof(raw));
}

void ColumnWriter::Text(const std::string& text) {
  Number(text.size());
  bytes_ += text;
}

std::string Base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](size_t i) { return i < bytes.size() ? uint32_t{static_cast<unsigned char>(bytes[i])} : 0u; };
    const uint32_t three = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    for (int digit = 0; digit < 4; ++digit) out += kDigits[three >> (18 - 6 * digit) & 63];
  }
  const size_t over = (3 - bytes.size() % 3) % 3;
  out.replace(out.size() - over, over, over, '=');
  return out;
}

}  // namespace heaptally::exporters
