// The graph as a picture that other programs can show: vectors, light, with every box's numbers in its title.
import { kRow } from "./canvas.js";

/** @typedef {import("./canvas.js").Scene} Scene */
/** @typedef {{heading: string, sub: string, describe: (box: import("./layout.js").Box) => string, fit: import("./text_fit.js").TextFit, isVague: (id: number) => boolean}} SvgWords */

/** What XML 1.0 cannot hold becomes U+FFFD. @param {string} text @returns {string} */
export function xmlText(text) {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, (one) => (one.length === 2 ? one : "\ufffd"))
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** @param {Scene} scene @param {SvgWords} words @param {number} width @param {number} from first row @param {number} to @returns {string} */
export function svgOf(scene, words, width, from, to) {
  const head = words.heading === "" ? 0 : 46, height = head + (to - from) * kRow;
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`];
  if (head > 0) {
    out.push(`<text x="4" y="17" font-size="15" font-weight="600" fill="#14171b">${xmlText(words.fit.fit(words.heading, width * 0.75))}</text>`,
             `<text x="4" y="36" fill="#59636e">${xmlText(words.fit.fit(words.sub, width - 8))}</text>`);
  }
  for (let row = from; row < to; ++row) {
    for (const box of scene.rows[row]) drawBox(scene, words, box, head + (row - from) * kRow, out);
  }
  return out.join("\n") + "\n</svg>\n";
}

/** As lines, since patterns get lost on the way to some printers. @param {number} width @returns {string} */
function hatching(width) {
  const lines = [];
  for (let x = -kRow; x < width; x += 8) lines.push(`M${x},${kRow} l${kRow},-${kRow}`);
  return `<path d="${lines.join("")}" stroke="#000000" stroke-opacity="0.16" stroke-width="1.5"/>`;
}

/** @param {Scene} scene @param {SvgWords} words @param {import("./layout.js").Box} box @param {number} y @param {string[]} out */
function drawBox(scene, words, box, y, out) {
  const func = scene.view.func(box.id), { colours, hits } = scene, isFrame = box.kind === "frame";
  const hit = hits !== null && isFrame && func >= 0 && hits[func] === 1, dim = hits !== null && !hit;
  const fill = hit ? colours.fixed.hit : dim ? colours.fixed.dim : isFrame ? colours.ofFunction(func) : colours.fixed.rest;
  const wide = Math.max(box.width - (box.width > 3 ? 1 : 0.2), 0.8), size = `x="${box.x.toFixed(2)}" y="${y}" width="${wide.toFixed(2)}" height="${kRow - 1}"`;
  out.push(`<g><title>${xmlText(words.describe(box))}</title><rect ${size} fill="${fill}"/>`);
  if (isFrame && wide > 4 && words.isVague(box.id)) out.push(`<svg ${size}>${hatching(wide)}</svg>`);
  const text = wide > 28 ? words.fit.fit(scene.label(box), wide - 8) : "";
  // A box of its own clips the text where another font is wider.
  if (text !== "") out.push(`<svg ${size}><text x="4" y="14" fill="${dim ? colours.fixed.dimText : colours.fixed.text}">${xmlText(text)}</text></svg>`);
  out.push("</g>");
}
