// Writes gperftools' own heap sample to $HEAP_SAMPLE_FILE.PID when the program ends: its tcmalloc samples, but leaves it to
// the program to ask for the result. Preloaded beside libtcmalloc by compare.py's variant tcmalloc-sample.
#include <gperftools/malloc_extension.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct DumpAtExit {
  ~DumpAtExit() {
    const char* path = std::getenv("HEAP_SAMPLE_FILE");
    if (path == nullptr) return;
    std::string sample;
    MallocExtension::instance()->GetHeapSample(&sample);
    const std::string file = std::string(path) + "." + std::to_string(getpid());
    if (std::FILE* out = std::fopen(file.c_str(), "w")) {
      std::fwrite(sample.data(), 1, sample.size(), out);
      std::fclose(out);
    }
  }
} dump_at_exit;

}  // namespace
