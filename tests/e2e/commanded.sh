# Sourced behind lib.sh: a program that does what it is told, line by line.
# begin MODE: starts it under `heaptally run`; leaves $pid. tell WORDS...: waits for its answer. end: waits for its end, and
# leaves the report.
begin() {
  rm -f "$tmp/to" "$tmp/from" "$tmp/capture.heaptally"
  mkfifo "$tmp/to" "$tmp/from"
  "$heaptally" run --mode="$1" ${run_options:-} -o "$tmp/capture.heaptally" -- "$programs/commanded" <"$tmp/to" >"$tmp/from" 2>"$tmp/run.err" &
  run_pid=$!
  exec 7>"$tmp/to" 8<"$tmp/from"
  read -r -t 60 pid <&8 || fail "the program did not start: $(cat "$tmp/run.err")"
}
tell() {
  local answer=
  echo "$*" >&7
  read -r -t 100 answer <&8
  [ "$answer" = ok ] || fail "told \"$*\", it answered \"$answer\""
}
end() {
  echo end >&7
  wait $run_pid || fail "the program ended with $?"
  exec 7>&- 8<&-
  report "$tmp/capture.heaptally"
}
# change STATUS WORDS...: `heaptally set`, its words in $tmp/err.
change() {
  local wanted=$1 got; shift
  "$heaptally" set "$@" >"$tmp/err" 2>&1
  got=$?
  [ $got = "$wanted" ] || fail "set $*: status $got, expected $wanted: $(cat "$tmp/err")"
}
