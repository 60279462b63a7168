#!/usr/bin/env bash
# A program that its memory cgroup kills leaves a whole profile: pages of the tally are charged to the same cgroup, and are
# refused ahead where there is no room, never met as SIGBUS.
. "$(dirname "$0")/lib.sh"
need cc
group=
for parent in /sys/fs/cgroup/memory /sys/fs/cgroup; do
  [ -e $parent/memory.limit_in_bytes ] || grep -qw memory $parent/cgroup.subtree_control 2>/dev/null || continue
  mkdir $parent/heaptally-$$ 2>/dev/null && { group=$parent/heaptally-$$; break; }
done
[ "$group" ] || skip "no memory cgroup can be made here"
trap 'rmdir "$group"; clean_up' EXIT
limit_file=$group/memory.limit_in_bytes; [ -e "$limit_file" ] || limit_file=$group/memory.max
echo $((64 << 20)) 2>/dev/null >"$limit_file" || skip "no limit can be set in $group"
cat >"$tmp/eater.c" <<'EOF'
#include <stdlib.h>
#include <string.h>
__attribute__((noipa)) void eat(void) { memset(malloc(64 << 10), 1, 64 << 10); }
int main(void) { for (int i = 0; i < 16384; ++i) eat(); return 0; }
EOF
cc -O1 -g -fno-builtin -o "$tmp/eater" "$tmp/eater.c" || fail "cc"
for mode in exact bytes; do
  rm -f "$HEAPTALLY_DIR"/*
  (echo 0 >"$group/cgroup.procs" && HEAPTALLY=mode=$mode,dir=$HEAPTALLY_DIR LD_PRELOAD=$agent exec "$tmp/eater") >"$tmp/out" 2>&1
  [ $? = 137 ] || skip "the cgroup does not kill: $(head -c 200 "$tmp/out")"
  report "$HEAPTALLY_DIR"/*
  live="[s['live_bytes'] for s in sites_with(profiles[0], 'eat')]"   # one site; sampled, its interval meets the range
  [ "$(get "any(int(l.get('lo', l['v'])) < 64 << 20 and int(l.get('hi', l['v'])) > 32 << 20 for l in $live)")" = True ] ||
    fail "$mode: live at the kill: $(get "$live"); the limit is 64 MiB"
  [ $mode = bytes ] || adds_up
done
finish
