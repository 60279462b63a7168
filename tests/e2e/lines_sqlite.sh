#!/usr/bin/env bash
# SQLite, built here with -g from its source (inside the crate libsqlite3-sys; fetched, never kept): what it says of its own memory
# is the truth, to the block and byte, and every block was made by the line of its allocator that calls malloc or realloc.
. "$(dirname "$0")/lib.sh"
need gcc cargo
mkdir "$tmp/fetch"
printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[dependencies]\nlibsqlite3-sys = { version = "0.30", features = ["bundled"] }\n' >"$tmp/fetch/Cargo.toml"
touch "$tmp/fetch/lib.rs"
(cd "$tmp/fetch" && CARGO_HOME="$tmp/home" CARGO_TARGET_DIR="$tmp/target" timeout 60 cargo fetch -q) >"$tmp/cargo" 2>&1 || skip "cargo cannot fetch libsqlite3-sys here: $(tail -1 "$tmp/cargo" | head -c 200)"
source=$(ls "$tmp"/home/registry/src/*/libsqlite3-sys-*/sqlite3/sqlite3.c 2>/dev/null | head -1)
[ "$source" ] || skip "no sqlite3.c in the crate"
cat >"$tmp/main.c" <<'C'
#include <stdio.h>
#include "sqlite3.h"
int main(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db)) return 1;
  sqlite3_exec(db, "create table t(a integer primary key, b text);"
                   "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)"
                   "insert into t select i, 'row number ' || i from n; create index x on t(b); delete from t where a % 3 = 0", 0, 0, 0);
  sqlite3_int64 blocks, highest;
  sqlite3_status64(SQLITE_STATUS_MALLOC_COUNT, &blocks, &highest, 0);
  printf("%lld %lld\n", (long long)blocks, (long long)sqlite3_memory_used());
  fflush(stdout);
  return 0;
}
C
# Each block of SQLite's default allocator has 8 bytes of its own in front.
gcc -g -O1 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I"$(dirname "$source")" -o "$tmp/sq" "$tmp/main.c" "$source" -lm || fail "gcc"
profile exact "$tmp/sq"
expect 0
read -r blocks bytes <"$tmp/out"
[ "${blocks:-0}" -gt 100 ] || fail "sqlite says $blocks blocks"
mem='[s for s in profiles[0]["sites"] if any((f.get("file") or "").endswith("sqlite3.c") for f in s["frames"])]'
[ "$(get "sum(value(s, 'live_objects') for s in $mem)")" = "$blocks" ] || fail "$(get "sum(value(s, 'live_objects') for s in $mem)") live blocks, sqlite says $blocks"
[ "$(get "sum(value(s, 'live_bytes') for s in $mem)")" = $((bytes + 8 * blocks)) ] || fail "$(get "sum(value(s, 'live_bytes') for s in $mem)") live bytes, sqlite says $bytes and $blocks headers"
wrong=$(get "sorted({(f['function'], f['line']) for s in $mem for f in s['frames'][:1] if f['function'] not in ('sqlite3MemMalloc', 'sqlite3MemRealloc')}, key=str)")
[ "$wrong" = "[]" ] || fail "innermost frames that are not SQLite's allocator: $wrong"
# The line named is the one that calls malloc or realloc.
for line in $(get "' '.join(sorted({str(f['line']) for s in $mem for f in s['frames'][:1]}))"); do
  sed -n "${line}p" "$source" | grep -qE 'SQLITE_(MALLOC|REALLOC)' || fail "line $line of sqlite3.c calls neither: $(sed -n "${line}p" "$source")"
done
finish
