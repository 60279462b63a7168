#!/usr/bin/env bash
# The comparison of exports can fail: one wrong number, name, order, address or id in a file is found, whatever the file.
. "$(dirname "$0")/lib.sh"
. "$here/lib_exports.sh"
"$heaptally" run --mode exact -o "$tmp/good.heaptally" -- "$programs/cpp_lines" >/dev/null 2>"$tmp/err"
export_all "$tmp/good.heaptally"
compare_exports "untouched files"
cp -r "$tmp/exports" "$tmp/good"

cat >"$tmp/spoil.py" <<'PY'
"""spoil.py FOLDER WHAT: makes one thing wrong."""
import gzip, json, pathlib, sys
sys.path.insert(0, sys.argv[3])
import read_pprof
folder, what = pathlib.Path(sys.argv[1]), sys.argv[2]

def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])

def encode(pairs):
    return b"".join(varint(number << 3) + varint(value) if isinstance(value, int) else
                    varint(number << 3 | 2) + varint(len(value)) + value for number, value in pairs)

def spoil_message(number, change):
    """The first message `number` of live.pb.gz that `change` changes."""
    path = folder / "live.pb.gz"
    pairs = list(read_pprof.fields(gzip.decompress(path.read_bytes())))
    for at, (field, value) in enumerate(pairs):
        if field != number:
            continue
        changed = change(value if isinstance(value, int) else value)
        if changed is not None and changed != value:
            pairs[at] = field, changed
            path.write_bytes(gzip.compress(encode(pairs)))
            return
    sys.exit(f"nothing to spoil: {what}")

def inner(number, change):
    def apply(message):
        pairs = list(read_pprof.fields(message))
        for at, (field, value) in enumerate(pairs):
            if field == number:
                pairs[at] = field, change(value)
                return encode(pairs)
        return None
    return apply

def swap_lines(message):
    pairs = list(read_pprof.fields(message))
    lines = [at for at, (field, _) in enumerate(pairs) if field == 4]
    if len(lines) < 2:
        return None
    pairs[lines[0]], pairs[lines[1]] = pairs[lines[1]], pairs[lines[0]]
    return encode(pairs)

def with_json(name, change):
    file = json.loads((folder / name).read_text())
    change(file)
    (folder / name).write_text(json.dumps(file))

def folded(change):
    lines = (folder / "churn.folded").read_text().splitlines()
    lines[0] = change(lines[0])
    (folder / "churn.folded").write_text("".join(line + "\n" for line in lines))

def reverse(line):
    stack, number = line.rsplit(" ", 1)
    return ";".join(stack.split(";")[::-1]) + " " + number

{
    "folded number": lambda: folded(lambda line: line + "0"),
    "folded order": lambda: folded(reverse),
    "pprof number": lambda: spoil_message(2, inner(2, lambda value: bytes([value[0] ^ 1]) + value[1:])),
    "pprof inlined order": lambda: spoil_message(4, swap_lines),
    "pprof stack order": lambda: spoil_message(2, inner(1, lambda value: value[::-1] if max(value) < 128 else value)),
    "pprof address": lambda: spoil_message(4, inner(3, lambda value: value - 8)),
    "pprof offset of a mapping": lambda: spoil_message(3, inner(4, lambda value: value + 4096)),
    "pprof id": lambda: spoil_message(5, inner(1, lambda value: value + 70000)),
    "pprof bad UTF-8": lambda: spoil_message(6, lambda value: value + b"\xff" if value.endswith(b".cc") else None),
    "pprof two times": lambda: (folder / "live.pb.gz").write_bytes(gzip.compress(gzip.decompress((folder / "live.pb.gz").read_bytes()) * 2)),
    "pprof period": lambda: spoil_message(12, lambda value: value + 1),
    "speedscope number": lambda: with_json("all.speedscope.json", lambda file: file["profiles"][0]["weights"].__setitem__(0, 1)),
    "speedscope order": lambda: with_json("all.speedscope.json", lambda file: max(file["profiles"][0]["samples"], key=len).reverse()),
    "DHAT number": lambda: with_json("all.dhat.json", lambda file: file["pps"][0].__setitem__("tb", file["pps"][0]["tb"] + 1)),
    "DHAT order": lambda: with_json("all.dhat.json", lambda file: max(file["pps"], key=lambda p: len(p["fs"]))["fs"].reverse()),
}[what]()
PY
for what in "folded number" "folded order" "pprof number" "pprof inlined order" "pprof stack order" "pprof address" "pprof offset of a mapping" \
            "pprof id" "pprof bad UTF-8" "pprof two times" "pprof period" "speedscope number" "speedscope order" "DHAT number" "DHAT order"; do
  rm -rf "$tmp/exports"; cp -r "$tmp/good" "$tmp/exports"
  python3 "$tmp/spoil.py" "$tmp/exports" "$what" "$here" || { fail "$what could not be spoilt"; continue; }
  python3 "$here/compare_exports.py" "$tmp/exports/report.json" "$tmp/exports" >"$tmp/found" 2>&1 && fail "not found: $what"
done
finish
