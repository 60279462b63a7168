// A hostile ELF file: opening it and asking for names at its entry, at its ends and all over its code must neither
// crash nor hang, and each answer must keep the contract (at least one frame; a name or a reason; the physical
// function last).
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "symbols/display.h"
#include "symbols/elf_image.h"
#include "symbols/symbolizer.h"

namespace {

using heaptally::symbols::CodeRange;
using heaptally::symbols::ElfImage;
using heaptally::symbols::Frame;
using heaptally::symbols::Symbolizer;
using heaptally::symbols::SymbolizerOptions;

std::vector<uint64_t> AddressesToAsk(const std::string& path) {
  std::vector<uint64_t> addresses = {0, 1, UINT64_MAX};
  std::string problem;
  auto image = ElfImage::Open(path, &problem);
  if (image == nullptr) return addresses;
  size_t ranges = 0;
  for (const CodeRange& range : image->code()) {
    if (++ranges > 8) break;
    for (uint64_t i = 0; i < 16; ++i) addresses.push_back(range.low + (range.high - range.low) / 16 * i);
    for (uint64_t i = 0; i < 64; ++i) addresses.push_back(range.low + i * 4);
    addresses.push_back(range.high);
  }
  return addresses;
}

void Check(const std::vector<Frame>& frames) {
  if (frames.empty() || frames.back().inlined) abort();
  for (const Frame& frame : frames) {
    if (frame.function.empty() == frame.why.empty()) abort();
    heaptally::symbols::ShortenTemplates(frame.function);
    heaptally::symbols::IsPlumbing(frame.function);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > (1 << 20)) return 0;
  const int fd = memfd_create("input", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) abort();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  {
    SymbolizerOptions options;
    options.debug_roots.clear();
    Symbolizer symbolizer(options);
    const uint32_t module = symbolizer.AddModule({path, "", ""});
    for (uint64_t address : AddressesToAsk(path)) {
      for (bool is_call : {false, true}) Check(symbolizer.Lookup(module, address, is_call));
    }
    symbolizer.ModuleProblem(module);
  }
  close(fd);
  return 0;
}
