#include "cli/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace heaptally::cli {
namespace {

// Length of the valid UTF-8 sequence at `at`, 0 if there is none.
size_t SequenceLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t index) { return static_cast<uint8_t>(text[index]); };
  const uint8_t lead = byte(at);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t next = 1; next < length; ++next) {
    if ((byte(at + next) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(at + 1) < 0xa0) return 0;                                              // overlong
  if (lead == 0xed && byte(at + 1) >= 0xa0) return 0;                                             // surrogate
  if ((lead == 0xf0 && byte(at + 1) < 0x90) || (lead == 0xf4 && byte(at + 1) >= 0x90)) return 0;  // overlong, too large
  return length;
}

bool IsControl(std::string_view text, size_t at, size_t length) {
  const auto lead = static_cast<uint8_t>(text[at]);
  if (length == 1) return lead < 0x20 || lead == 0x7f;
  if (length == 2) return lead == 0xc2 && static_cast<uint8_t>(text[at + 1]) < 0xa0;
  if (length != 3 || lead != 0xe2) return false;
  // U+2028-202E and U+2066-2069: line separators and bidirectional overrides, which rearrange what follows.
  const auto second = static_cast<uint8_t>(text[at + 1]);
  const auto third = static_cast<uint8_t>(text[at + 2]);
  return (second == 0x80 && third >= 0xa8 && third <= 0xae) || (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

// Byte offset of the code point number `count`, or the end.
size_t OffsetOf(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size()) {
    if ((static_cast<uint8_t>(text[at]) & 0xc0) != 0x80 && count-- == 0) break;
    ++at;
  }
  return at;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceLength(text, at);
    if (length == 0 || IsControl(text, at, length)) {
      out += '?';
      at += length == 0 ? 1 : length;
    } else {
      out.append(text.substr(at, length));
      at += length;
    }
  }
  return out;
}

size_t Width(std::string_view text) {
  size_t width = 0;
  for (const char byte : text) width += (static_cast<uint8_t>(byte) & 0xc0) != 0x80 ? 1 : 0;
  return width;
}

std::string FitName(std::string_view text, size_t width) {
  const size_t have = Width(text);
  if (have <= width) return std::string(text) + std::string(width - have, ' ');
  if (width == 0) return "";
  return std::string(text.substr(0, OffsetOf(text, width - 1))) + "…";
}

std::string FitPath(std::string_view text, size_t width) {
  const size_t have = Width(text);
  if (have <= width) return std::string(text) + std::string(width - have, ' ');
  if (width == 0) return "";
  return "…" + std::string(text.substr(OffsetOf(text, have - (width - 1))));
}

std::string FitFunction(std::string_view text, size_t width) {
  const size_t have = Width(text);
  if (have <= width || width < 4) return FitName(text, width);
  const size_t colons = text.rfind("::");
  const size_t end = colons == std::string_view::npos ? 0 : Width(text.substr(colons));
  const size_t last = end > 0 && end + 3 <= width ? end : (width - 1) / 2;
  const size_t first = width - 1 - last;
  return std::string(text.substr(0, OffsetOf(text, first))) + "…" +
         std::string(text.substr(OffsetOf(text, have - last)));
}

namespace {

// Names `from` to `to`, behind links.
std::string Linked(const std::vector<std::string_view>& names, size_t from, size_t to, const std::string& link) {
  std::string out;
  for (size_t at = from; at < to; ++at) out += (at > from ? link : "") + std::string(names[at]);
  return out;
}

}  // namespace

std::string FitChain(std::string_view text, size_t width) {
  if (Width(text) <= width) return FitName(text, width);
  const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  std::vector<std::string_view> names;
  std::string_view rest = text.substr(blanks);
  const bool outwards = rest.find(" < ") < rest.find(" > ");
  const std::string link = outwards ? " < " : " > ";
  for (size_t at = rest.find(link, 1); at != std::string_view::npos; at = rest.find(link, 1)) {
    names.push_back(rest.substr(0, at));
    rest.remove_prefix(at + link.size());
  }
  names.push_back(rest);
  const std::string lead(blanks, ' ');
  for (size_t left = names.size() - 1; left-- > 1;) {
    const std::string shorter =
        outwards ? lead + Linked(names, 0, left, link) + link + "…"
                 : lead + std::string(names[0]) + link + "…" + link +
                       Linked(names, names.size() - left, names.size(), link);
    if (Width(shorter) <= width) return FitName(shorter, width);
  }
  const std::string before = lead + (names.size() > 1 && !outwards ? "…" + link : "");
  const std::string behind = names.size() > 1 && outwards ? link + "…" : "";
  const size_t around = Width(before) + Width(behind);
  if (around + 8 > width) return FitFunction(text, width);
  const std::string_view name = outwards ? names.front() : names.back();
  if (Width(name) + around <= width) return FitName(before + std::string(name) + behind, width);
  return before + FitFunction(name, width - around) + behind;
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t have = Width(text);
  return (have < width ? std::string(width - have, ' ') : "") + std::string(text);
}

namespace {

bool IsUnit(std::string_view word) {
  while (!word.empty() && std::string_view(",;.:)").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  constexpr std::string_view kUnits[] = {"B",  "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "%",  "k",
                                         "M",  "G",   "ns",  "us",  "ms",  "s",   "min", "h"};
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

// Up to the space where a line may end: not between a number and its unit.
size_t WordEnd(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == 0 || space == std::string_view::npos || text[space - 1] < '0' || text[space - 1] > '9') return space;
  const size_t next = text.find(' ', space + 1);
  const size_t length = next == std::string_view::npos ? next : next - space - 1;
  return IsUnit(text.substr(space + 1, length)) ? next : space;
}

}  // namespace

std::string Wrap(std::string_view text, size_t width, size_t indent) {
  const size_t lead = std::min(text.find_first_not_of(' '), text.size());
  std::string out(lead, ' ');  // a text may begin indented
  text.remove_prefix(lead);
  size_t column = 0;
  while (!text.empty()) {
    const size_t space = WordEnd(text);
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (column == 0) {
      column = lead;
    } else if (column + 1 + Width(word) > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += Width(word);
  }
  return out;
}

std::string WrapParts(const std::vector<std::string>& parts, size_t width, size_t indent) {
  constexpr char kHeld = '\x01';  // a space that is no place to break; Printable() texts never hold it
  std::string joined;
  for (std::string part : parts) {
    if (Width(part) + indent <= width) std::replace(part.begin(), part.end(), ' ', kHeld);
    joined += (joined.empty() ? "" : " ") + part;
  }
  std::string out = Wrap(joined, width, indent);
  std::replace(out.begin(), out.end(), kHeld, ' ');
  return out;
}

std::string LabelCell(std::string_view label) { return FitName(label, std::max<size_t>(15, Width(label) + 2)); }

std::string Labelled(std::string_view label, std::string_view text, size_t width) {
  const std::string cell = LabelCell(label);
  const size_t indent = 2 + Width(cell);
  // Wrapped together with something as wide as the label, which is then replaced by it.
  const std::string wrapped = Wrap(std::string(indent - 1, '.') + " " + std::string(text), width, indent);
  return "  " + cell + wrapped.substr(indent) + "\n";
}

std::string ShellQuoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char letter : Printable(word)) out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

std::string ShellQuoted(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + ShellQuoted(word);
  return out;
}

size_t TerminalWidth(int descriptor, size_t fallback) {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const long value = std::strtol(columns, nullptr, 10);
    if (value >= 40 && value <= 1000) return static_cast<size_t>(value);
  }
  winsize size{};
  if (isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return fallback;
}

size_t TerminalRows(int descriptor) {
  winsize size{};
  return isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

}  // namespace heaptally::cli
