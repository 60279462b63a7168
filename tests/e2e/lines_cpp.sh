#!/usr/bin/env bash
# C++ built with -g: each site is right by function, file, line and amount; and the top site of the text report is the
# line that holds most.
. "$(dirname "$0")/lib.sh"
source_file=$here/../programs/cpp_lines.cc
line() { grep -n "// line: $1\$" "$source_file" | cut -d: -f1; }
profile exact "$programs/cpp_lines"
expect 0
site "shop::Shelf<" cpp_lines.cc "$(line item)" 10000 4800000
site "shop::Shelf<" cpp_lines.cc "$(line reserve)" 1 80000
site "shop::label" cpp_lines.cc "$(line label)" 200 103300   # a string of 32 bytes and its 1,001 letters, each 100 times
site "main::" cpp_lines.cc "$(line lambda)" 500 1111000
"$heaptally" report "$tmp/capture.heaptally" >"$tmp/text" 2>&1
top=$(grep -m1 -E '^ *1 ' "$tmp/text")
echo "$top" | grep -q "fill" || fail "top site is: $top"
echo "$top" | grep -q "cpp_lines.cc:$(line item)" || fail "top site is not line $(line item): $top"
finish
