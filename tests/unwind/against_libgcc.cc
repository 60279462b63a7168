// A preload library that unwinds the same stacks twice, by heaptally's unwinder and by libgcc's, and compares them
// frame by frame. For tests only: it is an ordinary library that uses libc.
//
// Each thread has a memo of its last walk. With HEAPTALLY_UNWIND_PLAIN=1 the second walk is not libgcc's but our own
// without the memo, which is fast enough for millions of stacks; how the walks end is then compared as well.
//
// Stacks come from the program's calls of malloc, calloc and realloc (every HEAPTALLY_UNWIND_PERIOD-th; 0: none) and
// from a timer's signal at random moments (every HEAPTALLY_UNWIND_TIMER_US; 0: none). Each process
// appends one line to HEAPTALLY_UNWIND_OUT, after the first HEAPTALLY_UNWIND_REPORTS stacks that differ.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>

#include "base/branch.h"
#include "platform/thread.h"
#include "unwind/unwinder.h"

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);

namespace {

using heaptally::platform::Registers;
using heaptally::unwind::End;
using heaptally::unwind::kExactPcBit;
using heaptally::unwind::kMaxFrames;

constexpr uint32_t kMaxLibgccFrames = kMaxFrames + 64;

struct Counts {
  std::atomic<uint64_t> stacks{0};
  std::atomic<uint64_t> frames{0};
  std::atomic<uint64_t> same{0};
  std::atomic<uint64_t> truncated{0};  // ours ends early and says so
  std::atomic<uint64_t> differ{0};
};

Counts from_calls;
Counts from_signals;
std::atomic<bool> ready{false};
std::atomic<uint32_t> reported{0};
uint64_t period = 1;
uint64_t max_reported = 4;
int report_fd = -1;
thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;
thread_local uint64_t calls __attribute__((tls_model("initial-exec"))) = 0;
thread_local heaptally::unwind::StackBounds bounds __attribute__((tls_model("initial-exec")));
thread_local char memo_memory[heaptally::unwind::kWalkMemoBytes]
    __attribute__((tls_model("initial-exec"), aligned(64)));
bool against_plain = false;

struct LibgccStack {
  uint32_t count = 0;
  uint64_t frames[kMaxLibgccFrames];
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  auto* stack = static_cast<LibgccStack*>(argument);
  int is_exact = 0;
  const uint64_t pc = _Unwind_GetIPInfo(context, &is_exact);
  if (pc == 0 || stack->count == kMaxLibgccFrames) return _URC_END_OF_STACK;
  stack->frames[stack->count++] = pc | (is_exact != 0 ? kExactPcBit : 0);
  return _URC_NO_REASON;
}

void PrintFrame(uint64_t frame) {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(frame & ~kExactPcBit), &info);
  dprintf(report_fd, " %s%s+0x%lx", (frame & kExactPcBit) != 0 ? "!" : "",
          info.dli_fname != nullptr ? info.dli_fname : "?",
          (frame & ~kExactPcBit) - reinterpret_cast<uint64_t>(info.dli_fbase));
}

void Report(const char* what, const uint64_t* ours, uint32_t our_count, End end, const uint64_t* theirs,
            uint32_t their_count) {
  if (reported.fetch_add(1) >= max_reported) return;
  dprintf(report_fd, "  %s: ours %u frames, end %d; libgcc %u\n", what, our_count, static_cast<int>(end), their_count);
  uint32_t common = 0;
  while (common < our_count && common < their_count && ours[common] == theirs[common]) ++common;
  for (uint32_t i = common > 2 ? common - 2 : 0; i < common + 2 && (i < our_count || i < their_count); ++i) {
    dprintf(report_fd, "    #%u ours", i);
    if (i < our_count) PrintFrame(ours[i]);
    dprintf(report_fd, " libgcc");
    if (i < their_count) PrintFrame(theirs[i]);
    dprintf(report_fd, "\n");
  }
}

// Without the memo. Not inlined, as all that needs the large array below.
HT_NOINLINE End WalkPlainly(const Registers& start, LibgccStack* stack) {
  bounds.memo = nullptr;
  const heaptally::unwind::Result result = heaptally::unwind::Unwind(start, &bounds, stack->frames, kMaxFrames);
  stack->count = result.count;
  return result.end;
}

