// What is printed: the graph as vectors in light colours, cut into pieces that fill pages, and the largest sites.
import { byId, element } from "./dom.js";
import { svgOf } from "./svg.js";

const kPaperRows = 12, kPaperSites = 40;
export const kPaperWidth = 1040;

/** @param {import("./canvas.js").Scene} scene @param {import("./svg.js").SvgWords} words */
export function layOnPaper(scene, words) {
  const paper = byId("paper");
  paper.replaceChildren(element("p", words.sub));
  for (let row = 0; row < scene.rows.length; row += kPaperRows) {
    const text = svgOf(scene, { ...words, heading: "" }, kPaperWidth, row, Math.min(scene.rows.length, row + kPaperRows));
    const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    paper.append(document.adoptNode(picture));
  }
  const table = element("table"), sites = Array.from(byId("sites").children).slice(0, kPaperSites);
  table.className = byId("sites-table").className;
  table.append(byId("sites-head").cloneNode(true), ...sites.map((row) => row.cloneNode(true)));
  paper.append(element("h2", byId("sites-title").textContent ?? ""), table);
}
