#!/usr/bin/env bash
# What is no capture is named for what it is, and what would be destroyed by a capture is refused.
. "$(dirname "$0")/lib.sh"
wrong() { "$heaptally" "$@" >"$tmp/out" 2>"$tmp/err"; status=$?; expect 125; [ ! -s "$tmp/out" ] || fail "$*: output"; }
: >"$tmp/empty"; wrong report "$tmp/empty"; said "is empty"
echo hello >"$tmp/text"; wrong report "$tmp/text"; said "neither a capture nor a segment \(it begins with \"hello\""
wrong report "$tmp"; said "is a directory"
mkfifo "$tmp/fifo"; wrong report "$tmp/fifo"; said "is a pipe"
wrong run -o "$tmp/fifo" -- true; said "no file"; [ -p "$tmp/fifo" ] || fail "the pipe was replaced"
wrong run -o - -- true; said "standard output"
wrong ls --dir "$tmp/text"; said "is not a directory"
wrong ls --dir "$tmp/none"; said "no directory"
wrong report --limit -1 "$tmp/text"; said "whole number"
wrong report --by live --by peak "$tmp/text"; said "more than once"
wrong report --by; said "no value"
wrong report; grep -q "heaptally: heaptally" "$tmp/err" && fail "said twice: $(cat "$tmp/err")"
wrong record; said "heaptally run"
wrong -v; said -- "--version"
finish
