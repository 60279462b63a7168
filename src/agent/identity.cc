#include "agent/identity.h"

#include <link.h>

#include "agent/clock.h"
#include "elf/objects.h"
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

// The program is the first object of the link map; it has no name there unless ld.so was run as a program
// ("ld.so ./prog"), and then /proc/self/exe is ld.so.
void ReadProgramPath(char* to, uint64_t capacity) {
  const link_map* head = elf::LinkMapHead();
  const char* name = head != nullptr ? head->l_name : nullptr;
  if (name == nullptr || name[0] == 0) {
    ReadLink("/proc/self/exe", to, capacity);
    return;
  }
  uint64_t used = 0;
  if (name[0] != '/') {
    used = ReadLink("/proc/self/cwd", to, capacity - 1);
    to[used++] = '/';
    if (name[0] == '.' && name[1] == '/') name += 2;
  }
  while (*name != 0 && used + 1 < capacity) to[used++] = *name++;
  to[used] = 0;
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

void DropOwnEntry(char* list) {
  elf::LoadedObject self;
  if (!elf::FindObject(reinterpret_cast<uint64_t>(&DropOwnEntry), &self) || self.path == nullptr) return;
  char* write = list;
  for (char* read = list; *read != 0;) {
    char* end = read;
    while (*end != 0 && *end != ':' && *end != ' ') ++end;
    uint64_t i = 0;
    while (read + i < end && self.path[i] == read[i]) ++i;
    const bool ours = read + i == end && self.path[i] == 0;
    const bool last = *end == 0;
    if (!ours) {
      while (read < end) *write++ = *read++;
      if (!last) *write++ = *end;
    }
    read = last ? end : end + 1;
  }
  *write = 0;
}

}  // namespace heaptally::agent
