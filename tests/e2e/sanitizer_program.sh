#!/usr/bin/env bash
# A program that is built with a sanitizer runs unprofiled, as without us, and that is said at once with what works.
. "$(dirname "$0")/lib.sh"
need cc
for sanitizer in address thread; do
  cc -fsanitize=$sanitizer -g -fno-builtin -D_GNU_SOURCE -w -o "$tmp/$sanitizer" "$here/../programs/hello_leak.c" 2>/dev/null || { echo "not tried: cc has no $sanitizer sanitizer"; continue; }
  ASAN_OPTIONS=detect_leaks=0 "$tmp/$sanitizer" >"$tmp/alone" 2>&1; alone=$?
  ASAN_OPTIONS=detect_leaks=0 timeout 60 "$heaptally" run -o "$tmp/c.heaptally" -- "$tmp/$sanitizer" >"$tmp/out" 2>"$tmp/err"; status=$?
  expect $alone
  said "built with a sanitizer"
  said "what works: .*-fsanitize"
  grep -q "ASan runtime" "$tmp/err" && fail "the sanitizer complains: $(cat "$tmp/err")"
  tried=1
done
[ "${tried:-}" ] || skip "cc has no sanitizer"
finish
