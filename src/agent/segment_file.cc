#include "agent/segment_file.h"

#include "agent/clock.h"
#include "platform/syscalls.h"

namespace heaptally::agent {

segment::FileHeader* g_file;

namespace {

using platform::AsLong;
using platform::Call;
using platform::kPageBytes;
using platform::Syscall;

constexpr int kOpenDirectory = 0200000 | 0400000 | 02000000;           // O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
constexpr int kCreateFile = 02 | 0100 | 0200 | 0400000 | 02000000;     // O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
constexpr long kAtCwd = -100;
constexpr long kReadWrite = 3, kShared = 1, kMayMove = 1;
constexpr long kDontDump = 16, kPopulateWrite = 23;
constexpr long kRlimitFsize = 1, kRlimitAs = 9;
constexpr uint64_t kUnlimited = ~0ull;
constexpr uint64_t kBytesModeCap = 64u << 20;
constexpr uint64_t kExactModeCap = 1u << 30;

struct Stat {  // the kernel's x86-64 struct stat
  uint64_t dev, ino, nlink;
  uint32_t mode, uid, gid, pad;
  uint64_t rest[14];
};

uint64_t g_cap_bytes;        // of the file, and so of what may be mapped
uint8_t* g_anchor;           // a mapped page ...
uint64_t g_anchor_offset;    // ... and where in the file it lies
uint64_t g_anchor_lock;

class Path {
 public:
  Path& Add(const char* text) {
    while (*text != 0 && used_ + 1 < sizeof(text_)) text_[used_++] = *text++;
    text_[used_] = 0;
    return *this;
  }
  Path& AddNumber(uint64_t number, unsigned base) {
    char digits[24];
    int at = sizeof(digits) - 1;
    digits[at] = 0;
    do digits[--at] = "0123456789abcdef"[number % base];
    while (number /= base);
    return Add(digits + at);
  }
  const char* text() const { return text_; }

