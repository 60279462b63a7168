#!/usr/bin/env bash
# Where no page may be made writable, an allocator's own operator new stays out of reach: all of it, so that no block is
# seen that ends unseen, and the report says so. What goes through malloc counts.
. "$(dirname "$0")/lib.sh"
program=$programs/own_jemalloc_now
[ -x "$program" ] || skip "libjemalloc.so.2 is not installed"
preload mode=exact "$programs/refuse_writable" "$program" "$programs/liblate_new.so" 100; maybe_skip; expect 0
rm -f "$tmp/report.json"
"$heaptally" report "$HEAPTALLY_DIR"/* --json --full >"$tmp/all.json" 2>"$tmp/report.err" || fail "report: $(cat "$tmp/report.err")"
python3 - "$tmp/all.json" >"$tmp/report.json" <<'EOF'
import json, sys
document = json.load(open(sys.argv[1]))
document["profiles"] = [p for p in document["profiles"] if p["exe"].endswith("own_jemalloc_now")]
json.dump(document, sys.stdout)
EOF
[ "$(get "any('operator new' in note for note in profiles[0]['notes'])")" = True ] || fail "not said that operator new is not seen: $(get "profiles[0]['notes']")"
[ "$(get "len(sites_with(profiles[0], 'by_new')) + len(sites_with(profiles[0], 'by_pointer')) + len(sites_with(profiles[0], 'late_new'))")" = 0 ] || fail "operator new was seen in part"
[ "$(get "sum(value(s, 'allocations') for s in sites_with(profiles[0], 'by_malloc'))")" = 100 ] || fail "malloc was not seen"
adds_up
finish
