#include "exporters/folded.h"

#include <map>
#include <string_view>

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

std::string SafeFrame(const std::string& name) {
  std::string out;
  for (size_t at = 0; at < name.size();) {
    const size_t length = CharacterLength(name, at);
    const std::string_view character = std::string_view(name).substr(at, length == 0 ? 1 : length);
    at += character.size();
    if (length == 0 || IsControl(character)) {
      out += '?';
    } else if (character == ";") {
      out += ':';
    } else {
      out += character;
    }
  }
  const size_t first = out.find_first_not_of(' ');
  if (first == std::string::npos) return "?";
  return out.substr(first, out.find_last_not_of(' ') - first + 1);
}

std::string ImageName(const profile::Profile& profile) {
  const std::string name = profile.exe.substr(profile.exe.rfind('/') + 1);
  return (name.empty() ? "(not known)" : name) + (profile.pid != 0 ? " (" + std::to_string(profile.pid) + ")" : "");
}

std::string Folded(const std::vector<profile::Profile>& profiles, analysis::By by, const Wording& wording) {
  std::map<std::string, uint64_t> lines;
  for (const profile::Profile& profile : profiles) {
    const std::string root = profiles.size() > 1 ? SafeFrame(ImageName(profile)) : "";
    const std::vector<uint64_t> values = WholeNumbers(profile, by);
    for (size_t index = 0; index < values.size(); ++index) {
      if (values[index] == 0) continue;
      std::string line = root;
      for (const analysis::StackFrame& frame : ShownStack(profile, profile.sites[index], wording)) {
        line += (line.empty() ? "" : ";") + SafeFrame(wording.whole_name(frame));
      }
      lines[line] += values[index];
    }
  }
  std::string out;
  for (const auto& [line, value] : lines) out += line + " " + std::to_string(value) + "\n";
  return out;
}

}  // namespace heaptally::exporters
