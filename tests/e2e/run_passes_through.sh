#!/usr/bin/env bash
# Standard input, output and error, arguments and working directory are the program's own, byte for byte; our words come after.
. "$(dirname "$0")/lib.sh"
head -c 3000000 /dev/urandom >"$tmp/in"
timeout 60 "$heaptally" run -o "$tmp/c.heaptally" -- cat <"$tmp/in" >"$tmp/out" 2>"$tmp/err"
cmp -s "$tmp/in" "$tmp/out" || fail "cat: output differs from input"
timeout 60 "$heaptally" run -o "$tmp/c.heaptally" -- printf '%s|' 'two words' '' -- --json '*' >"$tmp/out" 2>"$tmp/err"
[ "$(cat "$tmp/out")" = 'two words||--|--json|*|' ] || fail "arguments: $(cat "$tmp/out")"
# Without "--" the first word that is no option begins the program, and its options are its own.
timeout 60 "$heaptally" run -o "$tmp/c.heaptally" printf '%s|' -o --mode >"$tmp/out" 2>"$tmp/err"
[ "$(cat "$tmp/out")" = '-o|--mode|' ] || fail "without --: $(cat "$tmp/out")"
timeout 60 "$heaptally" run -o "$tmp/c.heaptally" -- sh -c 'echo first >&2; sleep 0.2; echo last >&2' >"$tmp/out" 2>"$tmp/err"
[ "$(head -2 "$tmp/err" | tr '\n' ' ')" = "first last " ] || fail "stderr is mixed: $(head -3 "$tmp/err")"
[ ! -s "$tmp/out" ] || fail "we wrote to stdout"
(cd "$tmp" && timeout 60 "$heaptally" run -- sh -c 'cd /; pwd' >"$tmp/out" 2>"$tmp/err")
ls "$tmp"/sh.*.heaptally >/dev/null 2>&1 || fail "the capture is not where we started, although the program went elsewhere"
finish
