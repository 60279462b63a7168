#!/usr/bin/env bash
# What stands in an image's word for orders is taken only where its complement does, too, and within bounds: whoever may write the
# file can write anything there, and a write may be half way.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/commanded.sh"
begin bytes
change 0 "$pid" --period 128K
# write_order WORD CHECK: where the order of 128 KiB stands now, and whatever was written since.
write_order() {
  python3 - "$HEAPTALLY_DIR" "$tmp/at" "$1" "$2" <<'P' || fail "the order is not where it is looked for"
import os, struct, sys
folder, at, order, check = sys.argv[1], sys.argv[2], int(sys.argv[3], 0), int(sys.argv[4], 0)
path = next(os.path.join(folder, name) for name in sorted(os.listdir(folder)))
if not os.path.exists(at):
    period = 128 << 10
    wanted = struct.pack("<QQ", period, ~period & (1 << 64) - 1)
    data = open(path, "rb").read()
    if data.count(wanted) != 1: sys.exit(1)
    open(at, "w").write(str(data.index(wanted)))
with open(path, "r+b") as file:
    file.seek(int(open(at).read()))
    file.write(struct.pack("<QQ", order, check))
P
}
known() {  # PERIOD WHAT: the period now; and samples go on
  report "$pid"
  local before after
  before=$(get "profiles[0]['totals']['allocated_bytes']['n']")
  tell churn 30000 4096
  report "$pid"
  after=$(get "profiles[0]['totals']['allocated_bytes']['n']")
  [ "$(get "profiles[0]['period_bytes']")" = "$1" ] || fail "$2: the period is $(get "profiles[0]['period_bytes']"), expected $1"
  [ $((after - before)) -gt "$3" ] || fail "$2: $before samples, then $after"
}
tell churn 10000 4096
known 131072 "as asked" 600
write_order 0x8000000000000000 0x1234
known 131072 "half a pause" 600
write_order 0x100000 0
known 131072 "half a period" 600
write_order 1 0xfffffffffffffffe
tell churn 10000 4096
known 65536 "a period of one byte" 1200
write_order 0x7fffffffffffffff 0x8000000000000000
tell churn 30000 4096
report "$pid"
[ "$(get "65536 < profiles[0]['period_bytes'] < 1 << 48")" = True ] || fail "a period beyond all bounds: $(get "profiles[0]['period_bytes']")"
change 0 "$pid" --period 64K
tell churn 10000 4096
end
finish
