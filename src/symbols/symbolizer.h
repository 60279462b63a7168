// Turns (module, ELF virtual address) into function, file and line, from files on disk and outside of the profiled
// process. Nothing of the target is ever executed.
//
// A wrong name is worse than none: a file is believed only if its build id is the one that was mapped (where one is
// known), debug files only if build id or CRC prove them, symbols only inside their size, debug information only where
// it describes living code. Everything else is an unnamed frame that says why. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heaptally::symbols {

// A file as it was mapped into a process.
struct ModuleFile {
  std::string path;            // as the process saw it
  std::string build_id_hex;    // of what was mapped; "" = none known
  std::string root_prefix;     // put before every path, e.g. /proc/PID/root; "" normally
  std::string open_path = "";  // where to read it, if not at `path`: /proc/self/fd/N of a file that was deleted
  std::string why_not = "";    // not "": nothing of it may be believed, for this reason
};

struct Frame {
  std::string function;  // demangled, "" if not known
  std::string file;      // "" if not known
  uint32_t line = 0;     // 0 if not known
  bool inlined = false;
  std::string why;  // when function is "": the reason
};

struct SymbolizerOptions {
  // Where separate debug files live. With a root_prefix, each is searched below the prefix first.
  std::vector<std::string> debug_roots = {"/usr/lib/debug"};
};

class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options = {});
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // Returns the module's id. The same file added twice gets the same id. The file is opened at the first question.
  uint32_t AddModule(const ModuleFile& file);

  // The names that a JIT compiler wrote for its code: a perf map file (perf_map.h). Its id is a module's, whose
  // addresses are absolute.
  uint32_t AddPerfMap(const std::string& path);

  // Frames with the innermost inlined function first and the physical function last; always at least one. An inlined
  // frame's caller carries the file and line of the call. `vaddr` is an ELF virtual address (load bias removed).
  // `is_call`: it is a return address, so the call before it is looked up. The reference stays valid as long as the
  // symbolizer. REQUIRES: `module` came from AddModule or AddPerfMap.
  const std::vector<Frame>& Lookup(uint32_t module, uint64_t vaddr, bool is_call);

  // "" if nothing keeps names and lines away, else the reasons in words, e.g. "file on disk has build id X, mapped
  // was Y", "no such file", "stripped: 12 exported names only".
  std::string ModuleProblem(uint32_t module);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heaptally::symbols
