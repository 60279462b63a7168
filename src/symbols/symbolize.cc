// A small program to try and time the symbolizer on any file: `symbolize FILE ADDRESS...` prints the frames of ELF
// virtual addresses (hexadecimal, exact), innermost first; `symbolize --spread N FILE` looks up N addresses that are
// spread evenly over the file's code, and prints the time and how many were named.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "symbols/elf_image.h"
#include "symbols/symbolizer.h"

namespace {

using heaptally::symbols::CodeRange;
using heaptally::symbols::ElfImage;
using heaptally::symbols::Frame;
using heaptally::symbols::Symbolizer;

std::vector<uint64_t> Spread(const std::string& path, size_t n) {
  std::string problem;
  auto image = ElfImage::Open(path, &problem);
  std::vector<uint64_t> addresses;
  if (image == nullptr) return addresses;
  uint64_t total = 0;
  for (const CodeRange& range : image->code()) total += range.high - range.low;
  const uint64_t step = std::max<uint64_t>(total / n, 1);
  for (const CodeRange& range : image->code()) {
    for (uint64_t at = range.low; at < range.high && addresses.size() < n; at += step) addresses.push_back(at);
  }
  return addresses;
}

int Time(const std::string& path, size_t n) {
  const std::vector<uint64_t> addresses = Spread(path, n);
  const auto start = std::chrono::steady_clock::now();
  Symbolizer symbolizer;
  const uint32_t module = symbolizer.AddModule({path, "", ""});
  size_t named = 0, with_line = 0, frames = 0;
  for (uint64_t address : addresses) {
    const std::vector<Frame>& found = symbolizer.Lookup(module, address, false);
    named += !found.back().function.empty();
    with_line += found.front().line != 0;
    frames += found.size();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printf("%zu addresses, %zu named, %zu with a line, %zu frames, %.3f s\n", addresses.size(), named, with_line, frames,
         seconds);
  const std::string problem = symbolizer.ModuleProblem(module);
  if (!problem.empty()) printf("problem: %s\n", problem.c_str());
  return 0;
}

int Print(const std::string& path, char** addresses, int n) {
  Symbolizer symbolizer;
  const uint32_t module = symbolizer.AddModule({path, "", ""});
  for (int i = 0; i < n; ++i) {
    printf("%s\n", addresses[i]);
    for (const Frame& frame : symbolizer.Lookup(module, strtoull(addresses[i], nullptr, 16), false)) {
      printf("  %s%s at %s:%u%s\n", frame.function.empty() ? frame.why.c_str() : frame.function.c_str(), "",
             frame.file.c_str(), frame.line, frame.inlined ? " (inlined)" : "");
    }
  }
  const std::string problem = symbolizer.ModuleProblem(module);
  if (!problem.empty()) printf("problem: %s\n", problem.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && strcmp(argv[1], "--spread") == 0) return Time(argv[3], strtoull(argv[2], nullptr, 10));
  if (argc >= 3) return Print(argv[1], argv + 2, argc - 2);
  fprintf(stderr, "usage: symbolize FILE ADDRESS...\n       symbolize --spread N FILE\n");
  return 2;
}
