// Installs a filter that kills the process for any call but a handful: memory (brk, mmap, munmap, mremap, madvise,
// mprotect), read, write, futex and the exits. Then it meets 4,000 stacks and 200,000 live blocks, so that a profiler's
// tables have to grow under it. With argv[1] = "thread" it is a new thread that does so before its first allocation; that filter
// allows rt_sigprocmask too, by which a stack is asked for.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "truth.h"

TRUTH_ROW(filtered_leak);

SITE static void filtered_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_filtered_leak, bytes);
}

SITE static void odd(size_t bytes, unsigned path);
SITE static void even(size_t bytes, unsigned path) {
  if (path <= 1) return filtered_leak(bytes);
  return path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
}
SITE static void odd(size_t bytes, unsigned path) {
  if (path <= 1) return filtered_leak(bytes);
  return path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
}

static void allow_only_a_handful(int in_thread) {
  static const int allowed[] = {SYS_read, SYS_write, SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise,
                                SYS_mprotect, SYS_futex, SYS_rt_sigreturn, SYS_exit, SYS_exit_group, SYS_rt_sigprocmask};
  enum { kMost = sizeof allowed / sizeof allowed[0] };
  const int count = in_thread ? kMost : kMost - 1;
  struct sock_filter code[2 * kMost + 2];
  int at = 0;
  code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; ++i) {
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {(unsigned short)at, code};
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void *run(void *in_thread) {
  allow_only_a_handful(in_thread != NULL);
  for (unsigned i = 0; i < 200000; ++i) even(i % 50, i % 4096);
  truth_print(1, &row_filtered_leak, NULL);
  _exit(0);
}

int main(int argc, char **argv) {
  (void)argv;
  truth_confined = 1;
  free(malloc(1));  // libc's first malloc may ask for random bytes
  if (argc == 1) run(NULL);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, run, (void *)1) == 0);
  pthread_join(thread, NULL);
}
