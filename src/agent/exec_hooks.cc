// exec and posix_spawn: the program gets what it asked for, with the agent in its environment or without (exec_environment.h).
//
// Called between fork or vfork and exec, and from signal handlers: nothing is allocated or locked, errno is what the real
// call left, and at most 2 KiB of stack are used; longer environments are built in a mapping. After a vfork a mapping stays
// in the parent when the exec succeeds: few are allowed, then such an environment is passed on as it is.

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "agent/exec_environment.h"
#include "agent/exec_target.h"
#include "agent/unfollowed.h"
#include "base/branch.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
int* __errno_location() __attribute__((weak));
extern char** heaptally_environ __asm__("environ") __attribute__((weak, visibility("default")));
}

// Nothing is done with these but to pass them on, so libc's <spawn.h> is not needed.
struct posix_spawn_file_actions_t;
struct posix_spawnattr_t;

namespace heaptally::agent {
namespace {

using platform::Call;
using platform::Syscall;
using Environment = char* const*;

constexpr long kAtFdcwd = -100, kAtEmptyPath = 0x1000;
constexpr uint32_t kPointersOnStack = 64;
constexpr uint32_t kTextOnStack = 320;
constexpr uint32_t kMostMappings = 64;
constexpr uint32_t kPathBytes = 256;

uint32_t g_mappings;  // in use, or left behind by an exec after a vfork

Environment OwnEnvironment() { return &heaptally_environ != nullptr ? heaptally_environ : nullptr; }

const char* SearchPath() {
  constexpr char kName[] = "PATH=";
  for (Environment entry = OwnEnvironment(); entry != nullptr && *entry != nullptr; ++entry) {
    const char* text = *entry;
    uint64_t i = 0;
    while (kName[i] != 0 && text[i] == kName[i]) ++i;
    if (kName[i] == 0) return text + i;
  }
  return nullptr;
}

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(elf::FindNext(_DYNAMIC, name).address);
}

int Fail(long result) {
  if (result >= 0) return static_cast<int>(result);
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return -1;
}

template <typename Run>
HT_NOINLINE int RunOnStack(const EnvironmentEdit& edit, Environment environment, const Run& run) {
  char* pointers[kPointersOnStack];
  char text[kTextOnStack];
  EditEnvironment(edit, environment, pointers, text);
  return run(pointers);
}

template <typename Run>
HT_NOINLINE int RunInMapping(const EnvironmentEdit& edit, Environment environment, const Run& run) {
  constexpr long kReadWrite = 3, kPrivateAnonymous = 0x22;
  const uint64_t pointer_bytes = (uint64_t{edit.entries} + 3) * sizeof(char*);
  const auto bytes = static_cast<long>(pointer_bytes + edit.text_bytes + 16);
  if (__atomic_add_fetch(&g_mappings, 1, __ATOMIC_RELAXED) > kMostMappings) {
    __atomic_fetch_sub(&g_mappings, 1, __ATOMIC_RELAXED);
    return run(environment);
  }
  const long memory = Syscall(Call::kMmap, 0, bytes, kReadWrite, kPrivateAnonymous, -1, 0);
  int result;
  if (memory < 0 && memory > -4096) {
    result = run(environment);
  } else {
    EditEnvironment(edit, environment, reinterpret_cast<char**>(memory), reinterpret_cast<char*>(memory) + pointer_bytes);
    result = run(reinterpret_cast<char**>(memory));
    Syscall(Call::kMunmap, memory, bytes);
  }
  __atomic_fetch_sub(&g_mappings, 1, __ATOMIC_RELAXED);
  return result;
}

// What was decided about one execution, before it.
struct Prepared {
  EnvironmentEdit edit;
  segment::UnfollowedProgram* noted = nullptr;
};

// `pid`: of the process that will be the program; 0: not known yet.
HT_NOINLINE Prepared PrepareTarget(const ExecTarget& target, const char* path, Environment environment, int32_t pid) {
  Prepared prepared;
  if (!target.known || (environment != nullptr && !platform::IsReadable(reinterpret_cast<uint64_t>(environment)))) return prepared;
  prepared.edit = DecideEnvironment(target, environment);
  if (prepared.edit.reason != segment::NotFollowed::kNone) prepared.noted = NoteUnfollowed(prepared.edit.reason, path, pid);
  return prepared;
}

// `path`: nullptr for the file that `directory` itself is.
HT_NOINLINE Prepared Prepare(long directory, const char* path, Environment environment, int32_t pid) {
  const ExecTarget target = LookAtTarget(directory, path);
  return PrepareTarget(target, path != nullptr ? path : "(by descriptor)", environment, pid);
}

HT_NOINLINE Prepared PrepareSearched(const char* name, Environment environment, int32_t pid) {
  char path[kPathBytes];
  if (!FindInPath(name, SearchPath(), path, sizeof(path))) return {};
  return Prepare(kAtFdcwd, path, environment, pid);
}

int32_t OwnPid() { return static_cast<int32_t>(Syscall(Call::kGetpid)); }

// run(environment) makes the real call and returns its result, which is 0 only where posix_spawn made the child *spawned.
template <typename Run>
HT_ALWAYS_INLINE int Carry(const Prepared& prepared, Environment environment, const Run& run, const int* spawned = nullptr) {
  const EnvironmentEdit& edit = prepared.edit;
  int result;
  if (edit.kind == EnvironmentEdit::Kind::kNone) {
    result = run(environment);
  } else if (edit.entries + 3 <= kPointersOnStack && edit.text_bytes + 16 <= kTextOnStack) {
    result = RunOnStack(edit, environment, run);
  } else {
    result = RunInMapping(edit, environment, run);
  }
  if (result != 0) TakeBackUnfollowed(prepared.noted);
  if (result == 0 && prepared.noted != nullptr && prepared.noted->pid == 0) prepared.noted->pid = *spawned;
  return result;
}

int ExecuteAt(const char* path, char* const argv[], Environment environment) {
  static int (*real)(const char*, char* const*, Environment);
  if (real == nullptr) real = Real<decltype(real)>("execve");
  const auto run = [&](Environment with) {
    if (real != nullptr) return real(path, argv, with);
    return Fail(Syscall(Call::kExecve, platform::AsLong(path), platform::AsLong(argv), platform::AsLong(with)));
  };
  if (!g_exec_prepared || path == nullptr) return run(environment);
  return Carry(Prepare(kAtFdcwd, path, environment, OwnPid()), environment, run);
}

int ExecuteSearched(const char* name, char* const argv[], Environment environment) {
  static int (*real)(const char*, char* const*, Environment);
  if (real == nullptr) real = Real<decltype(real)>("execvpe");
  const auto run = [&](Environment with) { return real != nullptr ? real(name, argv, with) : Fail(-38 /* ENOSYS */); };
  if (!g_exec_prepared || name == nullptr) return run(environment);
  return Carry(PrepareSearched(name, environment, OwnPid()), environment, run);
}

int ExecuteDescriptor(int directory, const char* path, char* const argv[], Environment environment, int flags) {
  const auto run = [&](Environment with) {
    return Fail(Syscall(Call::kExecveat, directory, platform::AsLong(path), platform::AsLong(argv), platform::AsLong(with), flags));
  };
  if (!g_exec_prepared) return run(environment);
  const bool itself = (flags & kAtEmptyPath) != 0 && platform::IsReadable(reinterpret_cast<uint64_t>(path)) && path[0] == 0;
  return Carry(Prepare(directory, itself ? nullptr : path, environment, OwnPid()), environment, run);
}

// The arguments of execl and its kin, gathered: at most this many on the stack.
constexpr uint32_t kArgumentsOnStack = 32;

uint32_t CountArguments(va_list list) {
  uint32_t count = 1;  // the first, and the null at the end is among the rest
  while (va_arg(list, char*) != nullptr) ++count;
  return count + 1;
}

void CopyArguments(const char* first, va_list list, char** to) {
  *to++ = const_cast<char*>(first);
  while ((*to++ = va_arg(list, char*)) != nullptr) {
  }
}

template <typename Run>
HT_NOINLINE int GatherOnStack(const char* first, va_list list, const Run& run) {
  char* arguments[kArgumentsOnStack];
  CopyArguments(first, list, arguments);
  return run(arguments);
}

template <typename Run>
HT_NOINLINE int GatherInMapping(uint32_t count, const char* first, va_list list, const Run& run) {
  constexpr long kReadWrite = 3, kPrivateAnonymous = 0x22, kTooLong = -7;  // E2BIG
  const auto bytes = static_cast<long>(count * sizeof(char*));
  const long memory = Syscall(Call::kMmap, 0, bytes, kReadWrite, kPrivateAnonymous, -1, 0);
  if (memory < 0 && memory > -4096) return Fail(kTooLong);
  CopyArguments(first, list, reinterpret_cast<char**>(memory));
  const int result = run(reinterpret_cast<char**>(memory));
  Syscall(Call::kMunmap, memory, bytes);
  return result;
}

// `list` stands after `first`; a first argument that is null ends the list at once.
template <typename Run>
int Gather(const char* first, va_list list, const Run& run) {
  if (first == nullptr) {
    char* none[1] = {nullptr};
    return run(none);
  }
  va_list again;
  va_copy(again, list);
  const uint32_t count = CountArguments(again);
  va_end(again);
  return count <= kArgumentsOnStack ? GatherOnStack(first, list, run) : GatherInMapping(count, first, list, run);
}

using Spawn = int (*)(int*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*, Environment);

}  // namespace
}  // namespace heaptally::agent

