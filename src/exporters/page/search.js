// What was searched for: functions by name, file or module, without regard to case.

/** @typedef {import("./reader.js").Data} Data */
/** @typedef {{funcs: number, boxes: number, sum: import("./estimates.js").Estimate}} Found */
import { noSum } from "./weights.js";

/** @type {string[] | null} */
let texts = null;

/** @param {Data} data @returns {string[]} */
function searchTexts(data) {
  const { strings, functions: f } = data;
  return texts ??= Array.from({ length: f.count }, (_, func) =>
    [f.short, f.whole, f.file, f.module].map((name) => strings[name[func]]).join("\n").toLowerCase());
}

/** @param {Data} data @param {string} words @returns {Uint8Array | null} of each function, whether it was meant; null: nothing was asked */
export function findFunctions(data, words) {
  const wanted = words.trim().toLowerCase();
  return wanted === "" ? null : Uint8Array.from(searchTexts(data), (text) => (text.includes(wanted) ? 1 : 0));
}

/** How much of what `zoom` holds passes through a function that was meant: each stack once, however often it does. @param {import("./top_down.js").View} view @param {number} zoom @param {Uint8Array} hits @returns {Found} */
export function countFound(view, zoom, hits) {
  const weights = view.weights, { nodes, leaves } = weights.data, under = new Uint8Array(nodes.count), seen = new Set();
  for (let node = 1; node < nodes.count; ++node) under[node] = hits[nodes.func[node]] | under[nodes.parent[node]];
  const sum = noSum(), stacks = new Uint8Array(nodes.count);
  view.eachLeaf(zoom, (leaf) => {
    const node = leaves.node[leaf];
    if (under[node] === 0 || !(weights.leaf[leaf] > 0)) return;
    weights.addLeaf(sum, leaf);
    stacks[node] = 1;
  });
  let boxes = 0;
  for (let node = nodes.count - 1; node > 0; --node) {
    if (stacks[node] === 0) continue;
    stacks[nodes.parent[node]] = 1;
    if (hits[nodes.func[node]] === 0) continue;
    ++boxes;
    seen.add(nodes.func[node]);
  }
  return { funcs: seen.size, boxes, sum: weights.estimate(sum) };
}
