"""Reads a pprof file (gzip, protobuf) with nothing but Python, and holds it to the rules of its stricter readers.

    read(path)            -> Pprof
    broken_rules(pprof)   -> sentences; empty if it is valid

The rules: Profile.CheckValid of github.com/google/pprof; ids exactly 1..N in order, as Parca wants them; valid UTF-8
and no `-` in a sample type, as Pyroscope does; and our own promises (heap sample types, period, no duration, the
program first, addresses inside of their mappings).
"""
import collections
import gzip

Line = collections.namedtuple("Line", "function line")
Location = collections.namedtuple("Location", "id mapping address lines")
Mapping = collections.namedtuple("Mapping", "id start limit offset path build_id functions files lines inlines")
Function = collections.namedtuple("Function", "id name full file")
Sample = collections.namedtuple("Sample", "locations values labels")

HEAP_TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]


class Pprof:
    pass


def fields(data):
    """Yields (field number, value): int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("a field is longer than its message")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def integers(values):
    """Of a repeated integer field, packed or not."""
    out = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = varint(value, at)
            out.append(one)
    return out


def message(data):
    out = collections.defaultdict(list)
    for number, value in fields(data):
        out[number].append(value)
    return out


def one(msg, number, default=0):
    return msg[number][-1] if number in msg else default


def read(path):
    raw = open(path, "rb").read()
    if raw[:2] != b"\x1f\x8b":
        raise ValueError("not gzip")
    top = message(gzip.decompress(raw))
    out = Pprof()
    out.top = top
    out.raw_strings = top[6]
    text = out.strings = [value.decode("utf-8", "replace") for value in top[6]]
    types = [message(value) for value in top[1]]
    out.types = [(text[one(value, 1)], text[one(value, 2)]) for value in types]
    out.samples, out.locations, out.mappings, out.functions = [], [], [], []
    for value in map(message, top[2]):
        labels = [message(label) for label in value[3]]
        out.samples.append(Sample(tuple(integers(value[1])), tuple(integers(value[2])),
                                  tuple((text[one(label, 1)], text[one(label, 2)]) for label in labels)))
    for value in map(message, top[3]):
        out.mappings.append(Mapping(*(one(value, number) for number in (1, 2, 3, 4)), text[one(value, 5)], text[one(value, 6)],
                                    *(one(value, number) for number in (7, 8, 9, 10))))
    for value in map(message, top[4]):
        lines = [message(line) for line in value[4]]
        out.locations.append(Location(one(value, 1), one(value, 2), one(value, 3),
                                      tuple(Line(one(line, 1), one(line, 2)) for line in lines)))
    for value in map(message, top[5]):
        out.functions.append(Function(one(value, 1), *(text[one(value, number)] for number in (2, 3, 4))))
    period_type = message(one(top, 11, b""))
    out.period_type = (text[one(period_type, 1)], text[one(period_type, 2)])
    out.period, out.time, out.duration = one(top, 12), one(top, 9), one(top, 10)
    out.comments = [text[index] for index in integers(top[13])]
    out.default = text[one(top, 14)]
    return out


def frames_of(pprof, sample):
    """The stack, leaf first, inlined functions first: (function, line, address, mapping)."""
    if not hasattr(pprof, "frames"):
        pprof.frames = [[(pprof.functions[line.function - 1], line.line, location.address, location.mapping)
                         for line in location.lines] for location in pprof.locations]
    return [frame for number in sample.locations for frame in pprof.frames[number - 1]]


def broken_rules(pprof, heap=True, mode="bytes"):
    wrong = []

    def rule(holds, what):
        if not holds and what not in wrong:
            wrong.append(what)

    rule(pprof.strings and pprof.strings[0] == "", "string 0 is not empty")
    for value in pprof.raw_strings:
        try:
            value.decode("utf-8")
        except UnicodeDecodeError:
            rule(False, f"a string is not UTF-8: {value[:60]!r}")
    rule(len(set(pprof.raw_strings)) == len(pprof.raw_strings), "a string is there twice")
    for kind in ("mappings", "locations", "functions"):
        ids = [value.id for value in getattr(pprof, kind)]
        rule(ids == list(range(1, len(ids) + 1)), f"ids of {kind} are not 1..N")
    for location in pprof.locations:
        rule(location.mapping <= len(pprof.mappings), "a location's mapping is in no table")
        rule(location.lines, "a location has no line")
        rule(all(1 <= line.function <= len(pprof.functions) for line in location.lines), "a line's function is in no table")
        if location.mapping:
            mapping = pprof.mappings[location.mapping - 1]
            rule(mapping.start <= location.address < mapping.limit, "an address lies outside of its mapping")
    seen = set()
    for sample in pprof.samples:
        rule(len(sample.values) == len(pprof.types), "a sample has not a value for each type")
        rule(sample.locations, "a sample has no location")
        rule(all(1 <= number <= len(pprof.locations) for number in sample.locations), "a sample's location is in no table")
        rule(all(value < 1 << 63 for value in sample.values), "a value is negative")
        rule(any(sample.values), "a sample is nothing but zeros")
        rule(all(key for key, _ in sample.labels), "a label has no key")
        rule(len(dict(sample.labels)) == len(sample.labels), "a key has two values")
        rule((sample.locations, sample.labels) not in seen, "a stack is there twice")
        seen.add((sample.locations, sample.labels))
    rule(not any("-" in kind for kind, _ in pprof.types), "a `-` in a sample type")
    rule(len(set(pprof.functions)) == len(pprof.functions), "a function is there twice")
    rule(all(function.name for function in pprof.functions), "a function has no name")
    if heap:
        types = [kind for kind in HEAP_TYPES if kind[1] == "count"] if mode == "count" else HEAP_TYPES
        period_type = ("objects", "count") if mode in ("count", "per-class") else ("space", "bytes")
        rule(pprof.types == types, f"sample types {pprof.types}")
        rule(pprof.period_type == period_type and pprof.period >= 1, f"period {pprof.period} {pprof.period_type}")
        rule(pprof.default in [kind for kind, _ in pprof.types], f"default sample type {pprof.default!r}")
        rule(pprof.duration == 0, "a heap has no duration")
        rule(len(pprof.top[9]) == 1 and pprof.time > 0, "the time is not there once")
        rule(pprof.mappings and pprof.mappings[0].path, "no first mapping")
    return wrong
