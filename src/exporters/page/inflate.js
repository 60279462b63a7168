// Gzip for browsers without DecompressionStream (before 2023): RFC 1951 and 1952, straight from the text, one member. Its
// input was written by the tool into this very page, so that damage is an exception and no more.

const kLengthBase = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const kLengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const kDistanceBase = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const kDistanceBits = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const kOrderOfLengths = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** @typedef {{counts: Uint16Array, symbols: Uint16Array}} Code */

/** A canonical code, from the length of each symbol's code. @param {ArrayLike<number>} lengths @returns {Code} */
function makeCode(lengths) {
  const counts = new Uint16Array(16), next = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
  for (let i = 0; i < lengths.length; ++i) ++counts[lengths[i]];
  counts[0] = 0;
  for (let length = 1; length < 15; ++length) next[length + 1] = next[length] + counts[length];
  for (let i = 0; i < lengths.length; ++i) if (lengths[i] !== 0) symbols[next[lengths[i]]++] = i;
  return { counts, symbols };
}

class BitReader {
  /** @param {Uint8Array} bytes @param {number} at */
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
    this.held = 0;
    this.count = 0;
  }

  /** @param {number} count at most 16 @returns {number} */
  bits(count) {
    while (this.count < count) {
      if (this.at >= this.bytes.length) throw new Error("the data of this page is cut short");
      this.held |= this.bytes[this.at++] << this.count;
      this.count += 8;
    }
    const out = this.held & ((1 << count) - 1);
    this.held >>>= count;
    this.count -= count;
    return out;
  }

  /** @param {Code} code @returns {number} */
  symbol(code) {
    let value = 0, first = 0, index = 0;
    for (let length = 1; length < 16; ++length) {
      value |= this.bits(1);
      const count = code.counts[length];
      if (value - first < count) return code.symbols[index + value - first];
      index += count;
      first = (first + count) << 1;
      value <<= 1;
    }
    throw new Error("the data of this page is damaged");
  }
}

/** @param {BitReader} input @returns {[Code, Code]} */
function readCodes(input) {
  const literals = input.bits(5) + 257, distances = input.bits(5) + 1, count = input.bits(4) + 4;
  const lengths = new Uint8Array(19), all = new Uint8Array(literals + distances);
  for (let i = 0; i < count; ++i) lengths[kOrderOfLengths[i]] = input.bits(3);
  const code = makeCode(lengths);
  for (let at = 0; at < all.length;) {
    const symbol = input.symbol(code);
    if (symbol < 16) {
      all[at++] = symbol;
      continue;
    }
    const value = symbol === 16 ? all[at - 1] : 0;
    const times = symbol === 16 ? 3 + input.bits(2) : symbol === 17 ? 3 + input.bits(3) : 11 + input.bits(7);
    all.fill(value, at, at + times);
    at += times;
  }
  return [makeCode(all.subarray(0, literals)), makeCode(all.subarray(literals))];
}

/** @returns {[Code, Code]} */
function fixedCodes() {
  const lengths = new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
  return [makeCode(lengths), makeCode(new Uint8Array(30).fill(5))];
}

/** @param {Uint8Array} bytes a gzip file without name, comment or extra field @returns {Uint8Array} */
export function inflate(bytes) {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
  const out = new Uint8Array(size), input = new BitReader(bytes, 10);
  let at = 0;
  for (let last = 0; last === 0;) {
    last = input.bits(1);
    const kind = input.bits(2);
    if (kind === 0) {
      input.held = input.count = 0;
      const length = bytes[input.at] | bytes[input.at + 1] << 8;
      out.set(bytes.subarray(input.at + 4, input.at + 4 + length), at);
      input.at += 4 + length;
      at += length;
      continue;
    }
    const [literals, distances] = kind === 1 ? fixedCodes() : readCodes(input);
    for (let symbol = input.symbol(literals); symbol !== 256; symbol = input.symbol(literals)) {
      if (symbol < 256) {
        out[at++] = symbol;
        continue;
      }
      const length = kLengthBase[symbol - 257] + input.bits(kLengthBits[symbol - 257]);
      const far = input.symbol(distances), distance = kDistanceBase[far] + input.bits(kDistanceBits[far]);
      for (const end = at + length; at < end; ++at) out[at] = out[at - distance];
    }
  }
  if (at !== size) throw new Error("the data of this page is damaged");
  return out;
}
