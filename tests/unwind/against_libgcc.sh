#!/bin/sh
# Unwinds every N-th allocation of a real program by heaptally's unwinder and by libgcc's, and compares.
#
#   against_libgcc.sh LIBRARY PROGRAM MODE [EXECUTABLE]
#
# PROGRAM: python3, cc1plus, perl, git or exceptions (EXECUTABLE: our own). MODE: calls (stacks of allocations: no
# difference at all is allowed), plain (the same, but against our own walk without the memo of the last one: every
# allocation's), or signals (stacks at random moments: none may differ, and one in a hundred may end
# early, namely where code describes its frame by registers that the unwinder does not follow).
set -u
library=$1
program=$2
mode=$3
executable=${4:-}

skip() {
  echo "SKIPPED: $1"
  exit 77
}
need() { command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"; }

directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
export HEAPTALLY_UNWIND_OUT="$directory/counts"
minimum=100000
case $mode in
  calls) export HEAPTALLY_UNWIND_PERIOD=1 ;;
  plain) export HEAPTALLY_UNWIND_PERIOD=1 HEAPTALLY_UNWIND_PLAIN=1; minimum=500000 ;;
  signals) export HEAPTALLY_UNWIND_PERIOD=0 HEAPTALLY_UNWIND_TIMER_US=200; minimum=500 ;;
  *) echo "unknown mode $mode"; exit 1 ;;
esac

# The preloaded run. Version managers put scripts before programs: only the program itself is to be preloaded.
run() { LD_PRELOAD=$library "$@" >/dev/null; }

case $program in
  python3)
    need python3
    python=$(python3 -c 'import sys; print(sys.executable)') || skip "python3 does not run"
    [ "$mode" = calls ] && export HEAPTALLY_UNWIND_PERIOD=7
    PYTHONMALLOC=malloc run "$python" -c '
import json
def tree(depth): return {str(i): (tree(depth - 1) if depth else [i, i / 3, "x" * i]) for i in range(5)}
for _ in range(14): json.loads(json.dumps(tree(4), indent=1))'
    ;;
  cc1plus)
    need g++
    [ "$mode" = calls ] && export HEAPTALLY_UNWIND_PERIOD=7
    for header in regex algorithm map thread functional random iostream ranges; do echo "#include <$header>"; done \
      >"$directory/headers.cc"
    echo 'bool match(const char* s) { return std::regex_match(s, std::regex("a.*b")); }' >>"$directory/headers.cc"
    run g++ -std=c++20 -fsyntax-only "$directory/headers.cc"
    ;;
  perl)
    need perl
    run perl -e 'for my $i (1 .. 30000) { $h{"k$i"} = [map { $_ * $i } 1 .. 3]; $s = join(",", sort keys %{{a => 1, b => $i}});
      $s =~ s/a(.)/$1$1/g; } for my $i (1 .. 200000) { $t = "x$i"; $t =~ s/x/y/; }'
    ;;
  git)
    need git
    cd "$directory" || exit 1
    git init -q repository && cd repository || skip "git does not run"
    commits=1
    while [ $commits -le 60 ]; do
      seq $commits $((commits * 7 + 1500)) >"file$((commits % 9))"
      git add . && git -c user.name=n -c user.email=e@example.org commit -q -m "commit $commits" || skip "git can't commit"
      commits=$((commits + 1))
    done
    for pass in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
      run git log -p --stat
      run git blame file1
    done
    ;;
  exceptions)
    minimum=$((minimum / 5))
    run "$executable" 2000 || { echo "the program failed"; exit 1; }
    ;;
  *) echo "unknown program $program"; exit 1 ;;
esac

cat "$HEAPTALLY_UNWIND_OUT"
awk -v program="$program" -v mode="$mode" -v minimum="$minimum" '
  $2 == (mode == "plain" ? "calls" : mode) { for (i = 3; i <= NF; ++i) { split($i, part, "="); sum[part[1]] += part[2] } }
  END {
    printf "%s %s: %d stacks, %d frames, %d same, %d truncated, %d differ\n", program, mode, sum["stacks"], sum["frames"],
      sum["same"], sum["truncated"], sum["differ"]
    allowed = mode == "signals" ? sum["stacks"] / 100 : 0
    if (sum["stacks"] < minimum) { print "too few stacks: at least " minimum " are needed"; exit 1 }
    exit !(sum["differ"] == 0 && sum["truncated"] <= allowed)
  }' "$HEAPTALLY_UNWIND_OUT"
