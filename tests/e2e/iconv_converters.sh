#!/usr/bin/env bash
# libc unloads its character converters and puts others at their addresses, without a call of dlopen or dlclose: what each
# allocates is in its own file.
. "$(dirname "$0")/lib.sh"
for mode in exact count; do
  [ $mode = exact ] || run_options="--period 2"
  profile $mode "$programs/iconv_converters"
  [ "$status" != 77 ] || skip "libc has no converters here"
  expect 0
  [ "$(sed -n 's/ reused$//p' "$tmp/out")" -gt 0 ] || skip "libc put no converter where another one had been"
  for pair in by_utf_16=UTF-16 by_utf_32=UTF-32 by_unicode=UNICODE by_iso_2022_jp=ISO-2022-JP by_iso646=ISO646; do
    files=$(get "sorted({(f['module'] or '').split('/')[-1] for s in sites_with(profiles[0], '${pair%=*}') for f in s['frames'] if '/gconv/' in (f['module'] or '')})")
    [ "$files" = "['${pair#*=}.so']" ] || fail "$mode: ${pair%=*} went through $files"
  done
done
finish
