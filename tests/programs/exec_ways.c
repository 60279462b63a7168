// Executes a program in every way that libc has, with the environment as it is, or cleared, or with other variables; and
// checks that failures look as they do without us.
// Usage: exec_ways PROGRAM NAME    NAME: the same program as it is found in PATH
//        exec_ways alone PROGRAM ARGUMENTS...   the program once, with an environment that holds nothing, by execve
//        exec_ways raw PROGRAM ARGUMENTS...     the same by the system call itself
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "truth.h"

extern char **environ;
static char *nothing[] = {NULL};
static char *other[] = {"A=1", "LD_PRELOAD=libm.so.6", "B=2", NULL};
static char *many[700];
static char numbers[699][16];

enum way { EXECVE, EXECV, EXECVP, EXECVPE, EXECL, EXECLP, EXECLE, FEXECVE, EXECVEAT, EXECVE_OTHER, EXECVE_MANY, EXECL_MANY, WAYS };

static void execute(enum way way, char *program, char *name) {
  char *argv[] = {name, "x", NULL};
  switch (way) {
    case EXECVE: execve(program, argv, nothing); break;
    case EXECV: clearenv(); execv(program, argv); break;
    case EXECVP: execvp(name, argv); break;
    case EXECVPE: execvpe(name, argv, nothing); break;
    case EXECL: execl(program, name, "x", (char *)NULL); break;
    case EXECLP: execlp(name, name, "x", (char *)NULL); break;
    case EXECLE: execle(program, name, "x", (char *)NULL, nothing); break;
    case FEXECVE: fexecve(open(program, O_RDONLY), argv, nothing); break;
    case EXECVEAT: execveat(AT_FDCWD, program, argv, nothing, 0); break;
    case EXECVE_OTHER: execve(program, argv, other); break;
    case EXECVE_MANY: execve(program, argv, many); break;
    default:
      execl(program, name, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
            "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
            "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", (char *)NULL);
  }
  _exit(99);
}

static void wait_for(pid_t pid) {
  int status;
  MUST(waitpid(pid, &status, 0) == pid && status == 0);
}

static void failures(void) {
  char *argv[] = {"none", NULL};
  errno = 0;
  MUST(execve("/no/such/file", argv, nothing) == -1 && errno == ENOENT);
  errno = 0;
  MUST(execvp("no-such-program-anywhere", argv) == -1 && errno == ENOENT);
  errno = 0;
  MUST(execl("/", "/", (char *)NULL) == -1 && errno == EACCES);
  errno = 0;
  MUST(execveat(-1, "none", argv, nothing, 0) == -1 && errno == EBADF);
  errno = 0;
  MUST(execve((char *)8, argv, nothing) == -1 && errno == EFAULT);
  pid_t pid = 4711;
  MUST(posix_spawn(&pid, "/no/such/file", NULL, NULL, argv, nothing) == ENOENT);
}

int main(int argc, char **argv) {
  MUST(argc >= 3);
  if (strcmp(argv[1], "alone") == 0) return execve(argv[2], argv + 2, nothing);
  if (strcmp(argv[1], "raw") == 0) return (int)syscall(SYS_execve, argv[2], argv + 2, nothing);
  char *program = argv[1], *name = argv[2];
  for (int i = 0; i < 699; ++i) {
    snprintf(numbers[i], sizeof numbers[i], "V%d=%d", i, i);
    many[i] = numbers[i];
  }
  failures();
  for (enum way way = EXECVE; way < WAYS; ++way) {
    pid_t child = fork();
    if (child == 0) execute(way, program, name);
    wait_for(child);
    if (way == EXECV) continue;  // clears the environment, which a child of vfork shares
    child = vfork();
    if (child == 0) execute(way, program, name);
    wait_for(child);
  }
  pid_t child;
  char *arguments[] = {name, "x", NULL};
  MUST(posix_spawn(&child, program, NULL, NULL, arguments, nothing) == 0);
  wait_for(child);
  MUST(posix_spawnp(&child, name, NULL, NULL, arguments, environ) == 0);
  wait_for(child);
  MUST(posix_spawnp(&child, name, NULL, NULL, arguments, nothing) == 0);
  wait_for(child);
  return 0;
}
