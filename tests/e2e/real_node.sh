#!/usr/bin/env bash
# node: JavaScript's own heap does not go through malloc, but node's does; and most of its stacks reach main through JavaScript.
. "$(dirname "$0")/lib.sh"
need node
same_as_alone 1000 node -e 'const a = []; for (let i = 0; i < 20000; ++i) a.push(Buffer.from("x".repeat(i % 300))); console.log(a.length); process.exitCode = 6'
profile exact node -e 'for (let i = 0; i < 2000; ++i) require("zlib").deflateSync(Buffer.alloc(20000 + i))'
expect 0
of_main="[(value(s, 'allocations'), s['truncated'], len(s['frames'])) for p in profiles for s in p['sites'] if (s['thread'] or '') in ('node', 'MainThread')]"
[ "$(get "sum(n for n, cut, depth in $of_main if not cut and depth > 5) > 0.9 * sum(n for n, cut, depth in $of_main) > 1000")" = True ] ||
  fail "whole stacks: $(get "sum(n for n, cut, depth in $of_main if not cut and depth > 5)") of $(get "sum(n for n, cut, depth in $of_main)") allocations"
finish
