// One hue for each module, the program's own first; grey for the system's libraries. All boxes of a theme have about the same
// lightness (OKLCH), so that one colour of text is readable on every one of them.
import { kPlumbing, kWords } from "./reader.js";

/** @typedef {import("./reader.js").Data} Data */
/** @typedef {{text: string, dimText: string, dim: string, hit: string, rest: string, line: string, quiet: string}} Fixed */

/** @param {number} l 0 to 1 @param {number} c 0 to about 0.3 @param {number} h degrees @returns {[number, number, number]} 0 to 255; Ottosson 2020 */
export function fromOklch(l, c, h) {
  const a = c * Math.cos(h * Math.PI / 180), b = c * Math.sin(h * Math.PI / 180);
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3, y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z, -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
                  -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z];
  const [red, green, blue] = linear.map((one) => {
    const clipped = Math.max(0, Math.min(1, one));
    return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
  });
  return [red, green, blue];
}

/** @param {number} l @param {number} c @param {number} h @returns {string} "#rrggbb" */
function hex(l, c, h) {
  return "#" + fromOklch(l, c, h).map((one) => one.toString(16).padStart(2, "0")).join("");
}

/** @param {string} module @param {Set<string>} programs @returns {boolean} */
function isSystem(module, programs) {
  return !programs.has(module) && (module === "" || /^\/(usr\/)?lib(32|64|x32)?\//.test(module) || module.startsWith("["));
}

export class Colours {
  /** @param {Data} data @param {boolean} dark */
  constructor(data, dark) {
    this.data = data;
    this.dark = dark;
    /** @type {Map<string, number>} module -> hue; -1: grey */
    this.hues = new Map();
    /** @type {string[]} */
    this.known = [];
    const programs = new Set(data.head.profiles.map((image) => image.exe).filter((exe) => exe !== ""));
    const inOrder = new Set([...programs, ...Array.from(data.functions.module, (index) => data.strings[index])]);
    let next = 0;
    // A golden angle apart; what is searched for has the reds for itself.
    for (const module of inOrder) this.hues.set(module, isSystem(module, programs) ? -1 : 30 + (35 + 137.5 * next++) % 290);
    /** @type {Fixed} */
    this.fixed = dark
      ? { text: "#f3f4f6", dimText: "#aab1bb", dim: hex(0.29, 0.01, 250), hit: hex(0.47, 0.17, 0), rest: hex(0.33, 0.005, 250), line: "#ffffff", quiet: "#a4acb6" }
      : { text: "#14171b", dimText: "#4c545e", dim: hex(0.945, 0.008, 250), hit: hex(0.8, 0.15, 350), rest: hex(0.9, 0.004, 250), line: "#000000", quiet: "#59636e" };
  }

  /** @param {string} module @param {number} shade -1 to 1 @param {boolean} muted @returns {string} */
  ofModule(module, shade, muted) {
    const hue = this.hues.get(module) ?? -1, lightness = (this.dark ? 0.40 : 0.835) + 0.022 * shade;
    if (hue < 0) return hex(lightness + (this.dark ? -0.02 : 0.035), 0.008, 250);
    return hex(lightness, (this.dark ? 0.075 : 0.095) * (muted ? 0.4 : 1), hue + 5 * shade);
  }

  /** @param {number} func -1: everything @returns {string} */
  ofFunction(func) {
    if (func < 0) return this.fixed.rest;
    return this.known[func] ??= this.make(func);
  }

  /** Neighbours of one module differ a little. @param {number} func @returns {string} */
  make(func) {
    const { strings, functions } = this.data;
    if (functions.flags[func] & kWords) return this.fixed.rest;
    const shade = (Math.imul(func + 1, 2654435761) >>> 0) % 7 / 3 - 1;
    return this.ofModule(strings[functions.module[func]], shade, (functions.flags[func] & kPlumbing) !== 0);
  }
}
