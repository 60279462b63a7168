#!/usr/bin/env bash
# Two plugins, the second at the addresses of the first: 3 MiB belong to one, 2 MiB to the other.
. "$(dirname "$0")/lib.sh"
both "$programs/plugin_reuse" "$programs/libplugin_one.so" "$programs/libplugin_two.so"
grep -q "same addresses" "$tmp/err" || skip "the loader put the second plugin elsewhere"
finish
