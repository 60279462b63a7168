#include "collect/reach.h"

#include <elf.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>

#include "collect/elf_file.h"
#include "collect/find_program.h"

namespace heaptally::collect {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kOurMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kOurMachine = EM_AARCH64;
#endif

std::string Resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  std::string out = real != nullptr ? real : path;
  free(real);
  return out;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

const char* MachineName(uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "s390";
    default:
      return "another processor";
  }
}

// Whether the kernel would start `file` in secure mode, where the loader ignores LD_PRELOAD, and by what.
std::string SecureModeBy(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return "";
  struct statvfs mount {};
  const bool nosuid = statvfs(file.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0;
  if (nosuid || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return "";
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) return "is setuid";
  const bool setgid = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0;
  if (setgid && status.st_gid != getgid()) return "is setgid";
  if (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0) return "has file capabilities";
  return "";
}

struct MallocFacts {
  bool exported = false;  // in the dynamic symbols: nothing preloaded comes before it
  bool internal = false;  // only in the full symbol table
  bool sanitizer = false;
  std::string allocator;  // its name, where it can be told
};

void NoteSymbol(std::string_view name, bool is_function, bool dynamic, MallocFacts* facts) {
  if (name == "malloc" && is_function) (dynamic ? facts->exported : facts->internal) = true;
  if (name == "__asan_init" || name == "__tsan_init" || name == "__msan_init" || name == "__hwasan_init") {
    facts->sanitizer = true;
  }
  if (!facts->allocator.empty()) return;
  if (name == "mi_malloc" || name == "mi_version") facts->allocator = "mimalloc";
  if (name == "malloc_stats_print" || name == "je_mallctl" || name == "_rjem_mallctl" || name == "mallocx") {
    facts->allocator = "jemalloc";
  }
  if (name == "tc_malloc" || name == "TCMallocInternalMalloc") facts->allocator = "tcmalloc";
  if (name.starts_with("sn_") && name.ends_with("malloc")) facts->allocator = "snmalloc";
  if (name == "rpmalloc") facts->allocator = "rpmalloc";
}

MallocFacts LookForMalloc(const std::string& file, const ElfFile& elf) {
  MallocFacts facts;
  for (const SymbolTable table : {SymbolTable::kDynamic, SymbolTable::kFull}) {
    const bool dynamic = table == SymbolTable::kDynamic;
    VisitDefinedSymbols(file, table, [&](const char* name, bool is_function) {
      NoteSymbol(name, is_function, dynamic, &facts);
      return true;
    });
  }
  for (const std::string& library : elf.needed) {
    for (const char* sanitizer : {"libasan.", "libtsan.", "libhwasan.", "libclang_rt.asan", "libclang_rt.tsan"}) {
      if (library.starts_with(sanitizer)) facts.sanitizer = true;
    }
  }
  return facts;
}

bool IsGo(const ElfFile& elf) {
  for (const std::string& section : elf.sections) {
    if (section == ".go.buildinfo" || section == ".note.go.buildid" || section == ".gopclntab") return true;
  }
  return false;
}

void Block(Reach* reach, Barrier barrier, std::string why, std::string what_works, bool preload) {
  reach->barrier = barrier;
  reach->why = std::move(why);
  reach->what_works = std::move(what_works);
  reach->preload = preload;
}

void CheckMachine(const ElfFile& elf, Reach* reach) {
  const std::string kind =
      elf.elf_class == ELFCLASS32 ? "a 32-bit program" : std::string("built for ") + MachineName(elf.machine);
  Block(reach, Barrier::kMachine,
        reach->file + " is " + kind + "; the agent is 64-bit " + MachineName(kOurMachine) +
            ", and the loader refuses to mix them.",
        std::string("Build the program for 64-bit ") + MachineName(kOurMachine) +
            ". Nothing in this version reaches it as it is.",
        false);
}

void CheckStatic(bool go, Reach* reach) {
  const std::string what_works =
      go ? "For Go's own heap use its own profiler (net/http/pprof); its C parts can be seen when "
           "the program is linked dynamically (CGO_ENABLED=1)."
         : "Link it dynamically (without -static). Nothing in this version reaches it as it is; "
           "dynamically linked programs that it starts are still followed.";
  Block(reach, Barrier::kStatic, reach->file + " is statically linked; a preloaded library never reaches it.",
        what_works, true);
}

void CheckMalloc(const MallocFacts& facts, Reach* reach) {
  if (facts.sanitizer) {
    Block(reach, Barrier::kSanitizer,
          reach->file +
              " is built with a sanitizer, which replaces malloc itself and refuses to start behind another library.",
          "Build it without -fsanitize=address (or thread, memory) for this measurement.", false);
    return;
  }
  const std::string whose = facts.allocator.empty() ? "a malloc of its own" : facts.allocator;
  const std::string what_works =
      facts.allocator.empty()
          ? "Build it to use the system's malloc for this measurement. Nothing in this version reaches a malloc inside "
            "the executable."
          : "Link " + facts.allocator +
                " as a shared library (or not at all): a malloc in a library is reached, one inside the "
                "executable is not in this version.";
  if (facts.exported) {
    Block(reach, Barrier::kOwnMalloc,
          reach->file + " brings " + whose + " inside the executable, which the loader finds before any preloaded one.",
          what_works, false);
  } else if (facts.internal) {
    Block(reach, Barrier::kHiddenMalloc,
          reach->file + " brings " + whose +
              " inside the executable: its own calls are not seen, only those of its libraries.",
          what_works, true);
  }
}

struct KnownRuntime {
  const char* begins;  // of the executable's name
  const char* note;
};

constexpr KnownRuntime kRuntimes[] = {
    {"node", "JavaScript's own heap does not go through malloc: only the runtime's native memory is counted here"},
    {"java", "the Java heap does not go through malloc: only the JVM's native memory is counted here"},
    {"dotnet", "the .NET heap does not go through malloc: only the runtime's native memory is counted here"},
    {"beam.smp",
     "Erlang's heaps do not go through malloc (they are mapped directly): only native memory is counted here"},
    {"luajit", "LuaJIT's heap does not go through malloc: only native memory is counted here"},
    {"cc1", "GCC's garbage-collected heap does not go through malloc: its syntax trees are not counted here"},
};

bool IsPython(const std::string& name) {
  if (!name.starts_with("python")) return false;
  return name.find_first_not_of("0123456789.d", 6) == std::string::npos;
}

}  // namespace

