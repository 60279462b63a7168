#include "collect/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace heaptally::collect {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
constexpr std::chrono::milliseconds kFirstLook{2};
constexpr std::chrono::milliseconds kLastLook{200};

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// 0 when the pipe closes without a word (execve worked), else the errno that the child sent.
int ReadExecError(int descriptor) {
  int error = 0;
  ssize_t got;
  do {
    got = read(descriptor, &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  return got == sizeof(error) ? error : 0;
}

}  // namespace

Child::Child() {
  sigemptyset(&watched_);
  sigaddset(&watched_, SIGCHLD);
  for (const int signal : kPassedOn) sigaddset(&watched_, signal);
  sigprocmask(SIG_BLOCK, &watched_, &old_mask_);
  // An inherited "ignore" would make the kernel reap the child before we learn its status.
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &plain, &old_child_);
  blocked_ = true;
}

Child::~Child() { ReleaseSignals(); }

void Child::ReleaseSignals() {
  if (!blocked_) return;
  blocked_ = false;
  // What was already waiting when the child ended was meant for it.
  const timespec now{};
  while (sigtimedwait(&watched_, nullptr, &now) > 0) {
  }
  sigaction(SIGCHLD, &old_child_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Child::Become(const Command& command, int report) const {
  sigaction(SIGCHLD, &old_child_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  std::vector<char*> argv = Pointers(command.argv);
  const std::vector<char*> environment = Pointers(command.environment);
  execve(command.path.c_str(), argv.data(), environment.data());
  int error = errno;
  if (error == ENOEXEC) {  // a script without "#!": /bin/sh runs it, as execvp would have it
    argv[0] = const_cast<char*>(command.path.c_str());
    argv.insert(argv.begin(), const_cast<char*>("/bin/sh"));
    execve("/bin/sh", argv.data(), environment.data());
  }
  [[maybe_unused]] const ssize_t sent = write(report, &error, sizeof(error));
  _exit(127);
}

int Child::Start(const Command& command) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return errno;
  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    close(report[0]);
    close(report[1]);
    return error;
  }
  if (pid == 0) Become(command, report[1]);
  close(report[1]);
  const int error = ReadExecError(report[0]);
  close(report[0]);
  if (error != 0) {
    waitpid(pid, nullptr, 0);
    return error;
  }
  pid_ = pid;
  return 0;
}

bool Child::Reap(Ending* ending) const {
  int status = 0;
  const pid_t got = wait4(pid_, &status, WNOHANG, &ending->usage);
  if (got != pid_) return got < 0 && errno != EINTR;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  ending->unix_ns = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  ending->signalled = WIFSIGNALED(status);
  ending->status = ending->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  ending->core_dumped = ending->signalled && WCOREDUMP(status);
  return true;
}

void Child::PassOn(const siginfo_t& info) {
  if (info.si_code > 0) return;     // the kernel's: a terminal sent it to the whole group, the child included
  if (info.si_pid == pid_) return;  // the child signals its parent or its own group
  if (witness_.SawSignal(info.si_signo)) return;  // the whole group has it
  kill(pid_, info.si_signo);
}

Ending Child::Wait(const std::function<void()>& look, const std::function<std::chrono::milliseconds()>& until_next) {
  Ending ending;
  auto pause = kFirstLook;
  while (true) {
    const auto wait = until_next ? std::clamp(until_next(), std::chrono::milliseconds(1), pause) : pause;
    const timespec timeout{.tv_sec = wait.count() / 1000, .tv_nsec = (wait.count() % 1000) * 1'000'000};
    siginfo_t info{};
    const int signal = sigtimedwait(&watched_, &info, &timeout);
    if (signal > 0 && signal != SIGCHLD) PassOn(info);
    if (Reap(&ending)) return ending;
    if (signal == SIGCHLD) continue;  // stopped or continued, not ended
    look();
    pause = std::min(pause * 2, kLastLook);
  }
}

}  // namespace heaptally::collect
