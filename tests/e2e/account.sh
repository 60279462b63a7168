# The account of resident memory: of a living process, and, after a kill, the last one that `run` took. Every part has its
# size, they add up to RSS, and memory by a bare system call is named unexplained, not given to another part.
. "$(dirname "$0")/lib.sh"

# about NAME LEAST MOST (MiB)
about() {
  local got; got=$(get "profiles[0]['coverage']['$1'] // (1 << 10)")
  [ "$got" -ge $(($2 * 1024)) ] && [ "$got" -le $(($3 * 1024)) ] || fail "$where: $1 is $got KiB, expected $2 to $3 MiB"
}
check_account() {
  where=$1
  get 'profiles[0]["coverage"]' >"$tmp/coverage"
  about mapped_resident_bytes 24 24
  about unexplained_bytes 16 17
  about heap_resident_bytes $((20 + 12 + 10 + 7)) $((20 + 12 + 10 + 7 + 4))
  about stacks_bytes 3 4
  about allocator_kept_bytes 7 $least_kept
  [ "$(get 'sum(profiles[0]["coverage"][n] for n in ("heap_resident_bytes", "mapped_resident_bytes", "stacks_bytes", "files_bytes", "own_bytes", "unexplained_bytes")) == profiles[0]["coverage"]["rss_bytes"]')" = True ] ||
    fail "$where: the parts do not add up: $(cat "$tmp/coverage")"
  [ "$(get '[s["resident_bytes"] for s in profiles[0]["sites"] if s["class"] == "mapped" and any(f["function"] == "map_resident" for f in s["frames"])]')" = "[$((24 << 20))]" ] ||
    fail "$where: map_resident is not 24 MiB resident"
  [ "$(get '[s["resident_bytes"] for s in profiles[0]["sites"] if s["class"] == "mapped" and any(f["function"] == "map_reserved" for f in s["frames"])]')" = "[0]" ] ||
    fail "$where: map_reserved is not resident"
}

least_kept=10
"$heaptally" run --mode exact -o "$tmp/capture.heaptally" -- "$programs/account" "$tmp/pid" >"$tmp/out" 2>"$tmp/err" &
runner=$!
for _ in $(seq 600); do [ -s "$tmp/pid" ] && break; sleep 0.05; done
pid=$(cat "$tmp/pid")
report "$pid" --dir "$HEAPTALLY_DIR"
check_account living
[ "$(get 'profiles[0]["coverage"]["as_of_ns"] >= profiles[0]["started_ns"]')" = True ] || fail "when it was taken is not said"
# The next looks: until the watcher has seen what there is now.
sleep 3
kill -9 "$pid"
wait $runner
said 'RSS .*last seen .* before the end = heap live'
tr -s ' \n' '  ' <"$tmp/err" >"$tmp/line"
for words in 'kept by malloc' 'mapped 24.0 MiB' 'unexplained 16' 'heaptally'; do
  grep -q "$words" "$tmp/line" || fail "the summary does not say \"$words\": $(cat "$tmp/line")"
done
report "$tmp/capture.heaptally"
check_account killed
finish