 private:
  char text_[480] = {};
  uint64_t used_ = 0;
};

long OpenDirectory(const Config& config) {
  Path path;
  if (config.directory[0] != 0) {
    path.Add(config.directory);
  } else {
    path.Add("/dev/shm/heaptally-").AddNumber(static_cast<uint64_t>(Syscall(Call::kGeteuid)), 10);
  }
  Syscall(Call::kMkdir, AsLong(path.text()), 0700);
  const long fd = Syscall(Call::kOpenat, kAtCwd, AsLong(path.text()), kOpenDirectory);
  if (fd < 0) return fd;
  Stat stat{};
  struct {
    int64_t type;
    uint64_t rest[32];
  } file_system{};
  constexpr int64_t kTmpfs = 0x01021994, kExt4 = 0xEF53, kXfs = 0x58465342;
  const bool ours = Syscall(Call::kFstat, fd, AsLong(&stat)) == 0 && stat.uid == static_cast<uint32_t>(Syscall(Call::kGeteuid)) && (stat.mode & 077) == 0;
  const bool known = Syscall(Call::kFstatfs, fd, AsLong(&file_system)) == 0 && (file_system.type == kTmpfs || file_system.type == kExt4 || file_system.type == kXfs);
  if (ours && known) return fd;
  Syscall(Call::kClose, fd);
  return -1;
}

uint64_t Limit(long resource) {
  uint64_t limits[2] = {kUnlimited, kUnlimited};
  Syscall(Call::kPrlimit64, 0, resource, 0, AsLong(limits));
  return limits[0];
}

uint64_t ChooseCap(const Config& config, uint64_t first_bytes) {
  uint64_t cap = config.cap_bytes != 0 ? config.cap_bytes : config.mode == segment::Mode::kExact ? kExactModeCap : kBytesModeCap;
  const uint64_t address_space = Limit(kRlimitAs);
  if (address_space != kUnlimited && address_space / 16 < cap) cap = address_space / 16;
  const uint64_t file_size = Limit(kRlimitFsize);
  if (file_size != kUnlimited && file_size < cap) cap = file_size;
  cap &= ~(kPageBytes - 1);
  if (cap >= first_bytes) return cap;
  // A small cap still gets the first part, unless a limit of the system forbids it.
  return (file_size == kUnlimited || file_size >= first_bytes) && (address_space == kUnlimited || address_space / 4 >= first_bytes) ? first_bytes : 0;
}

// [memory, memory + bytes) of the file is there afterwards, or false. Never a SIGBUS.
bool Commit(uint8_t* memory, uint64_t bytes) {
  Syscall(Call::kMadvise, AsLong(memory), static_cast<long>(bytes), kDontDump);
  return Syscall(Call::kMadvise, AsLong(memory), static_cast<long>(bytes), kPopulateWrite) == 0;
}

void ReadText(const char* file, char* to, uint64_t capacity) {
  const long fd = Syscall(Call::kOpen, AsLong(file), 02000000);
  if (fd < 0) return;
  const long got = Syscall(Call::kRead, fd, AsLong(to), static_cast<long>(capacity - 1));
  Syscall(Call::kClose, fd);
  uint64_t end = got > 0 ? static_cast<uint64_t>(got) : 0;
  while (end > 0 && to[end - 1] == '\n') --end;
  to[end] = 0;
}

// "pid:[4026531836]" -> the number.
uint64_t PidNamespace() {
  char text[48] = {};
  const long got = Syscall(Call::kReadlink, AsLong("/proc/self/ns/pid"), AsLong(text), sizeof(text) - 1);
  uint64_t number = 0;
  for (long i = 0; i < got; ++i) {
    if (text[i] >= '0' && text[i] <= '9') number = number * 10 + static_cast<uint64_t>(text[i] - '0');
  }
  return number;
}

long MapFirst(long directory, uint64_t random, uint64_t cap, uint64_t first_bytes, uint64_t start_ticks) {
  Path name;
  name.AddNumber(static_cast<uint64_t>(Syscall(Call::kGetpid)), 10).Add("-").AddNumber(start_ticks, 10).Add("-").AddNumber(random, 16).Add(".seg");
  const long fd = Syscall(Call::kOpenat, directory, AsLong(name.text()), kCreateFile, 0600);
  if (fd < 0) return fd;
  long memory = -1;
  if (Syscall(Call::kFtruncate, fd, static_cast<long>(cap)) == 0) {
    memory = Syscall(Call::kMmap, 0, static_cast<long>(first_bytes), kReadWrite, kShared, fd, 0);
    if (memory >= 0 || memory < -4095) {
      if (!Commit(reinterpret_cast<uint8_t*>(memory), first_bytes)) {
        Syscall(Call::kMunmap, memory, static_cast<long>(first_bytes));
        memory = -1;
      }
    }
  }
  if (memory < 0 && memory >= -4095) {
    Syscall(Call::kUnlinkat, directory, AsLong(name.text()), 0);
  }
  Syscall(Call::kClose, fd);
  return memory;
}

// The last part of the program's path, with a `-` before it.
void AddProgram(Path* name) {
  char exe[512] = {};
  Syscall(Call::kReadlink, AsLong("/proc/self/exe"), AsLong(exe), sizeof(exe) - 1);
  const char* base = exe;
  for (const char* at = exe; *at != 0; ++at) {
    if (*at == '/') base = at + 1;
  }
  char shown[65] = {};
  for (uint32_t i = 0; i + 1 < sizeof(shown) && base[i] != 0; ++i) shown[i] = base[i];
  name->Add("-").Add(shown);
}

// For `heaptally run`, which would not know of this program else: an empty file, which takes no room, says in its name who could
// not make a segment. The tool removes it.
void LeaveWord(long directory, const Config& config, uint64_t start_ticks) {
  if (config.run_id[0] == 0) return;
  Path name;
  name.AddNumber(static_cast<uint64_t>(Syscall(Call::kGetpid)), 10).Add("-").AddNumber(start_ticks, 10).Add("-").Add(config.run_id);
  AddProgram(&name);
  const long fd = Syscall(Call::kOpenat, directory, AsLong(name.Add(".none").text()), kCreateFile, 0600);
  if (fd >= 0) Syscall(Call::kClose, fd);
}

}  // namespace

uint64_t ProcessStartTicks();

bool CreateSegmentFile(const Config& config, uint64_t first_bytes) {
  const uint64_t cap = ChooseCap(config, first_bytes);
  const long directory = OpenDirectory(config);
  if (directory < 0) return false;
  uint64_t random = 0;
  Syscall(Call::kGetrandom, AsLong(&random), sizeof(random), 1 /* GRND_NONBLOCK */);
  random ^= g_tsc_allowed ? platform::ReadTsc() : CoarseNow();
  const uint64_t start_ticks = ProcessStartTicks();
  const long memory = cap == 0 ? -1 : MapFirst(directory, random, cap, first_bytes, start_ticks);
  const bool failed = memory < 0 && memory >= -4095;
  if (failed) LeaveWord(directory, config, start_ticks);
  Syscall(Call::kClose, directory);
  if (failed) return false;
  auto* file = reinterpret_cast<segment::FileHeader*>(memory);
  file->layout_version = segment::kLayoutVersion;
  file->header_bytes = segment::kPageBytes;
  file->file_bytes = cap;
  file->next_free = first_bytes;
  file->random = random;
  file->pid_namespace = PidNamespace();
  ReadText("/proc/sys/kernel/random/boot_id", file->boot_id, sizeof(file->boot_id));
  for (uint64_t i = 0; i < sizeof(file->run_id); ++i) file->run_id[i] = config.run_id[i];
  g_cap_bytes = cap;
  g_anchor = reinterpret_cast<uint8_t*>(memory) + first_bytes - kPageBytes;
  g_anchor_offset = first_bytes - kPageBytes;
  __atomic_store_n(&file->magic, segment::kFileMagic, __ATOMIC_RELEASE);
  g_file = file;
  return true;
}

Extent ExtendSegment(uint64_t bytes) {
  uint64_t offset = __atomic_load_n(&g_file->next_free, __ATOMIC_RELAXED);
  do {
    if (offset + bytes > g_cap_bytes) return {};
  } while (!__atomic_compare_exchange_n(&g_file->next_free, &offset, offset + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));

  // The kernel maps on from the page that we name, so everything between the anchor and the new part comes along and is
  // given back at once. One thread at a time uses the anchor; others go by the first page.
  const bool owner = __atomic_exchange_n(&g_anchor_lock, 1ull, __ATOMIC_ACQUIRE) == 0;
  uint8_t* anchor = reinterpret_cast<uint8_t*>(g_file);  // the first page never moves
  uint64_t anchor_offset = 0;
  if (owner && g_anchor_offset < offset) {
    anchor = g_anchor;
    anchor_offset = g_anchor_offset;
  }
  const uint64_t skip = offset - anchor_offset;
  Extent extent;
  const long memory = Syscall(Call::kMremap, AsLong(anchor), 0, static_cast<long>(skip + bytes), kMayMove);
  if (memory >= 0 || memory < -4095) {
    if (skip > 0) Syscall(Call::kMunmap, memory, static_cast<long>(skip));
    auto* start = reinterpret_cast<uint8_t*>(memory) + skip;
    if (Commit(start, bytes)) {
      extent = Extent{start, offset};
      if (owner && offset > g_anchor_offset) {
        g_anchor_offset = offset + bytes - kPageBytes;
        g_anchor = start + bytes - kPageBytes;
      }
    } else {
      Syscall(Call::kMunmap, AsLong(start), static_cast<long>(bytes));
    }
  }
  if (owner) __atomic_store_n(&g_anchor_lock, 0ull, __ATOMIC_RELEASE);
  return extent;
}

}  // namespace heaptally::agent
