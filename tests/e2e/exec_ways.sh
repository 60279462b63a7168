#!/usr/bin/env bash
# Programs that are executed by any function of libc are profiled, after fork and after vfork, with a cleared environment
# too; and they see exactly the environment that they were given. Failing calls fail as they do without us.
. "$(dirname "$0")/lib.sh"
"$programs/exec_ways" "$programs/hello_leak" hello_leak >"$tmp/out" 2>"$tmp/err" || :   # without us: needs PATH
export PATH=$programs:$PATH
"$programs/exec_ways" "$programs/hello_leak" hello_leak >"$tmp/alone" 2>&1 || fail "without us: $(tail -3 "$tmp/alone")"
profile exact "$programs/exec_ways" "$programs/hello_leak" hello_leak
expect 0
[ "$(wc -l <"$tmp/out")" = "$(wc -l <"$tmp/alone")" ] || fail "$(wc -l <"$tmp/out") programs ran, without us $(wc -l <"$tmp/alone")"
# 12 ways by fork, 11 by vfork, 3 by posix_spawn.
[ "$(get 'len([p for p in profiles if p["exe"].endswith("/hello_leak")])')" = 26 ] || fail "profiled: $(get '[p["exe"].split("/")[-1] for p in profiles]')"
truth --mode exact
grep -q "nothing lost" "$tmp/err" || fail "something is not seen: $(tail -5 "$tmp/err")"

environment=$("$heaptally" run -o "$tmp/c.heaptally" -- env -i A=1 LD_PRELOAD= B='x y' env 2>"$tmp/err")
[ "$environment" = $'A=1\nLD_PRELOAD=\nB=x y' ] || [ "$environment" = $'A=1\nB=x y' ] || fail "another environment: $environment"
environment=$("$heaptally" run -o "$tmp/c.heaptally" -- env -i sh -c 'exec env -i C=3 sh -c "exec env"' 2>"$tmp/err")
[ "$(grep -cE '^(HEAPTALLY|LD_PRELOAD)' <<<"$environment")" = 0 ] || fail "seen: $environment"
report "$tmp/c.heaptally"
[ "$(get 'len(profiles)')" = 5 ] || fail "$(get 'len(profiles)') images, expected 5: $(get '[p["exe"] for p in profiles]')"
finish
