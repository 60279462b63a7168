"""Inputs of the real programs, made from fixed seeds."""
import os
import random
import subprocess

PYTHON = """\
import json, random, sys
random.seed(1)
rows = [{"id": i, "name": "name-%d" % i, "tags": [str(random.random()) for _ in range(8)],
         "at": {"x": i * 0.5, "y": None}} for i in range(4000)]
kept = []
for i in range(int(sys.argv[1])):
    text = json.dumps(rows)
    back = json.loads(text)
    kept = [r for r in back if r["id"] % 3 == i % 3]
    index = {r["name"]: r for r in kept}
"""

PERL = """\
my $n = shift;
for my $round (1 .. $n) {
  my %count; my @rows;
  for my $i (1 .. 20000) {
    my $text = join(",", map { ($i * $_ + $round) % 977 } 1 .. 12);
    push @rows, [split /,/, $text];
    $count{"key-" . ($i * 7919 % 5003)} .= substr($text, 0, 10);
  }
  my @sorted = sort { $a->[3] <=> $b->[3] } @rows;
  my $sum = 0; $sum += length $_ for values %count;
}
"""

NODE = """\
const n = Number(process.argv[2]);
let sum = 0;
for (let round = 0; round < n; ++round) {
  const map = new Map(), buffers = [];
  for (let i = 0; i < 4000; ++i) {
    const buffer = Buffer.allocUnsafeSlow(64 + i % 700);
    buffer.fill(i & 255);
    buffers.push(buffer);
    map.set('key-' + i % 1009, { i, text: buffer.toString('hex', 0, 16), list: [i, i + 1, round] });
  }
  sum += JSON.parse(JSON.stringify([...map.values()])).length + Buffer.concat(buffers).length;
}
console.log(sum);
"""


def sql(rows):
    return f"""\
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, tag TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
  INSERT INTO item SELECT i, 'name-' || (i * 7919 % 100003), i * 0.25,
    substr('abcdefghijklmnopqrstuvwxyz', i % 26, 5) FROM n;
CREATE INDEX by_name ON item(name);
SELECT count(*), sum(price) FROM item GROUP BY tag;
SELECT count(*) FROM item a JOIN item b ON a.name = b.name AND a.id < b.id;
UPDATE item SET name = upper(name) || '-' || id WHERE id % 3 = 0;
SELECT group_concat(name) FROM (SELECT name FROM item ORDER BY price DESC, name LIMIT 20000);
DELETE FROM item WHERE id % 2 = 0;
"""


def unit(k):
    """A piece of C++ that instantiates containers and algorithms over a type of its own."""
    return f"""
namespace unit{k} {{
struct Key {{ std::string name; int rank;
  bool operator<(const Key& o) const {{ return std::tie(name, rank) < std::tie(o.name, o.rank); }}
  bool operator==(const Key& o) const {{ return name == o.name && rank == o.rank; }} }};
struct Hash {{ std::size_t operator()(const Key& k) const {{ return std::hash<std::string>()(k.name) ^ k.rank; }} }};
using Value = std::variant<int, double, std::string, std::vector<Key>>;
std::map<Key, std::vector<Value>> ordered; std::unordered_map<Key, std::deque<Value>, Hash> hashed;
int Work(const std::string& text) {{
  std::istringstream in(text); std::string word; int n = {k};
  while (in >> word) {{
    Key key{{word, n++}};
    ordered[key].emplace_back(word); hashed[key].push_front(Value(n * 0.5));
    std::set<Key> seen; std::list<Key> order; order.push_back(key); seen.insert(key);
  }}
  std::vector<Key> keys; for (auto& e : ordered) keys.push_back(e.first);
  std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {{ return a.rank > b.rank; }});
  auto sum = std::accumulate(keys.begin(), keys.end(), 0, [](int a, const Key& b) {{ return a + b.rank; }});
  auto shared = std::make_shared<std::vector<Key>>(keys);
  std::function<int()> f = [shared, sum] {{ return sum + int(shared->size()); }};
  return f();
}}
}}
"""


def preprocessed_source(scratch, units, compiler="g++"):
    headers = ("algorithm deque functional iostream list map memory numeric set sstream string tuple unordered_map "
               "variant vector").split()
    text = "".join(f"#include <{header}>\n" for header in headers) + "".join(unit(k) for k in range(units))
    source, result = os.path.join(scratch, "units.cc"), os.path.join(scratch, compiler + "-units.ii")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([compiler, "-std=c++17", "-E", source, "-o", result], check=True, stderr=subprocess.DEVNULL)
    return result


def repository(scratch, commits):
    """A repository of 40 text files in which each commit changes a few lines of three."""
    path = os.path.join(scratch, "repository")
    generator = random.Random(1)
    files = [[f"line {n} of file {k}" for n in range(400)] for k in range(40)]
    stream = []
    for number in range(commits):
        message = f"change {number}"
        stream.append(f"commit refs/heads/main\ncommitter A <a@example.org> {1600000000 + 60 * number} +0000\n"
                      f"data {len(message)}\n{message}\n")
        for k in (range(40) if number == 0 else generator.sample(range(40), 3)):
            for _ in range(6):
                files[k][generator.randrange(400)] = f"line changed by {number}: {generator.random()}"
            text = "\n".join(files[k]) + "\n"
            stream.append(f"M 644 inline dir{k % 5}/file{k}.txt\ndata {len(text)}\n{text}\n")
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["git", "init", "-q", path], **quiet)
    subprocess.run(["git", "-C", path, "fast-import", "--quiet"], input="".join(stream).encode(), **quiet)
    subprocess.run(["git", "-C", path, "symbolic-ref", "HEAD", "refs/heads/main"], **quiet)
    return path
