#!/usr/bin/env bash
# The script of the flame page by itself: its unit tests under node, and its types, which the TypeScript compiler checks.
. "$(dirname "$0")/lib.sh"
need node
page=$here/../../src/exporters/page
for test in "$page"/*_test.js; do
  node "$test" >"$tmp/out" 2>&1 || { fail "$(basename "$test")"; grep -E "error:|expected|actual|^not ok" "$tmp/out" | head -20; }
done
need npm
# Exactly this version, kept beside the build.
compiler=typescript@5.9.3
tsc=$build/page-types/node_modules/.bin/tsc
[ -x "$tsc" ] || timeout 90 npm install --silent --no-audit --no-fund --no-save --prefix "$build/page-types" $compiler >"$tmp/npm" 2>&1 ||
  skip "npm cannot install $compiler: $(tail -1 "$tmp/npm")"
"$tsc" --allowJs --checkJs --noEmit --strict --noUnusedLocals --noUnusedParameters --target es2022 --module es2022 --moduleResolution bundler \
  --lib es2023,dom,dom.iterable "$page"/main.js >"$tmp/types" || fail "types: $(head -30 "$tmp/types")"
finish
