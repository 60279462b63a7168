#!/usr/bin/env bash
# What a child inherits is said, and the frees of it are told apart from its own.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/fork_plain"
expect 0
truth --profiles 3
inherited=$(get 'sorted(p["inherited_bytes"] for p in profiles)')
case $inherited in
  "[0, 3000000, "*) ;;
  *) fail "inherited bytes are $inherited, the child's should be 3000000 (300 blocks of 10,000)" ;;
esac
[ "$(get 'sorted(p["unknown_frees"] for p in profiles)[-1]')" = 100 ] || fail "the child's 100 frees of inherited blocks are not said"
finish
