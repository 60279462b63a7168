// The names of generated code: a perf map file (/tmp/perf-PID.map), one line for each piece of code, "START SIZE NAME"
// with hexadecimal numbers, which JIT compilers append to as they go (node --perf-basic-prof, Java's agents, .NET,
// Python's -X perf, LuaJIT).
//
// Addresses are used again: the last line wins, by exact range. What an earlier line said about a range that a later one
// touches is forgotten whole, since that code was thrown away; the rest of its range has no name rather than a stale one.
// The file has no times, so code that was thrown away and replaced before the file was read has its successor's name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/symbolizer.h"

namespace heaptally::symbols {

class PerfMap {
 public:
  // Files above kMostBytes are not read; lines that make no sense are left out and counted.
  static constexpr uint64_t kMostBytes = uint64_t{1} << 28;
  static PerfMap Read(const std::string& path);
  static PerfMap Parse(std::string text);

  // One frame: with a name, or with the reason why not. Valid as long as the map.
  const std::vector<Frame>& At(uint64_t address);
  // "" or what is wrong with the file.
  const std::string& problem() const { return problem_; }
  size_t size() const { return pieces_.size(); }

 private:
  struct Piece {
    uint64_t end;
    size_t name_at, name_bytes;  // in text_
  };
  void AddLine(size_t at, std::string_view line);

  std::string text_;
  std::map<uint64_t, Piece> pieces_;  // by start; disjoint
  uint64_t bad_lines_ = 0;
  std::string problem_;
  std::unordered_map<uint64_t, std::vector<Frame>> cache_;
};

// What a line's name says: V8 ("JS:~work /srv/x.js:3:14", "LazyCompile:*work ...") and Python ("py::work:/srv/x.py") add
// the source file. The line in it is the function's, not the call's, so Frame::line stays 0.
Frame FrameOfPerfName(std::string_view name);

}  // namespace heaptally::symbols
