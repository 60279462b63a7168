#include "collect/group_witness.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace heaptally::collect {
namespace {

constexpr long kDelivered = 2'000'000;  // ns: the kernel reaches the whole group in one system call of the sender

[[noreturn]] void BeWitness(pid_t tool) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != tool) _exit(0);
  prctl(PR_SET_NAME, "heaptally-group");
  syscall(SYS_close_range, 0U, ~0U, 0U);  // older kernels: what is open is close-on-exec or the terminal
  for (int descriptor = 0; descriptor < 3; ++descriptor) close(descriptor);
  [[maybe_unused]] const int moved = chdir("/");
  while (true) pause();
}

// "ShdPnd: 0000000000004000": signals that wait for the whole process.
uint64_t PendingOf(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("ShdPnd:")) return std::strtoull(line.c_str() + 7, nullptr, 16);
  }
  return 0;
}

}  // namespace

GroupWitness::GroupWitness() { Start(); }
GroupWitness::~GroupWitness() { End(); }

void GroupWitness::Start() {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t tool = getpid();
  pid_ = fork();
  if (pid_ == 0) BeWitness(tool);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

void GroupWitness::End() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool GroupWitness::SawSignal(int signal) {
  if (pid_ <= 0) return false;
  const timespec delivered{.tv_sec = 0, .tv_nsec = kDelivered};
  nanosleep(&delivered, nullptr);
  if ((PendingOf(pid_) >> (signal - 1) & 1) == 0) return false;
  End();
  Start();
  return true;
}

}  // namespace heaptally::collect
