#!/usr/bin/env python3
"""make_dwp.py OUT.dwp A.dwo...: packs DWARF 5 .dwo files (little-endian ELF64, one unit each) into a package.

Debian 12's packers do not do it: binutils' dwp 2.40 crashes on DWARF 5, and llvm-dwp 14 does not end.
"""
import struct
import sys

COLUMNS = [(1, ".debug_info.dwo"), (3, ".debug_abbrev.dwo"), (4, ".debug_line.dwo"), (6, ".debug_str_offsets.dwo"),
           (8, ".debug_rnglists.dwo")]


def sections(path):
    data = open(path, "rb").read()
    at, entry, count, names = struct.unpack_from("<Q", data, 0x28)[0], *struct.unpack_from("<HHH", data, 0x3a)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * entry) for i in range(count)]
    names_at = heads[names][4]
    return {data[names_at + h[0]:data.index(b"\0", names_at + h[0])].decode(): data[h[4]:h[4] + h[5]] for h in heads}


def moved(str_offsets, by):
    """Offsets of strings that now begin at `by`; behind a header of 8 bytes."""
    count = (len(str_offsets) - 8) // 4
    return str_offsets[:8] + struct.pack(f"<{count}I", *(o + by for o in struct.unpack_from(f"<{count}I", str_offsets, 8)))


def main(out, paths):
    whole = {name: b"" for _, name in COLUMNS}
    strings, rows, ids = b"", [], []
    for path in paths:
        own = sections(path)
        own[".debug_str_offsets.dwo"] = moved(own[".debug_str_offsets.dwo"], len(strings))
        strings += own[".debug_str.dwo"]
        ids.append(struct.unpack_from("<Q", own[".debug_info.dwo"], 12)[0])
        rows.append([(len(whole[name]), len(own.get(name, b""))) for _, name in COLUMNS])
        for _, name in COLUMNS:
            whole[name] += own.get(name, b"")
    slots = 4
    while slots < 2 * len(rows):
        slots *= 2
    hashes, indexes = [0] * slots, [0] * slots
    for row, dwo_id in enumerate(ids):
        slot, step = dwo_id & (slots - 1), ((dwo_id >> 32) & (slots - 1)) | 1
        while indexes[slot]:
            slot = (slot + step) & (slots - 1)
        hashes[slot], indexes[slot] = dwo_id, row + 1
    index = struct.pack("<HHIII", 5, 0, len(COLUMNS), len(rows), slots)
    index += struct.pack(f"<{slots}Q{slots}I", *hashes, *indexes) + struct.pack("<5I", *(c for c, _ in COLUMNS))
    for part in (0, 1):
        for row in rows:
            index += struct.pack("<5I", *(cell[part] for cell in row))
    parts = list(whole.items()) + [(".debug_str.dwo", strings), (".debug_cu_index", index)]
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _ in parts) + b".shstrtab\0"
    parts.append((".shstrtab", names))
    body, heads, at = b"", [b"\0" * 64], 64
    for name, data in parts:
        kind = 3 if name == ".shstrtab" else 1
        heads.append(struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), kind, 0, 0, at + len(body), len(data), 0, 0, 1, 0))
        body += data
    body += b"\0" * (-len(body) % 8)
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, at + len(body), 0, 64, 0, 0, 64,
                                                           len(heads), len(heads) - 1)
    open(out, "wb").write(head + body + b"".join(heads))


main(sys.argv[1], sys.argv[2:])
