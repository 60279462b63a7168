#include "agent/exec_target.h"

#include <elf.h>

#include "base/branch.h"
#include "platform/syscalls.h"

namespace heaptally::agent {
namespace {

using platform::AsLong;
using platform::Call;
using platform::Syscall;
using segment::NotFollowed;

constexpr long kReadOnlyCloseOnExec = 02000000 | 04000;  // and O_NONBLOCK: a FIFO must not hold us up
constexpr long kAtEmptyPath = 0x1000;
constexpr int kMostScripts = 5;       // as the kernel: four interpreters after the first file
constexpr uint32_t kMostNeeded = 12;  // a sanitizer's library stands at the front

// The kernel's struct stat of x86-64 (asm/stat.h).
struct FileStatus {
  uint64_t device, inode, links;
  uint32_t mode, user, group, padding;
  uint64_t rest[13];
};
static_assert(sizeof(FileStatus) == 144);
constexpr uint32_t kKindOfFile = 0170000, kPlainFile = 0100000, kSetUser = 04000, kSetGroup = 02000, kGroupExecutes = 010;

// A file that is read in pieces; nothing of it is mapped, since another may cut it short at any moment.
class File {
 public:
  // The path is the program's: only the kernel may read it.
  File(long directory, const char* path) : descriptor_(directory), own_(path != nullptr) {
    if (own_) descriptor_ = Syscall(Call::kOpenat, directory, AsLong(path), kReadOnlyCloseOnExec);
  }
  ~File() {
    if (own_ && descriptor_ >= 0) Syscall(Call::kClose, descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool open() const { return descriptor_ >= 0; }
  // Bytes read, 0 if none.
  uint64_t Read(uint64_t offset, void* to, uint64_t bytes) const {
    const long got = Syscall(Call::kPread64, descriptor_, AsLong(to), static_cast<long>(bytes), static_cast<long>(offset));
    return got > 0 ? static_cast<uint64_t>(got) : 0;
  }
  bool ReadAll(uint64_t offset, void* to, uint64_t bytes) const { return Read(offset, to, bytes) == bytes; }
  bool Stat(FileStatus* status) const { return Syscall(Call::kNewfstatat, descriptor_, AsLong(""), AsLong(status), kAtEmptyPath) == 0; }
  // Set-user-id and set-group-id bits are ignored there.
  bool NoSuid() const {
    struct {
      long fixed[10];
      long flags;
      long spare[4];
    } mount = {};  // struct statfs
    constexpr long kStNosuid = 2, kGetNoNewPrivs = 39;
    if (Syscall(Call::kPrctl, kGetNoNewPrivs) == 1) return true;
    return Syscall(Call::kFstatfs, descriptor_, AsLong(&mount)) == 0 && (mount.flags & kStNosuid) != 0;
  }

 private:
  long descriptor_ = -1;
  bool own_ = false;
};

bool BeginsWith(const char* text, const char* prefix) {
  while (*prefix != 0 && *text == *prefix) {
    ++text;
    ++prefix;
  }
  return *prefix == 0;
}

bool IsSanitizer(const char* library) {
  const char* const names[] = {"libasan.", "libtsan.", "libhwasan.", "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan"};
  for (const char* name : names) {
    if (BeginsWith(library, name)) return true;
  }
  return false;
}

// One program header after the other: their number is the file's business, our stack is not.
template <typename Visit>
void VisitHeaders(const File& file, const Elf64_Ehdr& header, Visit visit) {
  constexpr uint32_t kAtOnce = 3, kMost = 64;
  Elf64_Phdr some[kAtOnce];
  const uint32_t count = header.e_phnum < kMost ? header.e_phnum : kMost;
  for (uint32_t first = 0; first < count; first += kAtOnce) {
    const uint32_t wanted = count - first < kAtOnce ? count - first : kAtOnce;
    const uint64_t got = file.Read(header.e_phoff + first * sizeof(Elf64_Phdr), some, wanted * sizeof(Elf64_Phdr));
    for (uint32_t i = 0; i < got / sizeof(Elf64_Phdr); ++i) visit(some[i]);
    if (got < wanted * sizeof(Elf64_Phdr)) return;
  }
}

uint64_t OffsetOf(const File& file, const Elf64_Ehdr& header, uint64_t address) {
  uint64_t offset = 0;
  VisitHeaders(file, header, [&](const Elf64_Phdr& segment) {
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz) offset = segment.p_offset + (address - segment.p_vaddr);
  });
  return offset;
}

struct DynamicFacts {
  bool sanitizer = false;  // one of the first libraries that it needs replaces malloc and refuses to come second
  bool is_pie = false;     // an executable, not a loader that is run as a program
};

HT_NOINLINE DynamicFacts ReadDynamic(const File& file, const Elf64_Ehdr& header, uint64_t offset, uint64_t bytes) {
  DynamicFacts facts;
  constexpr uint32_t kAtOnce = 8, kMost = 256;
  constexpr uint64_t kFlagPie = 0x08000000;  // DF_1_PIE
  Elf64_Dyn some[kAtOnce];
  uint32_t needed[kMostNeeded];
  uint32_t count = 0;
  uint64_t strings = 0;
  const uint64_t entries = bytes / sizeof(Elf64_Dyn) < kMost ? bytes / sizeof(Elf64_Dyn) : kMost;
  for (uint64_t first = 0; first < entries; first += kAtOnce) {
    const uint64_t got = file.Read(offset + first * sizeof(Elf64_Dyn), some, sizeof(some)) / sizeof(Elf64_Dyn);
    for (uint64_t i = 0; i < got && first + i < entries; ++i) {
      if (some[i].d_tag == DT_NEEDED && count < kMostNeeded) needed[count++] = static_cast<uint32_t>(some[i].d_un.d_val);
      if (some[i].d_tag == DT_STRTAB) strings = some[i].d_un.d_ptr;
      if (some[i].d_tag == DT_FLAGS_1 && (some[i].d_un.d_val & kFlagPie) != 0) facts.is_pie = true;
    }
    if (got < kAtOnce) break;
  }
  if (count == 0 || strings == 0) return facts;
  const uint64_t table = OffsetOf(file, header, strings);
  for (uint32_t i = 0; table != 0 && i < count; ++i) {
    char name[24] = {};
    if (file.Read(table + needed[i], name, sizeof(name) - 1) != 0 && IsSanitizer(name)) facts.sanitizer = true;
  }
  return facts;
}

HT_NOINLINE bool RunsSecurely(const File& file) {
  FileStatus status;
  if (!file.Stat(&status)) return false;
  const bool by_user = (status.mode & kSetUser) != 0 && status.user != static_cast<uint32_t>(Syscall(Call::kGetuid));
  const bool by_group = (status.mode & (kSetGroup | kGroupExecutes)) == (kSetGroup | kGroupExecutes) && status.group != static_cast<uint32_t>(Syscall(Call::kGetgid));
  return (by_user || by_group) && !file.NoSuid();
}

HT_NOINLINE NotFollowed BarrierOf(const File& file, const Elf64_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64) {
    return NotFollowed::kMachine;
  }
  bool has_interpreter = false;
  uint64_t dynamic = 0, dynamic_bytes = 0;
  VisitHeaders(file, header, [&](const Elf64_Phdr& segment) {
    if (segment.p_type == PT_INTERP) has_interpreter = true;
    if (segment.p_type == PT_DYNAMIC) {
      dynamic = segment.p_offset;
      dynamic_bytes = segment.p_filesz;
    }
  });
  const DynamicFacts facts = dynamic != 0 ? ReadDynamic(file, header, dynamic, dynamic_bytes) : DynamicFacts{};
  if (!has_interpreter) return dynamic == 0 || facts.is_pie ? NotFollowed::kStatic : NotFollowed::kNone;
  if (RunsSecurely(file)) return NotFollowed::kSecure;
  return facts.sanitizer ? NotFollowed::kSanitizer : NotFollowed::kNone;
}

// "#! interpreter argument": leaves the interpreter's path in line. False: no such line.
bool IsScript(char* line, uint64_t bytes) {
  if (bytes < 3 || line[0] != '#' || line[1] != '!') return false;
  uint64_t start = 2, out = 0;
  while (start < bytes && (line[start] == ' ' || line[start] == '\t')) ++start;
  for (; start < bytes && line[start] != 0 && line[start] != ' ' && line[start] != '\t' && line[start] != '\n'; ++start) line[out++] = line[start];
  line[out] = 0;
  return out != 0;
}

// One file. A script's interpreter is left in `line`, with *script set.
HT_NOINLINE ExecTarget LookAtFile(long directory, const char* path, char* line, uint64_t capacity, bool* script) {
  ExecTarget target;
  const File file(directory, path);
  if (!file.open()) return target;
  Elf64_Ehdr header;
  if (file.ReadAll(0, &header, sizeof(header)) && BeginsWith(reinterpret_cast<const char*>(header.e_ident), ELFMAG)) {
    target.known = true;
    target.barrier = BarrierOf(file, header);
    return target;
  }
  const uint64_t bytes = file.Read(0, line, capacity - 1);
  *script = IsScript(line, bytes);
  return target;
}

bool IsExecutable(const char* path) {
  FileStatus status;
  constexpr long kAtFdcwd = -100, kMayExecute = 1;
  if (Syscall(Call::kAccess, AsLong(path), kMayExecute) != 0) return false;
  return Syscall(Call::kNewfstatat, kAtFdcwd, AsLong(path), AsLong(&status), 0) == 0 && (status.mode & kKindOfFile) == kPlainFile;
}

}  // namespace

ExecTarget LookAtTarget(long directory, const char* path) {
  char line[144];  // interpreters with longer paths stay unknown
  for (int i = 0; i < kMostScripts; ++i) {
    bool script = false;
    const ExecTarget target = LookAtFile(directory, path, line, sizeof(line), &script);
    if (!script) return target;
    constexpr long kAtFdcwd = -100;
    directory = kAtFdcwd;
    path = line;
  }
  return {};
}

bool FindInPath(const char* name, const char* search_path, char* to, uint64_t capacity) {
  uint64_t length = 0;
  bool slash = false;
  for (; name[length] != 0; ++length) slash |= name[length] == '/';
  if (length == 0 || length >= capacity) return false;
  const char* at = search_path != nullptr ? search_path : "/bin:/usr/bin";
  for (;;) {
    uint64_t used = 0;
    if (!slash) {
      while (*at != 0 && *at != ':' && used + 1 < capacity) to[used++] = *at++;
      if (*at != 0 && *at != ':') return false;  // a directory that does not fit: what comes first is not known
      if (used != 0) to[used++] = '/';
      if (used + length >= capacity) return false;
    }
    for (uint64_t i = 0; i <= length; ++i) to[used + i] = name[i];
    if (slash || IsExecutable(to)) return true;
    if (*at++ == 0) return false;
  }
}

}  // namespace heaptally::agent
