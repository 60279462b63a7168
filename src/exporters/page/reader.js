// Reads the columns that flame_data.cc wrote; flame_data.h has their order.

/**
 * @typedef {{proven: number, inferred: number, variance: number, samples: number}} Moments
 * @typedef {{columns: Moments[], peakWhole: Moments, peakMostProven: number, floor: number, period: number}} Totals
 * @typedef {{name: string, pid: number, command: string, exe: string, mode: string, live: string, peak: string, end: string,
 *   taken_ms: number, not_seen: string[], notes: string[], totals: Totals}} Image
 * @typedef {{name: string, title: string, bytes: boolean, column: number, beside: number, exact: boolean}} Measure
 * @typedef {{title: string, narrowed: string, not_seen: string[], measures: Measure[], columns: number, sampled: boolean, measure: string,
 *   pruned: {nodes: number, share: number} | null, profiles: Image[]}} Head
 * @typedef {{proven: Float64Array, inferred: Float64Array, variance: Float64Array, samples: Float64Array}} Column
 * @typedef {{short: Int32Array, whole: Int32Array, file: Int32Array, module: Int32Array, flags: Int32Array, count: number}} Functions
 * @typedef {{count: number, parent: Int32Array, end: Int32Array, func: Int32Array, line: Int32Array, last: Int32Array}} Nodes
 * @typedef {{count: number, func: Int32Array, line: Int32Array}} Places
 * @typedef {{count: number, node: Int32Array, place: Int32Array, profile: Int32Array, columns: Column[], floor: Float64Array}} Leaves
 * @typedef {{head: Head, strings: string[], functions: Functions, nodes: Nodes, places: Places, leaves: Leaves}} Data
 */

export const kPlumbing = 1, kWords = 2;

class ByteReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** LEB128; exact up to 2^53. @returns {number} */
  number() {
    const bytes = this.bytes;
    let value = bytes[this.at++];
    if (value < 0x80) return value;
    value &= 0x7F;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = bytes[this.at++];
      value += (byte & 0x7F) * scale;
      if (!(byte >= 0x80)) return value;
    }
  }

  /** @template {Int32Array | Float64Array} A @param {A} out @returns {A} */
  numbers(out) {
    for (let i = 0; i < out.length; ++i) out[i] = this.number();
    return out;
  }

  /** Differences in both directions. @param {number} count @returns {Int32Array} */
  differences(count) {
    const out = new Int32Array(count);
    for (let i = 0, last = 0; i < count; ++i) out[i] = last += this.signed();
    return out;
  }

  /** @returns {number} */
  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** @param {number} count @returns {Float64Array} */
  doubles(count) {
    const from = this.bytes.byteOffset + this.at;
    this.at += 8 * count;
    return new Float64Array(this.bytes.buffer.slice(from, from + 8 * count));
  }

  /** Bytes that are not UTF-8 become U+FFFD. @returns {string} */
  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

/** @param {ByteReader} input @returns {Nodes} */
function readNodes(input, /** @type {number} */ functions) {
  const count = input.number() + 1;
  const parent = new Int32Array(count), end = new Int32Array(count), func = new Int32Array(count);
  const line = new Int32Array(count), last = new Int32Array(count), lines = new Int32Array(functions);
  parent[0] = func[0] = -1;
  for (let node = 1; node < count; ++node) {
    let above = node - 1;
    for (let up = input.number(); up > 0; --up) above = parent[above];
    parent[node] = above;
  }
  for (let node = 1; node < count; ++node) func[node] = input.number();
  for (let node = 1; node < count; ++node) line[node] = lines[func[node]] += input.signed();
  for (let node = 1; node < count; ++node) last[node] = line[node] + input.number();
  for (let node = count - 1; node >= 0; --node) {  // a subtree is [node, end)
    if (end[node] === 0) end[node] = node + 1;
    if (node > 0 && end[parent[node]] < end[node]) end[parent[node]] = end[node];
  }
  return { count, parent, end, func, line, last };
}

/** @param {ByteReader} input @param {Head} head @returns {Leaves} */
function readLeaves(input, head) {
  const count = input.number(), node = new Int32Array(count), none = new Float64Array(0);
  for (let leaf = 0, at = 0; leaf < count; ++leaf) node[leaf] = at += input.number();
  const place = input.numbers(new Int32Array(count)), profile = input.numbers(new Int32Array(count));
  /** @type {Column[]} */
  const columns = [];
  for (let i = 0; i < head.columns; ++i) {
    const proven = input.numbers(new Float64Array(count));
    if (!head.sampled) columns.push({ proven, inferred: none, variance: none, samples: none });
    else {
      columns.push({ proven, inferred: input.doubles(count), variance: input.doubles(count),
                     samples: input.numbers(new Float64Array(count)) });
    }
  }
  const floor = head.sampled ? input.numbers(new Float64Array(count)) : none;
  for (let i = 0; i < floor.length; ++i) floor[i] = floor[i] === 0 ? Infinity : floor[i] - 1;
  return { count, node, place, profile, columns, floor };
}

/** @param {string} text @returns {Head} */
function readHead(text) {
  const head = JSON.parse(text);
  /** @param {number[]} amount @returns {Moments} */
  const moments = ([proven, inferred, variance, samples]) => ({ proven, inferred, variance, samples });
  for (const image of head.profiles) {
    const totals = image.totals;
    image.totals = { columns: totals.columns.map(moments), peakWhole: moments(totals.peak_whole), period: totals.period,
                     peakMostProven: totals.peak_most_proven, floor: totals.floor < 0 ? Infinity : totals.floor };
  }
  return head;
}

/** @param {Uint8Array} bytes @returns {Data} */
export function read(bytes) {
  const input = new ByteReader(bytes), head = readHead(input.text());
  input.number();  // of strings: the divisions tell
  // Marks that turn the direction of text would turn what stands beside a name.
  const strings = input.text().replace(/[\u202a-\u202e\u2066-\u2069\u2028\u2029]/g, "\ufffd").split("\0"), count = input.number();
  const functions = { count, short: input.differences(count), whole: input.differences(count), file: input.differences(count),
                      module: input.differences(count), flags: input.numbers(new Int32Array(count)) };
  const nodes = readNodes(input, count), places = input.number();
  return { head, strings, functions, nodes,
           places: { count: places, func: input.numbers(new Int32Array(places)), line: input.numbers(new Int32Array(places)) },
           leaves: readLeaves(input, head) };
}
