// Callers first: the tree as it is in the data. A view has numbered boxes, 0 is everything; bottom_up.js is the other one.
import { noSum } from "./weights.js";

/** @typedef {import("./weights.js").Weights} Weights */
/**
 * @typedef {object} View
 * @property {Weights} weights
 * @property {(id: number) => number} total
 * @property {(id: number) => number} self what ends here: allocated by it, or in the other view called by nobody
 * @property {(id: number) => number} func -1: everything
 * @property {(id: number) => number} parent -1: none
 * @property {(id: number) => ArrayLike<number>} children those that weigh anything, the heaviest first
 * @property {(id: number) => [number, number]} lines the first and the last; 0: not known
 * @property {(id: number, take: (leaf: number) => void) => void} eachLeaf
 * @property {(id: number) => string} key what the fragment calls it
 * @property {(key: string) => number} find 0 if it is not there
 * @property {(leaves: number[], func: number) => number} holding the innermost box that holds all of these leaves, but none
 *   inside of a box of `func`
 */

/** The estimate of a box. @param {View} view @param {number} id @returns {import("./estimates.js").Estimate} */
export function estimateOf(view, id) {
  if (id === 0) return view.weights.whole;
  const sum = noSum();
  if (view.weights.period > 0) view.eachLeaf(id, (leaf) => view.weights.addLeaf(sum, leaf));
  else sum.proven = view.total(id);
  return view.weights.estimate(sum);
}

/** @param {ArrayLike<number>} sorted @param {number} bound @returns {number} how many are below `bound` */
export function countBelow(sorted, bound) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < bound) low = middle + 1; else high = middle;
  }
  return low;
}

/** @implements {View} */
export class TopDown {
  /** @param {Weights} weights */
  constructor(weights) {
    this.weights = weights;
    this.nodes = weights.data.nodes;
    /** @type {Map<number, number[]>} */
    this.sorted = new Map();
  }

  /** @param {number} id */
  total(id) { return this.weights.total[id]; }
  /** @param {number} id */
  self(id) { return this.weights.self[id]; }
  /** @param {number} id */
  func(id) { return this.nodes.func[id]; }
  /** @param {number} id */
  parent(id) { return this.nodes.parent[id]; }
  /** @param {number} id @returns {[number, number]} */
  lines(id) { return [this.nodes.line[id], this.nodes.last[id]]; }
  /** @param {number} id */
  key(id) { return String(id); }

  /** @param {number} id @returns {number[]} */
  children(id) {
    const known = this.sorted.get(id);
    if (known) return known;
    const { end } = this.nodes, total = this.weights.total, out = [];
    for (let child = id + 1; child < end[id]; child = end[child]) if (total[child] > 0) out.push(child);
    out.sort((a, b) => total[b] - total[a] || a - b);
    this.sorted.set(id, out);
    return out;
  }

  /** @param {number} id @param {(leaf: number) => void} take */
  eachLeaf(id, take) {
    const { node } = this.weights.data.leaves;
    for (let leaf = countBelow(node, id); leaf < node.length && node[leaf] < this.nodes.end[id]; ++leaf) take(leaf);
  }

  /** @param {string} key @returns {number} */
  find(key) {
    const id = Number(key);
    return Number.isInteger(id) && id > 0 && id < this.nodes.count ? id : 0;
  }

  /** @param {number[]} leaves @param {number} func @returns {number} */
  holding(leaves, func) {
    const { parent, end, func: funcs } = this.nodes, { node } = this.weights.data.leaves;
    const first = node[leaves[0]], last = node[leaves[leaves.length - 1]];
    let id = first;
    while (id > 0 && end[id] <= last) id = parent[id];
    for (let above = id; above > 0; above = parent[above]) if (funcs[above] === func) id = above;
    return id;
  }
}
