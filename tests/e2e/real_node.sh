#!/usr/bin/env bash
# node: JavaScript's own heap does not go through malloc, but node's does.
. "$(dirname "$0")/lib.sh"
need node
same_as_alone 1000 node -e 'const a = []; for (let i = 0; i < 20000; ++i) a.push(Buffer.from("x".repeat(i % 300))); console.log(a.length); process.exitCode = 6'
finish
