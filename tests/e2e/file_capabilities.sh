#!/usr/bin/env bash
# A program with file capabilities, started by an ordinary user: the loader ignores LD_PRELOAD, which is said at once.
. "$(dirname "$0")/lib.sh"
need_root
need setcap setpriv
case ,$(findmnt -no OPTIONS -T "$tmp"), in *,nosuid,*) skip "$tmp is mounted nosuid" ;; esac
chmod 755 "$tmp"; mkdir -m 700 "$tmp/segments"; mkdir -m 777 "$tmp/work"
mkdir "$tmp/bin" "$tmp/lib"; cp "$heaptally" "$tmp/bin/"; cp "$agent" "$tmp/lib/"   # where anybody may read it
cp "$programs/hello_leak" "$tmp/capable" && setcap cap_net_raw+ep "$tmp/capable" 2>"$tmp/err" || skip "no file capabilities here: $(cat "$tmp/err")"
chown -R nobody "$tmp/segments"
cd "$tmp/work" || fail cd
timeout 20 setpriv --reuid=nobody --clear-groups env HEAPTALLY_DIR="$tmp/segments" "$tmp/bin/heaptally" run -o "$tmp/work/c.heaptally" -- "$tmp/capable" >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
grep -q '"truth"' "$tmp/out" || fail "the program did not run to its end"
said "has file capabilities"
said "what works"
finish
