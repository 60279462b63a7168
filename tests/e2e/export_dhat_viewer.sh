#!/usr/bin/env bash
# valgrind's own viewer takes our DHAT files, with the sums and stacks that are in them.
. "$(dirname "$0")/lib.sh"
. "$here/lib_exports.sh"
need node
viewer=$(ls /usr/libexec/valgrind/dh_view.js /usr/lib/*/valgrind/dh_view.js /usr/lib/valgrind/dh_view.js 2>/dev/null | head -1)
[ -n "$viewer" ] || skip "valgrind's dh_view.js is not installed"
capture_programs
for capture in "$tmp"/*.heaptally; do
  case $capture in *count*) continue ;; esac  # knows no bytes: export_command sees that refused
  "$heaptally" export "$capture" -o "$tmp/file.dhat.json" 2>"$tmp/err" || fail "export: $(cat "$tmp/err")"
  node "$here/load_in_dhat_viewer.js" "$viewer" "$tmp/file.dhat.json" || fail "$(basename "$capture"): see above"
done
finish
