#!/usr/bin/env bash
# The completion scripts do in bash, zsh and fish what a user would expect, and the manual page is clean roff.
. "$(dirname "$0")/lib.sh"
PATH=$(dirname "$heaptally"):$PATH

# bash: the script's own function, asked as readline would ask it.
"$heaptally" completion bash >"$tmp/bash"
complete_bash() {
  bash -c '. "$1"; compopt() { :; }; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=(); _heaptally; printf "%s\n" "${COMPREPLY[@]}"' x "$tmp/bash" "$@" 2>&1
}
expect_words() {  # WANTED-LINES GOT WHAT
  for word in $1; do grep -qx -- "$word" <<<"$2" || fail "$3: no $word in: $(head -c 300 <<<"$2")"; done
}
expect_words "run report" "$(complete_bash heaptally r)" "bash, commands"
expect_words "--mode" "$(complete_bash heaptally run --mo)" "bash, options"
expect_words "bytes exact" "$(complete_bash heaptally run --mode '')" "bash, values"
expect_words "sort" "$(complete_bash heaptally run -- sor)" "bash, programs"
touch "$tmp/one.heaptally" "$tmp/other.txt"
found=$(complete_bash heaptally report "$tmp/o")
expect_words "$tmp/one.heaptally" "$found" "bash, captures"
grep -q other.txt <<<"$found" && fail "bash offers a file that is no capture"

# fish: its own completion engine.
if command -v fish >/dev/null; then
  "$heaptally" completion fish >"$tmp/heaptally.fish"
  complete_fish() { fish --no-config -c "source $tmp/heaptally.fish; complete -C '$1'" 2>&1 | cut -f1; }
  expect_words "run report" "$(complete_fish 'heaptally r')" "fish, commands"
  expect_words "--mode" "$(complete_fish 'heaptally run --mo')" "fish, options"
  expect_words "bytes exact" "$(complete_fish 'heaptally run --mode ')" "fish, values"
else
  echo "not tried: fish is not installed"
fi

# zsh: a terminal in which TAB is pressed.
if command -v zsh >/dev/null; then
  mkdir "$tmp/functions"; "$heaptally" completion zsh >"$tmp/functions/_heaptally"
  cat >"$tmp/ask.zsh" <<'Z'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; LISTMAX=1000; print READY"
zpty -r z line '*READY*READY*'
zpty -n -w z "$2"$'\t\t'
until=$((SECONDS + 8)); seen=
while (( SECONDS < until )) && [[ $seen != *$3* ]]; do zpty -r -t z line && { seen+=$line; print -rn -- "$line" } || sleep 0.05; done
zpty -d z
Z
  complete_zsh() { TERM=dumb zsh -f "$tmp/ask.zsh" "$tmp/functions" "$1" "$2" 2>&1; }
  found=$(complete_zsh "heaptally run --mode " exact)
  for word in bytes exact; do grep -q "$word" <<<"$found" || fail "zsh, values: no $word in: $(head -c 300 <<<"$found")"; done
else
  echo "not tried: zsh is not installed"
fi

"$heaptally" man >"$tmp/heaptally.1"
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$tmp/heaptally.1" | grep -v "missing date" >"$tmp/lint"
  [ ! -s "$tmp/lint" ] || fail "mandoc says: $(head -3 "$tmp/lint")"
else
  echo "not tried: mandoc is not installed"
fi
grep -q 'heaptally \\- which code holds the memory' "$tmp/heaptally.1" || fail "whatis would not find the page"
finish
