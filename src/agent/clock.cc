#include "agent/clock.h"

#include <link.h>

#include "elf/symbols.h"
#include "platform/syscalls.h"

namespace heaptally::agent {

uint32_t g_tsc_allowed;

namespace {

using platform::Call;
using platform::Syscall;

constexpr long kClockRealtime = 0;
constexpr long kClockMonotonic = 1;
constexpr long kClockMonotonicCoarse = 6;
constexpr long kPrGetTsc = 25;
constexpr int kPrTscEnable = 1;

// Where time went over from ticks to a coarse clock: ticks = left_tsc + (ns - left_ns) * ticks_per_ns / 2^32.
uint64_t g_left_tsc, g_left_ns, g_ticks_per_ns;
uint64_t g_start_tsc, g_start_ns;

struct TimeSpec {
  int64_t seconds;
  int64_t nanoseconds;
};

// The kernel's clock in user space: for a coarse clock it reads one shared page, with neither a system call nor the time
// stamp counter, so it works where a sandbox allows nothing at all. nullptr: none found.
int (*g_vdso_clock_gettime)(long, TimeSpec*);

void FindVdso() {
  for (const link_map* object = elf::LinkMapHead(); object != nullptr; object = object->l_next) {
    const elf::Definition found = elf::FindInObject(object, "__vdso_clock_gettime");
    if (found.address == nullptr) continue;
    g_vdso_clock_gettime = reinterpret_cast<int (*)(long, TimeSpec*)>(found.address);
    return;
  }
}

uint64_t ReadClock(long clock) {
  TimeSpec now = {0, 0};
  const bool coarse = clock == kClockMonotonicCoarse;
  if (!coarse || g_vdso_clock_gettime == nullptr || g_vdso_clock_gettime(clock, &now) != 0) {
    Syscall(Call::kClockGettime, clock, platform::AsLong(&now));
  }
  return static_cast<uint64_t>(now.seconds) * 1000000000u + static_cast<uint64_t>(now.nanoseconds);
}

bool KernelTrustsTsc() {
  const long fd = Syscall(Call::kOpen, platform::AsLong("/sys/devices/system/clocksource/clocksource0/current_clocksource"), 02000000);
  if (fd < 0) return false;
  char name[16] = {};
  const long got = Syscall(Call::kRead, fd, platform::AsLong(name), sizeof(name) - 1);
  Syscall(Call::kClose, fd);
  // kvm-clock and the Hyper-V page are computed from the counter, so it is steady there too.
  return got >= 3 && ((name[0] == 't' && name[1] == 's' && name[2] == 'c') || (name[0] == 'k' && name[1] == 'v' && name[2] == 'm') || (name[0] == 'h' && name[1] == 'y'));
}

}  // namespace

segment::ClockKind ChooseClock() {
  FindVdso();
  int state = 0;
  const long asked = Syscall(Call::kPrctl, kPrGetTsc, platform::AsLong(&state));
  if (asked < 0 || state != kPrTscEnable || !KernelTrustsTsc()) return segment::ClockKind::kCoarse;
  g_tsc_allowed = 1;
  g_start_tsc = platform::ReadTsc();
  g_start_ns = ReadClock(kClockMonotonic);
  return segment::ClockKind::kTsc;
}

void LeaveTsc() {
  if (!g_tsc_allowed) return;
  const uint64_t tsc = platform::ReadTsc();
  const uint64_t ns = ReadClock(kClockMonotonic);
  const uint64_t passed_ns = ns > g_start_ns ? ns - g_start_ns : 1;
  g_ticks_per_ns = static_cast<uint64_t>((static_cast<unsigned __int128>(tsc - g_start_tsc) << 32) / passed_ns);
  g_left_tsc = tsc;
  g_left_ns = ns;
  __atomic_store_n(&g_tsc_allowed, 0u, __ATOMIC_RELEASE);
}

uint64_t CoarseNow() {
  const uint64_t ns = ReadClock(kClockMonotonicCoarse);
  if (g_left_ns == 0) return ns;
  const uint64_t since = ns > g_left_ns ? ns - g_left_ns : 0;
  return g_left_tsc + static_cast<uint64_t>((static_cast<unsigned __int128>(since) * g_ticks_per_ns) >> 32);
}

uint64_t UnixNanoseconds() { return ReadClock(kClockRealtime); }

}  // namespace heaptally::agent
