#include "collect/launch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "collect/agent_file.h"
#include "collect/test_directory.h"

namespace heaptally::collect {
namespace {

Command Shell(const std::string& script) {
  return {.path = "/bin/sh", .argv = {"sh", "-c", script}, .environment = CurrentEnvironment()};
}

Ending EndOf(const Command& command) {
  Child child;
  EXPECT_EQ(child.Start(command), 0);
  return child.Wait([] {});
}

TEST(LaunchTest, ExitStatusIsPassedOn) {
  const Ending ending = EndOf(Shell("exit 7"));
  EXPECT_FALSE(ending.signalled);
  EXPECT_EQ(ending.shell_status(), 7);
}

TEST(LaunchTest, DeathBySignalIsTold) {
  const Ending ending = EndOf(Shell("kill -9 $$"));
  EXPECT_TRUE(ending.signalled);
  EXPECT_EQ(ending.shell_status(), 137);
}

TEST(LaunchTest, FailureToExecuteIsTheExactErrno) {
  const TestDirectory directory;
  Child child;
  EXPECT_EQ(child.Start({.path = "/none/such", .argv = {"such"}}), ENOENT);
  EXPECT_EQ(child.Start({.path = directory.Write("data", "x", 0644), .argv = {"data"}}), EACCES);
}

TEST(LaunchTest, AScriptWithoutFirstLineRunsInTheShell) {
  const TestDirectory directory;
  const std::string script = directory.Write("script", "exit $#\n", 0755);
  EXPECT_EQ(EndOf({.path = script, .argv = {"script", "a", "b"}, .environment = CurrentEnvironment()}).status, 2);
}

TEST(LaunchTest, SignalsSentToUsReachTheChild) {
  Child child;
  ASSERT_EQ(child.Start(Shell("trap 'exit 9' TERM; for i in $(seq 100); do sleep 0.05; done; exit 1")), 0);
  const pid_t other = fork();
  if (other == 0) {
    usleep(300'000);
    kill(getppid(), SIGTERM);
    _exit(0);
  }
  const Ending ending = child.Wait([] {});
  waitpid(other, nullptr, 0);
  EXPECT_EQ(ending.shell_status(), 9);
}

TEST(LaunchTest, WhatTheChildSendsToItsParentDoesNotComeBack) {
  EXPECT_EQ(EndOf(Shell("trap 'exit 9' TERM; kill -TERM $PPID; sleep 0.3; exit 2")).shell_status(), 2);
}

TEST(LaunchTest, ChildStartsWithOurMaskAndDispositions) {
  struct sigaction ignore {
  }, old{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &old);
  const Ending ending = EndOf(Shell("kill -HUP $$; kill -TERM $$; exit 3"));
  sigaction(SIGHUP, &old, nullptr);
  EXPECT_TRUE(ending.signalled);
  EXPECT_EQ(ending.status, SIGTERM) << "SIGHUP stays ignored, SIGTERM is not blocked";
}

TEST(LaunchTest, AnIgnoredChildSignalDoesNotLoseTheStatus) {
  struct sigaction ignore {
  }, old{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &old);
  EXPECT_EQ(EndOf(Shell("exit 5")).shell_status(), 5);
  sigaction(SIGCHLD, &old, nullptr);
}

TEST(LaunchTest, ADaemonThatOutlivesTheChildIsNotWaitedFor) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(EndOf(Shell("sleep 30 & exit 4")).shell_status(), 4);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace heaptally::collect
