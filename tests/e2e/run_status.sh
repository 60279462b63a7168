#!/usr/bin/env bash
# The program's exit status is `run`'s own; death by signal is 128 + its number; 126, 127 and 125 are told apart.
. "$(dirname "$0")/lib.sh"
run() { timeout 60 "$heaptally" run -o "$tmp/c.heaptally" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
for wanted in 0 1 7 255; do run -- sh -c "exit $wanted"; expect $wanted; done
run -- sh -c 'kill -SEGV $$'; expect 139; said "killed by SIGSEGV"
run -- sh -c 'kill -9 $$'; expect 137; said "killed by SIGKILL"
run -- "$tmp/none"; expect 127; said "is not there"
run -- no-such-program-anywhere; expect 127; said "is not in PATH"
run -- gti; expect 127; ! command -v git >/dev/null || said "git, if that was meant"
echo data >"$tmp/data"; run -- "$tmp/data"; expect 126; said "Permission denied"
run -- "$tmp"; expect 126; said "it is a directory"
printf '#!/none/interpreter\n' >"$tmp/script"; chmod +x "$tmp/script"; run -- "$tmp/script"; expect 127; said "interpreter /none/interpreter is not there"
printf '\177ELF junk' >"$tmp/junk"; chmod +x "$tmp/junk"
run -- "$tmp/junk"; [ "$status" != 0 ] || fail "junk ran"
run; expect 125; said "no program is named"
run --perid 5 -- true; expect 125; said "has no option --perid"; said -- "--period"
run --mode exatc -- true; expect 125; said -- "--mode exact"
run --period 4K -- true; expect 125; said "below 64 KiB"
run --mode exact --period 1M -- true; expect 125
run -o "$tmp/none/below" -- touch "$tmp/ran"; expect 125; [ ! -e "$tmp/ran" ] || fail "ran although its capture could never be written"
"$heaptally" rnu 2>"$tmp/err"; [ $? = 125 ] || fail "a mistyped command is not 125"; said "heaptally run"
finish
