#!/usr/bin/env bash
# Rust, std only, built with -g: the records are at their function and line, in both modes; names are demangled.
. "$(dirname "$0")/lib.sh"
need rustc
source_file=$here/../programs/rust_lines.rs
line() { grep -n "// line: $1\$" "$source_file" | cut -d: -f1; }
rustc -g -C opt-level=1 -o "$tmp/rust_lines" "$source_file" 2>"$tmp/err" || fail "rustc: $(tail -c 400 "$tmp/err")"
alone=$("$tmp/rust_lines")
profile exact "$tmp/rust_lines"
expect 0
[ "$(cat "$tmp/out")" = "$alone" ] || fail "another output than without us"
site "make_records" rust_lines.rs "$(line record)" 2000 1200000
site "make_records" rust_lines.rs "$(line table)" 1 16000
[ "$(get 'any("17h" in (f["function"] or "")[-20:] for s in profiles[0]["sites"] for f in s["frames"])')" = False ] || fail "hashes in Rust names"
profile bytes "$tmp/rust_lines"
expect 0
[ "$(cat "$tmp/out")" = "$alone" ] || fail "another output than without us (bytes)"
finish
