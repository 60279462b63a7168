# Reads the data of a flame page (src/exporters/flame_data.h), independently of the page's own script.
import base64, gzip, html, json, re, struct


class Columns:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 if value % 2 == 0 else -(value + 1) // 2

    def numbers(self, count):
        return [self.number() for _ in range(count)]

    def differences(self, count):
        out, last = [], 0
        for _ in range(count):
            last += self.signed()
            out.append(last)
        return out

    def doubles(self, count):
        self.at += 8 * count
        return struct.unpack(f"<{count}d", self.data[self.at - 8 * count:self.at])

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at]


class FlameData:
    def __init__(self, path):
        self.page = open(path, encoding="utf-8").read()
        packed = re.search(r'<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>', self.page)[1]
        columns = Columns(gzip.decompress(base64.b64decode(packed)))
        self.head = json.loads(columns.text())
        columns.number()
        self.strings = columns.text().decode("utf-8", "replace").split("\0")
        count = columns.number()
        self.short, self.whole, self.file, self.module = (columns.differences(count) for _ in range(4))
        self.flags = columns.numbers(count)
        count = columns.number()
        self.parent = [-1]
        for node, up in enumerate(columns.numbers(count), 1):
            above = node - 1
            for _ in range(up):
                above = self.parent[above]
            self.parent.append(above)
        self.function = [-1] + columns.numbers(count)
        [columns.signed() for _ in range(count)], columns.numbers(count)
        count = columns.number()
        self.place_function, self.place_line = columns.numbers(count), columns.numbers(count)
        count = columns.number()
        self.leaf_node, node = [], 0
        for step in columns.numbers(count):
            node += step
            self.leaf_node.append(node)
        self.leaf_place, self.leaf_profile = columns.numbers(count), columns.numbers(count)
        self.values = []
        for _ in range(self.head["columns"]):
            values = columns.numbers(count)
            if self.head["sampled"]:
                values = [whole + part for whole, part in zip(values, columns.doubles(count))]
                columns.doubles(count), columns.numbers(count)
            self.values.append(values)
        if self.head["sampled"]:
            columns.numbers(count)
        assert columns.at == len(columns.data), "something is left over"

    def measure(self, name):
        return next(measure for measure in self.head["measures"] if measure["name"] == name)

    def total(self, name):
        return sum(self.values[self.measure(name)["column"]])

    def stacks(self, name):
        """Path of whole names, root first -> value."""
        out = {}
        for node, value in zip(self.leaf_node, self.values[self.measure(name)["column"]]):
            path = []
            while node > 0:
                path.append(self.strings[self.whole[self.function[node]]])
                node = self.parent[node]
            if value:
                out[";".join(reversed(path))] = out.get(";".join(reversed(path)), 0) + value
        return out
