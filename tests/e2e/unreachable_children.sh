#!/usr/bin/env bash
# Children that the agent cannot be loaded into run as without us, nothing is written to their stderr, and each is named with
# its reason: 32-bit, static, sanitizer, setuid, another root directory, LD_PRELOAD taken out. The user's own entry stays.
. "$(dirname "$0")/lib.sh"
need cc
mkdir "$tmp/bin"
cat >"$tmp/main.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *list = getenv("LD_PRELOAD");
  printf("runs with %s\n", list ? list : "none");
  free(malloc(100));
  return 7;
}
EOF
run() {  # PROGRAM...: as a child of sh; its output, its stderr and status as without us
  local script='"$@" 2>"$0"; exit $?' plain_status
  sh -c "$script" "$tmp/child.err" "$@" >/dev/null; plain_status=$?
  mv "$tmp/child.err" "$tmp/plain.err"
  got=$("$heaptally" run --mode exact -o "$tmp/c.heaptally" -- sh -c "$script" "$tmp/child.err" "$@" 2>"$tmp/err"); status=$?
  [ $status = $plain_status ] || fail "$*: status $status, without us $plain_status"
  cmp -s "$tmp/plain.err" "$tmp/child.err" || fail "$*: on stderr: $(head -c 300 "$tmp/child.err")"
}
named() {  # NAME REASON
  tr '\n' ' ' <"$tmp/err" | tr -s ' ' >"$tmp/flat"
  grep -Eq "not seen: .*$1 \(pid [0-9]+\), $2" "$tmp/flat" || fail "$1: not named: $(tail -c 500 "$tmp/err")"
  grep -q "nothing lost" "$tmp/err" && fail "$1: nothing lost, and a program was not seen"
  "$heaptally" report "$tmp/c.heaptally" 2>&1 | tr '\n' ' ' | tr -s ' ' | grep -Eq "Not recorded: $1" || fail "$1: the capture does not say it"
}
without() { [ "$got" = "runs with none" ] || fail "$1: $got"; }

if cc -m32 -o "$tmp/bin/narrow" "$tmp/main.c" 2>/dev/null && "$tmp/bin/narrow" >/dev/null; [ $? = 7 ]; then
  run "$tmp/bin/narrow"; without narrow; named narrow "32-bit"
else
  echo "not tried: 32-bit programs cannot be built or run here (gcc-multilib)"
fi
# The header alone of a 32-bit program: it cannot run, with us or without.
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0' >"$tmp/bin/narrow_header" && chmod +x "$tmp/bin/narrow_header"
run "$tmp/bin/narrow_header"

cc -static -o "$tmp/bin/fixed" "$tmp/main.c" && { run "$tmp/bin/fixed"; named fixed "statically linked"; }
cc -static-pie -o "$tmp/bin/fixed_pie" "$tmp/main.c" && { run "$tmp/bin/fixed_pie"; named fixed_pie "statically linked"; }
if cc -fsanitize=address -o "$tmp/bin/careful" "$tmp/main.c" 2>/dev/null; then
  run "$tmp/bin/careful"; without careful; named careful "built with a sanitizer"
  printf '#!%s\n' "$tmp/bin/careful" >"$tmp/bin/script" && chmod +x "$tmp/bin/script"
  run "$tmp/bin/script"; without script; named script "built with a sanitizer"
fi
cc -o "$tmp/bin/plain" "$tmp/main.c"
if [ "$(id -u)" = 0 ] && ! findmnt -no OPTIONS -T "$tmp" | grep -q nosuid; then
  chmod 755 "$tmp" "$tmp/bin"; cp "$tmp/bin/plain" "$tmp/bin/raised"; chown nobody "$tmp/bin/raised"; chmod 4755 "$tmp/bin/raised"
  run "$tmp/bin/raised"; without raised; named raised "setuid or setgid"
fi
run env -u LD_PRELOAD "$tmp/bin/plain"; without plain; named plain "without the agent, which was taken out"

# The user's own entry stays where the agent's goes.
if [ -x "$tmp/bin/careful" ]; then
  own=$(ldd "$tmp/bin/careful" | grep -o '/[^ ]*libasan[^ ]*')
  got=$("$heaptally" run -o "$tmp/c.heaptally" -- sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 "$@"' "$own" "$tmp/bin/careful" 2>"$tmp/err")
  [ "$got" = "runs with $own" ] || fail "the user's own LD_PRELOAD: $got"
fi

# In another root directory the agent's file is missing: the loader would say so to the program's stderr.
if [ "$(id -u)" = 0 ]; then
  root=$tmp/root
  mkdir -p "$root/bin"
  for file in "$tmp/bin/plain" $(ldd "$tmp/bin/plain" | grep -o '/[^ ]*'); do mkdir -p "$root/$(dirname "$file")"; cp "$file" "$root/$file"; done
  cp "$tmp/bin/plain" "$root/bin/plain"
  run chroot "$root" /bin/plain; without "in another root"; named plain "where the agent's file is not to be found"
fi
finish
