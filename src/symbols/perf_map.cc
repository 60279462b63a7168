#include "symbols/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>

namespace heaptally::symbols {
namespace {

bool TakeHex(std::string_view* text, uint64_t* number) {
  if (text->starts_with("0x") || text->starts_with("0X")) text->remove_prefix(2);
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), *number, 16);
  const auto used = static_cast<size_t>(parsed.ptr - text->data());
  if (parsed.ec != std::errc() || used == text->size() || (*text)[used] != ' ') return false;
  text->remove_prefix(used + 1);
  return true;
}

// Removes ":123" at the end; false if there is none.
bool DropNumber(std::string_view* text) {
  const size_t colon = text->rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text->size()) return false;
  for (const char c : text->substr(colon + 1)) {
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  }
  text->remove_suffix(text->size() - colon);
  return true;
}

// "KIND:" and one mark of how far it was optimised, then "NAME FILE:LINE:COLUMN".
bool TakeV8(std::string_view name, Frame* frame) {
  constexpr std::array<std::string_view, 6> kKinds = {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "Module:"};
  for (const std::string_view kind : kKinds) {
    if (!name.starts_with(kind)) continue;
    name.remove_prefix(kind.size());
    if (!name.empty() && std::string_view("~*^+'").find(name[0]) != std::string_view::npos) name.remove_prefix(1);
    std::string_view place = name;
    if (DropNumber(&place) && DropNumber(&place)) {
      const size_t space = place.find(' ');
      if (space == std::string_view::npos) return false;
      frame->function = place.substr(0, space);
      frame->file = place.substr(space + 1);
    } else {
      frame->function = name.substr(0, name.find_last_not_of(' ') + 1);
    }
    if (frame->function.empty()) frame->function = "(anonymous)";
    return true;
  }
  return false;
}

bool TakePython(std::string_view name, Frame* frame) {
  if (!name.starts_with("py::")) return false;
  name.remove_prefix(4);
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  frame->function = name.substr(0, colon);
  frame->file = name.substr(colon + 1);
  return true;
}

}  // namespace

Frame FrameOfPerfName(std::string_view name) {
  Frame frame;
  if (!TakeV8(name, &frame) && !TakePython(name, &frame)) frame.function = name;
  return frame;
}

PerfMap PerfMap::Read(const std::string& path) {
  PerfMap map;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    map.problem_ = "the perf map cannot be read";
  } else if (static_cast<uint64_t>(status.st_size) > kMostBytes) {
    map.problem_ = "the perf map is larger than 256 MiB";
  } else {
    std::string text(static_cast<size_t>(status.st_size), '\0');
    size_t at = 0;
    for (ssize_t n = 1; n > 0 && at < text.size(); at += static_cast<size_t>(n)) {
      n = pread(descriptor, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (n < 0) break;
    }
    text.resize(at);
    map = Parse(std::move(text));
  }
  if (descriptor >= 0) close(descriptor);
  return map;
}

PerfMap PerfMap::Parse(std::string text) {
  PerfMap map;
  map.text_ = std::move(text);
  const std::string_view whole = map.text_;
  for (size_t at = 0; at < whole.size();) {
    size_t end = whole.find('\n', at);
    if (end == std::string_view::npos) break;  // still being written
    map.AddLine(at, whole.substr(at, end - at));
    at = end + 1;
  }
  if (map.bad_lines_ != 0) map.problem_ = std::to_string(map.bad_lines_) + " lines of the perf map make no sense";
  return map;
}

void PerfMap::AddLine(size_t at, std::string_view line) {
  std::string_view rest = line;
  uint64_t start = 0, bytes = 0;
  if (!TakeHex(&rest, &start) || !TakeHex(&rest, &bytes) || rest.empty() || start + bytes < start) {
    bad_lines_ += !line.empty();
    return;
  }
  if (bytes == 0) return;
  const uint64_t end = start + bytes;
  auto first = pieces_.upper_bound(start);
  if (first != pieces_.begin() && std::prev(first)->second.end > start) --first;
  auto last = first;
  while (last != pieces_.end() && last->first < end) ++last;
  pieces_.erase(first, last);
  pieces_[start] = {end, at + (line.size() - rest.size()), rest.size()};
}

const std::vector<Frame>& PerfMap::At(uint64_t address) {
  auto [it, is_new] = cache_.try_emplace(address);
  if (!is_new) return it->second;
  auto piece = pieces_.upper_bound(address);
  Frame frame;
  if (piece != pieces_.begin() && address < (--piece)->second.end) {
    frame = FrameOfPerfName(std::string_view(text_).substr(piece->second.name_at, piece->second.name_bytes));
  } else {
    frame.why = problem_.empty() ? "neither a module nor the perf map covers this address" : problem_;
  }
  it->second.push_back(std::move(frame));
  return it->second;
}

}  // namespace heaptally::symbols