// Compares the stack from `start` on with the part of libgcc's that begins with the same frame (libgcc's own walk
// starts in here).
HT_NOINLINE void Compare(const Registers& start, Counts* counts) {
  uint64_t ours[kMaxFrames];
  LibgccStack libgcc;
  bounds.memo = heaptally::unwind::MemoInZeroedMemory(memo_memory);
  bool same_end = true;
  const heaptally::unwind::Result result = heaptally::unwind::Unwind(start, &bounds, ours, kMaxFrames);
  if (against_plain) {
    same_end = WalkPlainly(start, &libgcc) == result.end;
  } else {
    _Unwind_Backtrace(AddFrame, &libgcc);
  }
  uint32_t first = 0;
  while (first < libgcc.count && libgcc.frames[first] != ours[0]) ++first;
  const uint64_t* theirs = libgcc.frames + first;
  uint32_t their_count = libgcc.count - first;
  if (result.end == End::kDepthLimit && their_count > result.count) their_count = result.count;
  uint32_t common = 0;
  while (common < result.count && common < their_count && ours[common] == theirs[common]) ++common;

  counts->stacks.fetch_add(1, std::memory_order_relaxed);
  counts->frames.fetch_add(result.count, std::memory_order_relaxed);
  if (common == result.count && common == their_count && same_end) {
    counts->same.fetch_add(1, std::memory_order_relaxed);
  } else if (common == result.count && result.end != End::kComplete && !against_plain) {
    counts->truncated.fetch_add(1, std::memory_order_relaxed);
    Report("truncated", ours, result.count, result.end, theirs, their_count);
  } else {
    counts->differ.fetch_add(1, std::memory_order_relaxed);
    Report("differ", ours, result.count, result.end, theirs, their_count);
  }
}

HT_ALWAYS_INLINE bool Due() {
  if (!ready.load(std::memory_order_relaxed) || period == 0 || busy) return false;
  return ++calls % period == 0;
}

HT_NOINLINE void CompareCall(const Registers& start) {
  const int saved_errno = errno;
  busy = true;
  Compare(start, &from_calls);
  busy = false;
  errno = saved_errno;
}

// A POSIX timer and not setitimer: finer than the scheduler's tick, and programs use SIGALRM themselves. One shot, set
// anew when the handler is done: else a slow handler would leave the program no time at all.
timer_t timer;
uint64_t timer_interval_us = 0;

void SetTimer() {
  itimerspec when{};
  when.it_value.tv_nsec = static_cast<long>(timer_interval_us) * 1000;
  timer_settime(timer, 0, &when, nullptr);
}

// noinline and without sibling calls: its own frame must be on libgcc's stack while it runs.
HT_NOINLINE void OnProfile(int, siginfo_t*, void* context) {
  if (!ready.load(std::memory_order_relaxed)) return;
  if (busy) return SetTimer();
  const int saved_errno = errno;
  busy = true;
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  Registers start;
  start.pc = static_cast<uint64_t>(machine.gregs[REG_RIP]);
  start.sp = static_cast<uint64_t>(machine.gregs[REG_RSP]);
  start.bp = static_cast<uint64_t>(machine.gregs[REG_RBP]);
  start.pc_is_exact = true;
  Compare(start, &from_signals);
  Compare(HT_CALLER_REGISTERS(), &from_signals);  // through the signal frame itself
  SetTimer();
  busy = false;
  errno = saved_errno;
}

uint64_t NumberFrom(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text != nullptr ? strtoull(text, nullptr, 10) : otherwise;
}

void StartTimer() {
  timer_interval_us = NumberFrom("HEAPTALLY_UNWIND_TIMER_US", 0);
  if (timer_interval_us == 0) return;
  struct sigaction action {};
  action.sa_sigaction = OnProfile;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGPROF;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) SetTimer();
}

void PrintCounts(const char* source, const Counts& counts) {
  if (counts.stacks == 0) return;
  dprintf(report_fd, "%s %s stacks=%lu frames=%lu same=%lu truncated=%lu differ=%lu misses=%lu\n",
          program_invocation_short_name, source, counts.stacks.load(), counts.frames.load(), counts.same.load(),
          counts.truncated.load(), counts.differ.load(), heaptally::unwind::RuleMisses());
}

void Finish() {
  if (!ready.exchange(false)) return;
  PrintCounts("calls", from_calls);
  PrintCounts("signals", from_signals);
}

__attribute__((constructor)) void Start() {
  const char* path = getenv("HEAPTALLY_UNWIND_OUT");
  if (path == nullptr) return;
  // A high number: shells and scripts use the low ones.
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  report_fd = fcntl(fd, F_DUPFD_CLOEXEC, 200);
  close(fd);
  period = NumberFrom("HEAPTALLY_UNWIND_PERIOD", 1);
  max_reported = NumberFrom("HEAPTALLY_UNWIND_REPORTS", max_reported);
  against_plain = NumberFrom("HEAPTALLY_UNWIND_PLAIN", 0) != 0;
  heaptally::unwind::Initialize();
  ready = true;
  StartTimer();
}

__attribute__((destructor)) void Stop() { Finish(); }

}  // namespace

#define HT_TEST_HOOK extern "C" __attribute__((visibility("default"), noinline, optimize("no-optimize-sibling-calls")))

HT_TEST_HOOK void* malloc(size_t size) {
  if (Due()) CompareCall(HT_CALLER_REGISTERS());
  return __libc_malloc(size);
}

HT_TEST_HOOK void* calloc(size_t count, size_t size) {
  if (Due()) CompareCall(HT_CALLER_REGISTERS());
  return __libc_calloc(count, size);
}

HT_TEST_HOOK void* realloc(void* block, size_t size) {
  if (Due()) CompareCall(HT_CALLER_REGISTERS());
  return __libc_realloc(block, size);
}

// Programs that leave without running destructors.
HT_TEST_HOOK void _exit(int status) {
  Finish();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
