// Draws what layout.js placed: only the rows that can be seen, on a canvas of the size of the window.
import { estimateOf } from "./top_down.js";
import { kFont, TextFit } from "./text_fit.js";

/** @typedef {import("./layout.js").Box} Box */
/** @typedef {import("./top_down.js").View} View */
/** @typedef {import("./colours.js").Colours} Colours */
/**
 * @typedef {object} Scene
 * @property {View} view
 * @property {Box[][]} rows
 * @property {Colours} colours
 * @property {Uint8Array | null} hits
 * @property {number} site the function that a chosen site lies in; -1: none
 * @property {Box | null} marked under the mouse, or where the keyboard is
 * @property {(box: Box) => string} label
 */

export const kRow = 20;

/** The interval is wider than half of the value. @param {View} view @param {number} id @returns {boolean} */
export function isVague(view, id) {
  if (!(view.weights.period > 0)) return false;
  const estimate = estimateOf(view, id);
  return !estimate.exact && (!estimate.hiKnown || estimate.hi - estimate.lo > estimate.v / 2);
}

export class Painter {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.fit = new TextFit(this.context);
    /** What the last drawing took. */
    this.drawn = { boxes: 0, texts: 0, hatched: 0, widest: 0 };
    /** @type {{view: View | null, vague: Map<number, boolean>}} */
    this.vague = { view: null, vague: new Map() };
  }

  /** @param {number} width pixels of the page @param {number} height */
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1, canvas = this.canvas;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
  }

  /** @param {Scene} scene @param {number} width @param {number} height @param {number} top the first pixel that is seen */
  draw(scene, width, height, top) {
    this.resize(width, height);
    this.drawn = { boxes: 0, texts: 0, hatched: 0, widest: 0 };
    this.context.font = kFont;
    this.context.textBaseline = "middle";
    this.hatch = makeHatch(this.context, scene.colours.dark);
    if (this.vague.view !== scene.view) this.vague = { view: scene.view, vague: new Map() };
    const from = Math.max(0, Math.floor(top / kRow)), to = Math.min(scene.rows.length, Math.ceil((top + height) / kRow));
    for (let row = from; row < to; ++row) {
      for (const box of scene.rows[row]) this.drawBox(scene, box, row * kRow - top);
    }
    const row = scene.marked === null ? -1 : scene.rows.findIndex((boxes) => boxes.includes(/** @type {Box} */ (scene.marked)));
    if (row >= 0 && scene.marked) this.outline(scene.marked, row * kRow - top, scene.colours.fixed.line, 2);
  }

  /** @param {View} view @param {number} id @returns {boolean} */
  isVague(view, id) {
    let known = this.vague.vague.get(id);
    if (known === undefined) this.vague.vague.set(id, known = isVague(view, id));
    return known;
  }

  /** @param {Scene} scene @param {Box} box @param {number} y */
  drawBox(scene, box, y) {
    const { context } = this, { colours, view, hits } = scene, func = view.func(box.id);
    const isFrame = box.kind === "frame", hit = hits !== null && isFrame && func >= 0 && hits[func] === 1;
    const dim = hits !== null && !hit, wide = Math.max(box.width - (box.width > 3 ? 1 : 0.2), 0.8);
    ++this.drawn.boxes;
    context.fillStyle = hit ? colours.fixed.hit : dim ? colours.fixed.dim : isFrame ? colours.ofFunction(func) : colours.fixed.rest;
    context.fillRect(box.x, y, wide, kRow - 1);
    if (isFrame && wide > 4 && this.isVague(view, box.id)) {
      context.fillStyle = /** @type {CanvasPattern} */ (this.hatch);
      context.fillRect(box.x, y, wide, kRow - 1);
      ++this.drawn.hatched;
    }
    if (isFrame && func >= 0 && func === scene.site) this.outline(box, y, colours.fixed.line, 1);
    if (wide <= 28) return;
    const text = this.fit.fit(scene.label(box), wide - 8);
    if (text === "") return;
    ++this.drawn.texts;
    this.drawn.widest = Math.max(this.drawn.widest, context.measureText(text).width - (wide - 8));
    context.fillStyle = dim ? colours.fixed.dimText : isFrame && func >= 0 ? colours.fixed.text : colours.fixed.text;
    context.fillText(text, box.x + 4, y + kRow / 2);
  }

  /** @param {Box} box @param {number} y @param {string} colour @param {number} thick */
  outline(box, y, colour, thick) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = thick;
    this.context.strokeRect(box.x + thick / 2, y + thick / 2, Math.max(box.width - 1 - thick, 1), kRow - 1 - thick);
  }
}

/** @param {CanvasRenderingContext2D} context @param {boolean} dark @returns {CanvasPattern} */
function makeHatch(context, dark) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
  pen.strokeStyle = dark ? "rgb(255 255 255 / 14%)" : "rgb(0 0 0 / 14%)";
  pen.lineWidth = 1.5;
  for (const shift of [-8, 0, 8]) {
    pen.beginPath();
    pen.moveTo(shift, 8);
    pen.lineTo(shift + 8, 0);
    pen.stroke();
  }
  return /** @type {CanvasPattern} */ (context.createPattern(tile, "repeat"));
}
