#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

// Length of the well-formed UTF-8 character at `at`, 0 if there is none: no overlong forms, no surrogates, nothing
// beyond U+10FFFF (Unicode 15, table 3-7).
size_t CharacterLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(at), second = byte(at + 1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(at + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool odd = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F);
    return !odd && follows(at + 1) && follows(at + 2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool odd = (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return !odd && follows(at + 1) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

// C0, DEL, C1, and the two characters at which some readers end a line (U+2028, U+2029).
bool IsControl(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  return character == "\u2028" || character == "\u2029";
}

}  // namespace

std::string SafeText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = CharacterLength(text, at);
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    at += character.size();
    if (length == 0 || IsControl(character)) {
      out += '?';
    } else {
      out += character;
    }
  }
  return out;
}

}  // namespace heaptally::exporters
