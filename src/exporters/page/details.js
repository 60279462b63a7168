// What is said about a box: in its label, under the mouse, to a screen reader, in an SVG's title.
import { amountText, countedText, estimateText, lineText, shareText } from "./words.js";
import { estimateOf } from "./top_down.js";

/** @typedef {import("./layout.js").Box} Box */
/** @typedef {import("./top_down.js").View} View */

/** @param {View} view @param {number} id @returns {string} */
export function shortName(view, id) {
  const { data } = view.weights, func = view.func(id);
  return func < 0 ? "all" : data.strings[data.functions.short[func]];
}

/** @param {View} view @param {Box} box @returns {string} */
export function labelOf(view, box) {
  const { bytes } = view.weights.measure;
  if (box.kind === "rest") return countedText(box.count, "smaller box");
  if (box.kind === "fold") return `⋮ ${countedText(box.count, "more call")} in a row`;
  if (box.id === 0) return `all: ${estimateText(view.weights.whole, bytes)}`;
  return shortName(view, box.id);
}

/** @param {View} view @param {number} id @returns {number} of the other kind: objects or calls of bytes, bytes of calls */
function besideOf(view, id) {
  let sum = 0;
  view.eachLeaf(id, (leaf) => { sum += view.weights.besideOfLeaf(leaf); });
  return sum;
}

/** "188 MiB (181-195), 12 % of all". @param {View} view @param {number} id @param {number} zoom @returns {string} */
export function totalWords(view, id, zoom) {
  const { whole } = view.weights, estimate = estimateOf(view, id);
  let out = estimateText(estimate, view.weights.measure.bytes);
  if (id !== 0 && whole.v > 0) out += `, ${shareText(estimate.v, view.total(0))} of all`;
  if (zoom !== 0 && id !== zoom) out += `, ${shareText(estimate.v, view.total(zoom))} of what is shown`;
  return out;
}

/** What stands beside the bytes or calls of a measure. @param {import("./reader.js").Measure} measure @returns {string} */
export function besideWord(measure) {
  return { live: "object", peak: "object", mapped: "mapping" }[measure.name] ?? "call";
}

/** @param {View} view @param {number} id @returns {string} */
function besideWords(view, id) {
  const { measure, data } = view.weights, other = data.head.measures.find((one) => one.column === measure.beside);
  const amount = besideOf(view, id);
  if (other?.bytes) return amountText(amount, true) + " allocated";
  return countedText(Math.round(amount), besideWord(measure));
}

/**
 * Lines about a box: the first is its name, the second where it is.
 * @param {View} view @param {Box} box @param {number} zoom @param {"down" | "up"} direction
 * @returns {{name: string, where: string, module: string, lines: [string, string][]}}
 */
export function describe(view, box, zoom, direction) {
  const { data, measure } = view.weights, func = view.func(box.id), { functions, strings } = data;
  if (box.kind !== "frame") {
    const hint = box.kind === "rest" ? "each narrower than a pixel: zoom in to see them" : "hardly branching: click to see all rows";
    return { name: labelOf(view, box), where: hint, module: "", lines: [["together", amountText(box.total, measure.bytes)]] };
  }
  const [line, last] = view.lines(box.id);
  const name = func < 0 ? "all" : strings[functions.whole[func]];
  /** @type {[string, string][]} */
  const lines = [["total", totalWords(view, box.id, zoom)]];
  if (direction === "down" || view.self(box.id) > 0) {
    lines.push([direction === "down" ? "self" : "outermost", amountText(view.self(box.id), measure.bytes)]);
  }
  lines.push([measure.bytes ? "in" : "of", besideWords(view, box.id)]);
  const estimate = estimateOf(view, box.id);
  if (!estimate.exact) lines.push(["samples", amountText(estimate.n, false)]);
  return { name, where: func < 0 ? "" : lineText(strings[functions.file[func]], line, last), module: func < 0 ? "" : strings[functions.module[func]], lines };
}

/** The same in one line. @param {View} view @param {Box} box @param {number} zoom @param {"down" | "up"} direction @returns {string} */
export function sentence(view, box, zoom, direction) {
  const { name, where, module, lines } = describe(view, box, zoom, direction);
  return [name, where, module, ...lines.map(([what, amount]) => `${what} ${amount}`)].filter((one) => one !== "").join(", ").replaceAll("\u00a0", " ");
}
