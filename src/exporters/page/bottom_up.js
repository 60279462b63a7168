// Callees first: what allocates stands on top, its callers below. A stack begins with its site's function, as the table does:
// allocators' wrappers and the standard libraries above it would only gather everything under "xmalloc". Boxes are made when they are first looked at, so that a
// million stacks cost no more than what is wide enough to be seen.
import { kPlumbing } from "./reader.js";
import { countBelow } from "./top_down.js";

/** @typedef {import("./weights.js").Weights} Weights */
/**
 * A box holds leaves, and of each the node of the tree that it has reached on its way to the root.
 * @typedef {{parent: number, func: number, total: number, self: number, leaves: number[], nodes: number[], depth: number,
 *   line: number, last: number, children: number[] | null}} Box
 */

/** @typedef {import("./top_down.js").View} View */
/** @implements {View} */
export class BottomUp {
  /** @param {Weights} weights */
  constructor(weights) {
    this.weights = weights;
    this.data = weights.data;
    /** @type {Box} */
    const root = { parent: -1, func: -1, total: weights.total[0], self: 0, leaves: [], nodes: [], depth: 0, line: 0, last: 0, children: null };
    const { node, count } = this.data.leaves;
    for (let leaf = 0; leaf < count; ++leaf) {
      if (!(weights.leaf[leaf] > 0)) continue;
      root.leaves.push(leaf);
      root.nodes.push(this.begin(node[leaf]));
    }
    /** @type {Box[]} */
    this.boxes = [root];
  }

  /** The innermost node that is not plumbing; of a stack of nothing else, the innermost. @param {number} node @returns {number} */
  begin(node) {
    const { parent, func } = this.data.nodes, { flags } = this.data.functions;
    let at = node;
    while (at > 0 && (flags[func[at]] & kPlumbing) !== 0) at = parent[at];
    return at > 0 ? at : node;
  }

  /** @param {number} id */
  total(id) { return this.boxes[id].total; }
  /** @param {number} id */
  self(id) { return this.boxes[id].self; }
  /** @param {number} id */
  func(id) { return this.boxes[id].func; }
  /** @param {number} id */
  parent(id) { return this.boxes[id].parent; }
  /** @param {number} id @returns {[number, number]} */
  lines(id) { return [this.boxes[id].line, this.boxes[id].last]; }

  /** @param {number} id @param {(leaf: number) => void} take */
  eachLeaf(id, take) { this.boxes[id].leaves.forEach(take); }

  /** @param {number} id @returns {number[]} */
  children(id) {
    const box = this.boxes[id];
    return box.children ??= this.expand(id, box);
  }

  /** @param {number} id @param {Box} box @returns {number[]} */
  expand(id, box) {
    const { parent, func, line, last } = this.data.nodes, boxes = this.boxes;
    /** @type {Map<number, number>} */
    const byFunc = new Map();
    for (let i = 0; i < box.leaves.length; ++i) {
      const node = id === 0 ? box.nodes[i] : parent[box.nodes[i]];
      if (node <= 0) continue;
      let child = byFunc.get(func[node]);
      if (child === undefined) {
        byFunc.set(func[node], child = boxes.length);
        boxes.push({ parent: id, func: func[node], total: 0, self: 0, leaves: [], nodes: [], depth: box.depth + 1, line: 0, last: 0,
                     children: null });
      }
      const to = boxes[child], weight = this.weights.leaf[box.leaves[i]];
      to.total += weight;
      if (parent[node] === 0) to.self += weight;
      to.leaves.push(box.leaves[i]);
      to.nodes.push(node);
      if (line[node] === 0) continue;
      to.line = to.line === 0 ? line[node] : Math.min(to.line, line[node]);
      to.last = Math.max(to.last, last[node]);
    }
    return [...byFunc.values()].sort((a, b) => boxes[b].total - boxes[a].total || a - b);
  }

  /** The node that its first leaf allocates in, and how many callers up from there. @param {number} id */
  key(id) {
    const box = this.boxes[id];
    return id === 0 ? "0" : this.data.leaves.node[box.leaves[0]] + "." + box.depth;
  }

  /** @param {string} key @returns {number} */
  find(key) {
    const [node, depth] = key.split(".").map(Number);
    if (!(node > 0 && node < this.data.nodes.count && depth > 0)) return 0;
    let id = 0;
    for (let at = this.begin(node), level = 0; level < depth && at > 0; ++level, at = this.data.nodes.parent[at]) {
      const child = this.children(id).find((one) => this.boxes[one].func === this.data.nodes.func[at]);
      if (child === undefined) return 0;
      id = child;
    }
    return id;
  }

  /** @param {number[]} leaves @param {number} func @returns {number} */
  holding(leaves, func) {
    let id = 0;
    while (id === 0 || this.boxes[id].func !== func) {
      const wanted = this.children(id).find((one) => contains(this.boxes[one].leaves, leaves));
      if (wanted === undefined) break;
      id = wanted;
    }
    return id;
  }
}

/** @param {number[]} sorted @param {number[]} wanted @returns {boolean} */
function contains(sorted, wanted) {
  return wanted.every((one) => sorted[countBelow(sorted, one)] === one);
}
