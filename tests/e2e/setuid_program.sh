#!/usr/bin/env bash
# A setuid program: the loader ignores LD_PRELOAD. Runs unchanged, at once, and it is said.
. "$(dirname "$0")/lib.sh"
need_root
case ,$(findmnt -no OPTIONS -T "$tmp"), in *,nosuid,*) skip "$tmp is mounted nosuid" ;; esac
cp "$programs/hello_leak" "$tmp/hello_setuid" && chown nobody "$tmp/hello_setuid" && chmod 4755 "$tmp/hello_setuid" && chmod 755 "$tmp"
timeout 20 "$heaptally" run -o "$tmp/capture.heaptally" -- "$tmp/hello_setuid" >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
grep -q '"truth"' "$tmp/out" || fail "the program did not run to its end"
said "setuid|privileg"
said "what works: "
finish
