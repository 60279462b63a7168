// Runs a fuzz harness without a fuzzer: `replay [--mutate ROUNDS [SEED]] FILE|FOLDER...` feeds it each file, and then,
// with --mutate, ROUNDS damaged copies of each: bytes changed, runs copied or zeroed, ends cut. The same seed gives the
// same inputs. Before each damaged copy is tried it is written to a file of the temporary folder, which is named at the
// start and removed at the end, so that a crash leaves its cause, and where that is.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

Bytes Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

void Damage(Bytes* bytes, std::mt19937_64* random) {
  auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>((*random)() % n); };
  constexpr uint8_t kInteresting[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x20};
  for (size_t edits = 1 + below(8); edits > 0 && !bytes->empty(); --edits) {
    const size_t at = below(bytes->size());
    const size_t run = 1 + below(std::min<size_t>(16, bytes->size() - at));
    switch (below(8)) {
      case 0:
        (*bytes)[at] = static_cast<uint8_t>((*random)());
        break;
      case 1:
        (*bytes)[at] ^= static_cast<uint8_t>(1u << below(8));
        break;
      case 2:
        memset(bytes->data() + at, kInteresting[below(sizeof kInteresting)], run);
        break;
      case 3:
        memmove(bytes->data() + at, bytes->data() + below(bytes->size() - run + 1), run);
        break;
      case 4:
        if (below(16) == 0) bytes->resize(at);
        break;
      default:
        (*bytes)[at] = kInteresting[below(sizeof kInteresting)];
    }
  }
}

// Where the input is that is being tried. Several replays may run at a time.
std::filesystem::path LastInput() {
  return std::filesystem::temp_directory_path() / ("replay-last-input." + std::to_string(getpid()));
}

void Run(const std::filesystem::path& path, unsigned long rounds, uint64_t seed) {
  const Bytes bytes = Read(path);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  std::mt19937_64 random(seed);
  for (unsigned long i = 0; i < rounds; ++i) {
    Bytes damaged = bytes;
    Damage(&damaged, &random);
    std::ofstream(LastInput(), std::ios::binary)
        .write(reinterpret_cast<const char*>(damaged.data()), static_cast<std::streamsize>(damaged.size()));
    LLVMFuzzerTestOneInput(damaged.data(), damaged.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long rounds = 0;
  uint64_t seed = 1;
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--mutate") == 0) {
    rounds = strtoul(argv[2], nullptr, 10);
    first = 3;
    if (argc > 3 && argv[3][0] >= '0' && argv[3][0] <= '9') seed = strtoull(argv[first++], nullptr, 10);
  }
  if (rounds > 0) fprintf(stderr, "the input that is tried: %s\n", LastInput().c_str());
  size_t files = 0;
  for (int i = first; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      Run(argv[i], rounds, seed);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      Run(entry.path(), rounds, seed);
      ++files;
    }
  }
  std::error_code none;
  std::filesystem::remove(LastInput(), none);
  printf("%zu files, %lu damaged copies of each\n", files, rounds);
  return files == 0;
}
