# Sourced by every script of this folder. Finds the build, makes a folder of its own, profiles, and compares.
# A script ends with 0 (right), 1 (wrong, with FAILED: lines that say what), or 77 (skipped, with the reason).
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${HEAPTALLY_BUILD:-${1:-$here/../../build}}
programs=$build/tests/programs
agent=$build/lib/libheaptally.so
heaptally=$build/bin/heaptally
name=$(basename "$0" .sh)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/heaptally-e2e-$name.XXXXXX")
export HEAPTALLY_DIR
HEAPTALLY_DIR=$(mktemp -d "/dev/shm/heaptally-e2e-$name.XXXXXX" 2>/dev/null) || HEAPTALLY_DIR=$tmp/segments
mkdir -p -m 700 "$HEAPTALLY_DIR"
failed=0
clean_up() { rm -rf "$tmp" "$HEAPTALLY_DIR"; }
trap clean_up EXIT

fail() { echo "FAILED: $*"; failed=1; }
skip() { echo "skipped: $*"; [ "$failed" = 0 ] && exit 77; exit 1; }   # a failure is never hidden by a skip
finish() { exit "$failed"; }
need() { for tool; do command -v "$tool" >/dev/null 2>&1 || skip "$tool is not installed"; done; }
need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
need python3

# profile MODE PROGRAM ARGS...: under `heaptally run`; leaves $tmp/out, $tmp/err, $status and the report in $tmp/report.json.
# $run_options go to `run`, $limit is its time in seconds.
profile() {
  local mode=$1; shift
  rm -f "$tmp"/capture.heaptally "$tmp/report.json"
  timeout -s KILL "${limit:-100}" "$heaptally" run --mode="$mode" ${run_options:-} -o "$tmp/capture.heaptally" -- "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  [ "$status" != 137 ] || [ "${killed_is_right:-}" ] || fail "$*: killed, or out of time"
  report "$tmp/capture.heaptally"
}

# report CAPTURE...: as JSON into $tmp/report.json; $report_options are added.
report() {
  "$heaptally" report "$@" --json --full ${report_options:-} >"$tmp/report.json" 2>"$tmp/report.err" ||
    fail "report $*: status $?: $(head -c 400 "$tmp/report.err")"
}

# preload SETTINGS PROGRAM ARGS...: the agent alone, without the tool.
preload() {
  local settings=$1; shift
  timeout -s KILL "${limit:-100}" env HEAPTALLY="$settings,dir=$HEAPTALLY_DIR" LD_PRELOAD="$agent${then_preload:+:$then_preload}" \
    "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
}

# expect STATUS: of the last program.
expect() { [ "$status" = "$1" ] || fail "status $status, expected $1: $(tail -c 400 "$tmp/err")"; }

# Passes on the program's own "skip".
maybe_skip() { [ "$status" != 77 ] || skip "$(grep -m1 -o 'skip: .*' "$tmp/err" | cut -c7-)"; }

# truth OPTIONS...: the program's printed truth against the report.
truth() { python3 "$here/check.py" truth "$tmp/report.json" "$tmp/out" "$@" || failed=1; }
rows() { python3 "$here/check.py" rows "$tmp/report.json" "$@" || failed=1; }
site() { python3 "$here/check.py" site "$tmp/report.json" "$@" || failed=1; }
get() { python3 "$here/check.py" get "$tmp/report.json" "$1"; }

# said TEXT: the tool's words on stderr contain it (extended regular expression, any case).
said() { grep -Eqi -- "$1" "$tmp/err" || fail "not said: \"$1\" in: $(tail -c 600 "$tmp/err")"; }

# both PROGRAM ARGS...: the whole of the ordinary case: same status and truth in exact mode, and in bytes mode too.
both() {
  profile exact "$@"; maybe_skip; expect "${status_wanted:-0}"; truth --mode exact ${truth_options:-}
  profile bytes "$@"; expect "${status_wanted:-0}"; truth --mode bytes ${truth_options:-}
}

# same_as_alone LEAST PROGRAM ARGS...: output and status as without us in both modes; at least LEAST allocations are seen.
# Alone it is started by a shell of few descriptors, as `heaptally run` starts it: a child's table of descriptors (FDSize) is as
# large as its parent's highest open one asks for, and this script's own shell may hold one at 255.
same_as_alone() {
  local least=$1; shift
  sh -c '"$@"; exit $?' sh "$@" >"$tmp/alone.out" 2>"$tmp/alone.err"
  local alone=$?
  for mode in exact bytes; do
    profile $mode "$@"
    expect $alone
    cmp -s "$tmp/alone.out" "$tmp/out" || fail "$mode: another output than without us: $(diff "$tmp/alone.out" "$tmp/out" | head -5)"
    [ "$(get "sum(value(p['totals'], 'allocated_bytes') or 0 for p in profiles) >= 16 * $least")" = True ] || fail "$mode: too few bytes were seen"
    [ $mode = bytes ] || [ "$(get "sum(value(p['totals'], 'allocations') for p in profiles) >= $least")" = True ] ||
      fail "$(get "sum(value(p['totals'], 'allocations') for p in profiles)") allocations were seen, expected $least"
    [ $mode = bytes ] || adds_up
  done
}

# The profile adds up, site by site and in sum.
adds_up() { python3 "$here/check.py" adds "$tmp/report.json" - || failed=1; }

# kill_rounds MODE SIZE ROUNDS: the program `killed` is killed at random moments. Each time its profile is there, whole, adds
# up, and agrees with the counts that it kept in a shared file, but for the calls in flight.
kill_rounds() {
  local mode=$1 size=$2 rounds=$3 round pid
  for round in $(seq "$rounds"); do
    rm -f "$HEAPTALLY_DIR"/* "$tmp/rows"
    env HEAPTALLY="mode=$mode,seed=$round,dir=$HEAPTALLY_DIR" LD_PRELOAD="$agent" "$programs/killed" "$tmp/rows" "$size" >"$tmp/out" 2>&1 &
    pid=$!
    sleep "0.$(printf %03d $((RANDOM % 400 + 20)))"
    kill -9 $pid
    { wait $pid; } 2>/dev/null
    [ -s "$tmp/out" ] || continue   # killed before its main
    report "$HEAPTALLY_DIR"/*
    # unknown: no parent of ours saw its end. A kill may strike while an event is being booked, and on a loaded machine a
    # thread may give up waiting for the tally: both are said.
    rows "$tmp/rows" --mode "$mode" --state killed,unknown --allow-loss event-cut-by-death --allow-loss lock-timeout
    "$heaptally" ls 2>&1 | grep -q "$pid" || fail "ls does not show $pid"
    [ "$failed" = 0 ] || { echo "in round $round"; return; }
    checked=$((${checked:-0} + 1))
  done
  [ "${checked:-0}" -ge $((rounds / 2)) ] || fail "only ${checked:-0} of $rounds kills came after main: nothing was tested"
}
