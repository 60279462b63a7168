#!/usr/bin/env bash
# A stripped library with a few exports: code between them is module+offset, never the name of the export below it; the
# offset leads to the function in the file with symbols.
. "$(dirname "$0")/lib.sh"
need gcc addr2line strip
cat >"$tmp/lib.c" <<'C'
#include <stdlib.h>
void *volatile kept;
__attribute__((visibility("default"), noinline)) int exported_low(int x) { return x + (kept != 0); }
__attribute__((noinline)) static void hidden_worker(void) { kept = malloc(5000); }
__attribute__((noinline)) static void hidden_caller(void) { hidden_worker(); kept = 0; }
asm(".text\n.globl sizeless\n.type sizeless,@function\nsizeless: ret\n");
__attribute__((noinline)) static void below_sizeless(void) { kept = malloc(300); }
__attribute__((visibility("default"), noinline)) void exported_high(void) { hidden_caller(); below_sizeless(); kept = 0; }
C
echo 'extern void exported_high(void); int main(void) { exported_high(); return 0; }' >"$tmp/main.c"
gcc -g -O1 -w -fno-toplevel-reorder -fno-builtin -shared -fPIC -o "$tmp/lib.full" "$tmp/lib.c" && strip -o "$tmp/lib.so" "$tmp/lib.full" &&
  gcc -g -O1 -o "$tmp/prog" "$tmp/main.c" "$tmp/lib.so" -Wl,-rpath,"$tmp" || fail "gcc"
profile exact "$tmp/prog"
expect 0
"$heaptally" report "$tmp/capture.heaptally" --full >"$tmp/text" 2>&1
for bytes in 5000 300; do
  of_site="[f for s in profiles[0]['sites'] if value(s, 'allocated_bytes') == $bytes for f in s['frames'] if (f['module'] or '').endswith('lib.so')]"
  [ "$(get "[f['function'] for f in $of_site]")" = "$([ $bytes = 5000 ] && echo "[None, None, 'exported_high']" || echo "[None, 'exported_high']")" ] ||
    fail "$bytes bytes: named $(get "[f['function'] for f in $of_site]")"
  [ "$(get "all('stripped' in f['why'] for f in $of_site if not f['function'])")" = True ] || fail "the reason is: $(get "[f['why'] for f in $of_site]")"
done
# What is shown in place of a name can be looked up by hand.
offset=$(grep -oE 'lib\.so\+0x[0-9a-f]+' "$tmp/text" | head -1 | sed 's/.*+//')
[ -n "$offset" ] || fail "no module+offset: $(cat "$tmp/text")"
found=$(addr2line -f -e "$tmp/lib.full" "$(printf '0x%x' $((offset - 1)))" | head -1)
case $found in hidden_worker|hidden_caller|below_sizeless) ;; *) fail "$offset is in $found" ;; esac
finish
