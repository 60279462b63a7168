#!/usr/bin/env bash
# A headless Chromium works the flame page: totals, search, zoom, both orders, fragments, keys, hostile names, deep stacks,
# 100,000 frames, several processes, SVG, folded text, print.
. "$(dirname "$0")/lib.sh"
chromium=$(PYTHONPATH=$here python3 -c 'import chromium; print(chromium.find() or "")')
[ -n "$chromium" ] || skip "chromium is not installed"
made=$build/bin/made_flame_pages
[ -x "$made" ] || skip "made_flame_pages is not built"
mkdir "$tmp/pages" && "$made" "$tmp/pages" || fail "made_flame_pages: status $?"
profile bytes "$programs/statistics_sites" 2>/dev/null || true
[ -s "$tmp/capture.heaptally" ] || profile bytes "$programs/hello_leak"
"$heaptally" flame "$tmp/capture.heaptally" -o "$tmp/pages/real.html" >/dev/null || fail "flame: status $?"
PYTHONPATH=$here timeout -s KILL 110 python3 "$here/flame_browser.py" "$chromium" "$tmp/pages" "$tmp/report.json" || failed=1
finish
