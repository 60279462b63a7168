#!/usr/bin/env bash
# Addresses at the edges of functions: a function interrupted at its very first instruction is named itself, not the one that
# ends there, whose frame is another one; a function whose last instruction is a call that does not return is named itself, not the one that begins there.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/main.c" <<'C'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
void *volatile kept;
jmp_buf back;
static void on_trap(int signal, siginfo_t *info, void *context) {
  kept = malloc(3000);
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;  // behind ud2
}
__attribute__((noinline, noreturn)) void leaves(void) { kept = malloc(4000); longjmp(back, 1); }
// One after the other without a gap; unwind information as a compiler makes it.
asm(".text\n.p2align 4\n"
    ".globl before_edge\n.type before_edge, @function\nbefore_edge: .cfi_startproc\n .cfi_def_cfa_offset 72\n nop\n ret\n .cfi_endproc\n.size before_edge, .-before_edge\n"
    ".globl at_edge\n.type at_edge, @function\nat_edge: .cfi_startproc\n ud2\n ret\n .cfi_endproc\n.size at_edge, .-at_edge\n"
    ".globl ends_in_call\n.type ends_in_call, @function\nends_in_call: .cfi_startproc\n sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n call leaves\n .cfi_endproc\n.size ends_in_call, .-ends_in_call\n"
    ".globl begins_there\n.type begins_there, @function\nbegins_there: .cfi_startproc\n ret\n .cfi_endproc\n.size begins_there, .-begins_there\n");
void at_edge(void);
void ends_in_call(void);
int main(void) {
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
  at_edge();
  if (!setjmp(back)) ends_in_call();
  return 0;
}
C
gcc -g -O1 -w -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
profile exact "$tmp/prog"
expect 0
callers() { get "[f['function'] for s in profiles[0]['sites'] if any(f['function'] == '$1' for f in s['frames']) for f in s['frames'] if f['function'] in ('before_edge', 'at_edge', 'ends_in_call', 'begins_there', 'main')]"; }
[ "$(callers on_trap)" = "['at_edge', 'main']" ] || fail "below the handler are $(callers on_trap)"
[ "$(callers leaves)" = "['ends_in_call', 'main']" ] || fail "callers are $(callers leaves)"
finish