std::vector<std::string> HeapNotes(const std::string& file, const std::vector<std::string>& environment) {
  const std::string name = BaseName(file);
  std::vector<std::string> notes;
  const auto set_to = [&](const char* variable, std::string_view wanted) {
    const char* value = ValueIn(environment, variable);
    return value != nullptr && std::string_view(value).starts_with(wanted);
  };
  if (IsPython(name) && !set_to("PYTHONMALLOC", "malloc")) {
    notes.push_back(
        "Python's objects of up to 512 bytes come from its own pools, not from malloc; "
        "run it with PYTHONMALLOC=malloc to count them");
  }
  if (name.starts_with("php") && !set_to("USE_ZEND_ALLOC", "0")) {
    notes.push_back(
        "PHP's values come from its own pools, not from malloc; run it with USE_ZEND_ALLOC=0 to count them");
  }
  for (const KnownRuntime& runtime : kRuntimes) {
    const std::string_view begins = runtime.begins;
    if (name == begins || (begins == "cc1" && name == "cc1plus")) notes.push_back(runtime.note);
  }
  return notes;
}

const char* BarrierWords(Barrier barrier) {
  switch (barrier) {
    case Barrier::kStatic:
      return "statically linked";
    case Barrier::kSecure:
      return "setuid, setgid or with file capabilities";
    case Barrier::kMachine:
      return "for another processor";
    case Barrier::kOwnMalloc:
      return "with a malloc of its own";
    case Barrier::kHiddenMalloc:
      return "partly with a malloc of its own";
    case Barrier::kSanitizer:
      return "built with a sanitizer";
    case Barrier::kNone:
    case Barrier::kNotElf:
      return "";
  }
  return "";
}

Reach CheckReach(const std::string& path, const std::vector<std::string>& environment) {
  Reach reach;
  reach.file = Resolved(FollowScript(path, environment));
  const ElfFile elf = ReadElfFile(reach.file);
  if (!elf.is_elf) {
    reach.barrier = Barrier::kNotElf;
    return reach;
  }
  reach.notes = HeapNotes(reach.file, environment);
  const bool go = IsGo(elf);
  if (go) reach.notes.push_back("Go's own heap does not go through malloc: only its C parts are counted here");
  if (elf.elf_class != ELFCLASS64 || elf.machine != kOurMachine) {
    CheckMachine(elf, &reach);
  } else if (elf.read_whole && elf.interpreter.empty()) {
    CheckStatic(go, &reach);
  } else if (const std::string by = SecureModeBy(reach.file); !by.empty()) {
    Block(&reach, Barrier::kSecure, reach.file + " " + by + "; the loader ignores LD_PRELOAD for such a program.",
          "Run it as its owner, or profile a copy without that privilege (cp " + reach.file + " . drops it).", false);
  } else {
    CheckMalloc(LookForMalloc(reach.file, elf), &reach);
  }
  return reach;
}

}  // namespace heaptally::collect
