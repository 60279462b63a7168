#!/usr/bin/env bash
# On a terminal: colour, which never carries the meaning alone (the text without escapes is the plain text, and a pipe gets
# none); the overview is one screen.
. "$(dirname "$0")/lib.sh"
export TERM=xterm-256color COLUMNS=80
unset NO_COLOR
escape=$(printf '\033')
on_terminal() { python3 "$here/on_terminal.py" "$@"; }
without_codes() { sed -E "s/$escape\[[0-9;]*m//g"; }
has_escape() { grep -q "$escape" "$1"; }

# `run` speaks on stderr, so that is what counts, not where stdout is.
small="import json; kept = [bytes(2000) for _ in range(2000)]"
big="import json; kept = [bytes(2000) for _ in range(9000)]"
on_terminal err "$heaptally" run --mode exact -o "$tmp/a.heaptally" -- python3 -c "$small" >"$tmp/run.tty" 2>"$tmp/other"
has_escape "$tmp/run.tty" || fail "run: no colour on a terminal: $(head -c 600 "$tmp/run.tty")"
on_terminal out "$heaptally" run --mode exact -o "$tmp/b.heaptally" -- python3 -c "$big" >"$tmp/run.tty" 2>"$tmp/run.piped"
has_escape "$tmp/run.piped" && fail "run: stderr is a pipe and has colour"
grep -q "not seen" "$tmp/run.piped" || fail "run: no summary: $(head -c 300 "$tmp/run.piped")"

# Characters, not bytes.
wide() { python3 -c 'import sys; print(*[line for line in open(sys.argv[1], encoding="utf-8").read().splitlines() if len(line) > 80][:3], sep="\n", end="")' "$1"; }
fits() { [ -z "$(wide "$1")" ]; }
tables() {
  echo report; echo "report --by churn"; echo "report --group function"; echo "report --group module"
  echo "report --tree top-down"; echo "report --tree bottom-up"; echo "report --full --limit 3"; echo "report --site 1"
}
while read -r command options; do
  what="$command $options"
  # shellcheck disable=SC2086
  on_terminal out "$heaptally" "$command" "$tmp/b.heaptally" $options >"$tmp/tty" || fail "$what: status $?"
  "$heaptally" "$command" "$tmp/b.heaptally" $options >"$tmp/plain" || fail "$what: status $?"
  has_escape "$tmp/plain" && fail "$what: an escape in a pipe"
  fits "$tmp/plain" || fail "$what: wider than 80: $(wide "$tmp/plain")"
  without_codes <"$tmp/tty" | cmp -s - "$tmp/plain" || fail "$what: differs by more than colour: $(without_codes <"$tmp/tty" | diff - "$tmp/plain" | head -5)"
done < <(tables)
on_terminal out "$heaptally" report "$tmp/b.heaptally" >"$tmp/tty"
has_escape "$tmp/tty" || fail "report: no colour on a terminal"

"$heaptally" diff --by churn "$tmp/a.heaptally" "$tmp/b.heaptally" >"$tmp/plain"
on_terminal out "$heaptally" diff --by churn "$tmp/a.heaptally" "$tmp/b.heaptally" >"$tmp/tty"
grep -q "$escape\[31m+" "$tmp/tty" || fail "diff: what has grown is not tinted: $(head -c 600 "$tmp/tty")"
without_codes <"$tmp/tty" | cmp -s - "$tmp/plain" || fail "diff: differs by more than colour"
on_terminal out "$heaptally" diff --by churn "$tmp/b.heaptally" "$tmp/a.heaptally" >"$tmp/tty"
grep -q "$escape\[32m-" "$tmp/tty" || fail "diff: what has shrunk is not tinted"

# What forbids and what demands it.
for setting in NO_COLOR=1 TERM=dumb; do
  env "$setting" python3 "$here/on_terminal.py" out "$heaptally" report "$tmp/b.heaptally" >"$tmp/tty"
  has_escape "$tmp/tty" && fail "$setting: colour all the same"
done
NO_COLOR='' on_terminal out "$heaptally" report "$tmp/b.heaptally" >"$tmp/tty"
has_escape "$tmp/tty" || fail "an empty NO_COLOR is as none, and takes the colour"
on_terminal out "$heaptally" report --color never "$tmp/b.heaptally" >"$tmp/tty"
has_escape "$tmp/tty" && fail "--color never: colour all the same"
NO_COLOR=1 "$heaptally" report --color=always "$tmp/b.heaptally" >"$tmp/piped"
has_escape "$tmp/piped" || fail "--color always: none in a pipe"
"$heaptally" report --color sometimes "$tmp/b.heaptally" >"$tmp/out" 2>"$tmp/err"
[ $? = 125 ] || fail "--color sometimes is taken"
grep -q "auto, always or never" "$tmp/err" || fail "--color sometimes: $(cat "$tmp/err")"

# `heaptally` alone: one screen, five commands with an example each, and the names of the rest.
"$heaptally" >"$tmp/overview"
[ "$(wc -l <"$tmp/overview")" -le 24 ] && [ "$(wc -L <"$tmp/overview")" -le 80 ] || fail "the overview is no screen of 80x24"
[ "$(grep -c '^          heaptally ' "$tmp/overview")" = 5 ] || fail "the overview: not five examples: $(cat "$tmp/overview")"
for topic in words views modes set limits exit fail-if; do
  "$heaptally" help "$topic" >"$tmp/help" || fail "help $topic"
  fits "$tmp/help" || fail "help $topic: wider than 80: $(wide "$tmp/help")"
done
for word in snapshot export set help completion man; do
  grep -q "^Also: .*\b$word\b" "$tmp/overview" || fail "the overview does not name $word"
done
for command in run report diff ls snapshot flame export set; do
  "$heaptally" "$command" --help >"$tmp/help"
  fits "$tmp/help" || fail "$command --help: wider than 80: $(wide "$tmp/help")"
done
finish