extern "C" {

using namespace heaptally::agent;

HT_EXPORT int execve(const char* path, char* const argv[], char* const environment[]) { return ExecuteAt(path, argv, environment); }
HT_EXPORT int execv(const char* path, char* const argv[]) { return ExecuteAt(path, argv, OwnEnvironment()); }
HT_EXPORT int execvp(const char* name, char* const argv[]) { return ExecuteSearched(name, argv, OwnEnvironment()); }
HT_EXPORT int execvpe(const char* name, char* const argv[], char* const environment[]) { return ExecuteSearched(name, argv, environment); }

HT_EXPORT int execl(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int result = Gather(first, list, [&](char** arguments) { return ExecuteAt(path, arguments, OwnEnvironment()); });
  va_end(list);
  return result;
}

HT_EXPORT int execlp(const char* name, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int result = Gather(first, list, [&](char** arguments) { return ExecuteSearched(name, arguments, OwnEnvironment()); });
  va_end(list);
  return result;
}

HT_EXPORT int execle(const char* path, const char* first, ...) {
  va_list list, rest;
  va_start(list, first);
  va_copy(rest, list);
  if (first != nullptr) {
    while (va_arg(rest, char*) != nullptr) {
    }
  }
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  const int result = Gather(first, list, [&](char** arguments) { return ExecuteAt(path, arguments, environment); });
  va_end(list);
  return result;
}

HT_EXPORT int execveat(int directory, const char* path, char* const argv[], char* const environment[], int flags) {
  return ExecuteDescriptor(directory, path, argv, environment, flags);
}

HT_EXPORT int fexecve(int descriptor, char* const argv[], char* const environment[]) {
  static int (*real)(int, char* const*, Environment);
  if (real == nullptr) real = Real<decltype(real)>("fexecve");
  const auto run = [&](Environment with) { return real != nullptr ? real(descriptor, argv, with) : ExecuteDescriptor(descriptor, "", argv, with, kAtEmptyPath); };
  if (!g_exec_prepared || real == nullptr) return run(environment);
  return Carry(Prepare(descriptor, nullptr, environment, OwnPid()), environment, run);
}

HT_EXPORT int posix_spawn(int* out, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  static Spawn real;
  if (real == nullptr) real = Real<Spawn>("posix_spawn");
  int own = 0;  // the program may not want to know
  int* pid = out != nullptr ? out : &own;
  const auto run = [&](Environment with) { return real(pid, path, actions, attributes, argv, with); };
  if (!g_exec_prepared || path == nullptr) return run(environment);
  return Carry(Prepare(kAtFdcwd, path, environment, 0), environment, run, pid);
}

HT_EXPORT int posix_spawnp(int* out, const char* name, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  static Spawn real;
  if (real == nullptr) real = Real<Spawn>("posix_spawnp");
  int own = 0;
  int* pid = out != nullptr ? out : &own;
  const auto run = [&](Environment with) { return real(pid, name, actions, attributes, argv, with); };
  if (!g_exec_prepared || name == nullptr) return run(environment);
  return Carry(PrepareSearched(name, environment, 0), environment, run, pid);
}

}  // extern "C"
