#!/usr/bin/env bash
# A child made by the system call itself does not know its pid, since it may have forbidden itself to ask. While it lives, who
# maps the file tells.
. "$(dirname "$0")/lib.sh"
need cc
cat >"$tmp/waits.c" <<'EOF'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) void child_side(void) { free(malloc(2500)), malloc(40); }
int main(void) {
  if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
    for (int i = 0; i < 100; ++i) child_side();
    dprintf(1, "%d\n", (int)getpid());
    sleep(30);
    _exit(0);
  }
  wait(NULL);
  return 0;
}
EOF
cc -w -O1 -fno-builtin -o "$tmp/waits" "$tmp/waits.c" || fail "cc"
env HEAPTALLY="mode=exact,dir=$HEAPTALLY_DIR" LD_PRELOAD="$agent" "$tmp/waits" >"$tmp/out" &
job=$!
for _ in $(seq 100); do [ -s "$tmp/out" ] && break; sleep 0.1; done
report "$HEAPTALLY_DIR"/*
child=$(cat "$tmp/out")
[ "$(get "[p['pid'] for p in profiles if p['origin'] == 'raw-clone']")" = "[$child]" ] || fail "the child is $child: $(get "[(p['pid'], p['origin'], p['state'], p['notes']) for p in profiles]")"
[ "$(get "any('not known' in n for p in profiles for n in p['notes'])")" = False ] || fail "said not to be known"
kill "$child"
wait $job
report "$HEAPTALLY_DIR"/*
[ "$(get "any('not known' in n for p in profiles for n in p['notes'])")" = True ] || fail "not said to be unknown once it is dead"
finish
