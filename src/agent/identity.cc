#include "agent/identity.h"

#include <link.h>

#include "agent/clock.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"

namespace heaptally::agent {
namespace {

using platform::AsLong;
using platform::Call;
using platform::Syscall;

constexpr long kReadOnlyCloseOnExec = 02000000;

uint64_t ReadFile(const char* path, char* to, uint64_t capacity) {
  const long fd = Syscall(Call::kOpen, AsLong(path), kReadOnlyCloseOnExec);
  if (fd < 0) return 0;
  uint64_t filled = 0;
  while (filled < capacity) {
    const long got = Syscall(Call::kRead, fd, AsLong(to + filled), static_cast<long>(capacity - filled));
    if (got <= 0) break;
    filled += static_cast<uint64_t>(got);
  }
  Syscall(Call::kClose, fd);
  return filled;
}

uint64_t ReadLink(const char* path, char* to, uint64_t capacity) {
  const long got = Syscall(Call::kReadlink, AsLong(path), AsLong(to), static_cast<long>(capacity - 1));
  const uint64_t bytes = got > 0 ? static_cast<uint64_t>(got) : 0;
  to[bytes] = 0;
  return bytes;
}

// Path of the file that is mapped at `address`, from /proc/self/maps: the line "start-end perms offset dev inode path".
uint64_t PathOfMapping(uint64_t address, char* to, uint64_t capacity) {
  const long fd = Syscall(Call::kOpen, AsLong("/proc/self/maps"), kReadOnlyCloseOnExec);
  if (fd < 0) return 0;
  uint64_t numbers[2] = {0, 0}, used = 0;
  uint32_t field = 0;  // 0 start, 1 end, then the blank-separated ones; the path begins with the first '/'
  bool in_path = false, wanted = false, done = false;
  char buffer[256];
  while (!done) {
    const long got = Syscall(Call::kRead, fd, AsLong(buffer), sizeof(buffer));
    if (got <= 0) break;
    for (long i = 0; i < got && !done; ++i) {
      const char c = buffer[i];
      if (c == '\n') {
        done = wanted && used > 0;
        numbers[0] = numbers[1] = field = 0;
        in_path = wanted = false;
      } else if (in_path || (c == '/' && field > 1)) {
        in_path = true;
        if (wanted && used + 1 < capacity) to[used++] = c;
      } else if (c == '-' && field == 0) {
        field = 1;
      } else if (c == ' ') {
        if (field == 1) wanted = address >= numbers[0] && address < numbers[1];
        if (field < 100) ++field;
      } else if (field < 2) {
        numbers[field] = numbers[field] * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      }
    }
  }
  Syscall(Call::kClose, fd);
  to[used] = 0;
  return used;
}

// The program is the first object of the link map. /proc/self/exe names it, unless ld.so was run as a program ("ld.so
// ./prog"): then that is ld.so, and the mapping of the first object tells.
void ReadProgramPath(char* to, uint64_t capacity) {
  ReadLink("/proc/self/exe", to, capacity);
  const char* name = to;
  for (const char* c = to; *c != 0; ++c) {
    if (*c == '/') name = c + 1;
  }
  const bool may_be_loader = name[0] == 'l' && name[1] == 'd';
  const link_map* head = elf::LinkMapHead();
  if (may_be_loader && head != nullptr) PathOfMapping(reinterpret_cast<uint64_t>(head->l_ld), to, capacity);
}

}  // namespace

uint64_t ProcessStartTicks() {
  char text[512];
  const uint64_t bytes = ReadFile("/proc/self/stat", text, sizeof(text));
  uint64_t at = bytes;
  while (at > 0 && text[at - 1] != ')') --at;  // the program's name may hold anything
  constexpr int kFieldsBefore = 20;            // from field 3 on, field 22 is the 20th
  int field = 0;
  uint64_t ticks = 0;
  for (; at < bytes && field <= kFieldsBefore; ++at) {
    if (text[at] == ' ') {
      ++field;
    } else if (field == kFieldsBefore && text[at] >= '0' && text[at] <= '9') {
      ticks = ticks * 10 + static_cast<uint64_t>(text[at] - '0');
    }
  }
  return ticks;
}

void DescribeProcess(segment::ImageHeader* header, segment::ClockKind clock) {
  header->pid = static_cast<int32_t>(Syscall(Call::kGetpid));
  header->parent_pid = static_cast<int32_t>(Syscall(Call::kGetppid));
  header->start_ticks = ProcessStartTicks();
  header->clock_kind = clock;
  if (clock == segment::ClockKind::kCoarse) header->image_flags |= segment::kImageFlagCoarseTime;
  header->started_unix_ns = UnixNanoseconds();
  header->started_clock = Now();
  ReadProgramPath(header->exe, sizeof(header->exe));
  header->argv_bytes = static_cast<uint32_t>(ReadFile("/proc/self/cmdline", header->argv, sizeof(header->argv)));
}

uint64_t ReadKernelRandom() {
  uint64_t random = 0;
  constexpr long kNonBlocking = 1;
  Syscall(Call::kGetrandom, AsLong(&random), sizeof(random), kNonBlocking);
  return random;
}

}  // namespace heaptally::agent
