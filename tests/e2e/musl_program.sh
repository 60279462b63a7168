#!/usr/bin/env bash
# A program that is linked with musl: the same agent file works in it.
. "$(dirname "$0")/lib.sh"
need musl-gcc
for program in hello_leak single_thread; do
  musl-gcc -g -O1 -fno-builtin -D_GNU_SOURCE -o "$tmp/$program" "$here/../programs/$program.c" || fail "musl-gcc cannot build $program"
  profile exact "$tmp/$program"
  expect 0
  # musl describes no code by call frame information: what its start code, or calloc, called is marked as cut.
  truth --mode exact --allow-loss stack-cut-no-rule
done
finish
