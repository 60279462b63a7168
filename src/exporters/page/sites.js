// The table beside the graph: the lines that allocate (places: the innermost line outside of allocators, standard libraries and
// wrappers), of what the graph shows.
import { button, byId, element } from "./dom.js";
import { besideWord } from "./details.js";
import { amountText, baseName, intervalText, lineText, shareText } from "./words.js";
import { noSum } from "./weights.js";

/** @typedef {import("./top_down.js").View} View */
/** @typedef {import("./estimates.js").Estimate} Estimate */
/** @typedef {{place: number, estimate: Estimate, beside: number, leaves: number[]}} SiteRow */
/** @typedef {"value" | "beside" | "name"} SortBy */
/** @typedef {{by: SortBy, up: boolean}} Sort */

const kRowsAtOnce = 100;

/** @param {View} view @param {number} zoom @returns {SiteRow[]} */
export function sitesUnder(view, zoom) {
  const { weights } = view, { place } = weights.data.leaves;
  /** @type {Map<number, {sum: ReturnType<typeof noSum>, beside: number, leaves: number[]}>} */
  const found = new Map();
  view.eachLeaf(zoom, (leaf) => {
    if (!(weights.leaf[leaf] > 0)) return;
    let one = found.get(place[leaf]);
    if (one === undefined) found.set(place[leaf], one = { sum: noSum(), beside: 0, leaves: [] });
    weights.addLeaf(one.sum, leaf);
    one.beside += weights.besideOfLeaf(leaf);
    one.leaves.push(leaf);
  });
  return [...found].map(([at, { sum, beside, leaves }]) => ({ place: at, estimate: weights.estimate(sum), beside, leaves }));
}

/** @param {View} view @param {SiteRow} row @returns {string} */
function nameOf(view, row) {
  const { strings, functions, places } = view.weights.data;
  return strings[functions.short[places.func[row.place]]];
}

/** By what is certain, as reports rank; then by the value. @param {View} view @param {SiteRow[]} rows @param {Sort} sort @returns {SiteRow[]} */
export function sortSites(view, rows, sort) {
  /** @type {(a: SiteRow, b: SiteRow) => number} */
  const byValue = (a, b) => b.estimate.lo - a.estimate.lo || b.estimate.v - a.estimate.v || a.place - b.place;
  /** @type {Record<SortBy, (a: SiteRow, b: SiteRow) => number>} */
  const orders = { value: byValue, beside: (a, b) => b.beside - a.beside || byValue(a, b),
                   name: (a, b) => (nameOf(view, a) < nameOf(view, b) ? -1 : nameOf(view, a) > nameOf(view, b) ? 1 : byValue(a, b)) };
  rows.sort(orders[sort.by]);
  return sort.up ? rows.reverse() : rows;
}

export class SitesTable {
  /** @param {{choose: (row: SiteRow) => void}} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Sort} */
    this.sort = { by: "value", up: false };
    this.limit = kRowsAtOnce;
    /** @type {{view: View, zoom: number, title: string, site: number} | null} */
    this.last = null;
  }

  /** @param {View} view @param {number} zoom @param {string} title what it is under; "" for all @param {number} site the chosen one, or -1 */
  show(view, zoom, title, site) {
    if (this.last === null || this.last.zoom !== zoom || this.last.view !== view) this.limit = kRowsAtOnce;
    this.last = { view, zoom, title, site };
    const rows = sortSites(view, sitesUnder(view, zoom), this.sort), count = rows.length.toLocaleString("en");
    byId("sites-title").textContent = `${count} ${rows.length === 1 ? "site" : "sites"}${title ? " under " + title : ""}`;
    byId("sites-table").className = view.weights.period > 0 ? "sampled" : "";
    byId("sites-head").replaceChildren(this.headRow(view));
    byId("sites").replaceChildren(...rows.slice(0, this.limit).map((row) => this.row(view, row, view.total(zoom), row.place === site)));
    const more = byId("sites-more");
    more.hidden = rows.length <= this.limit;
    more.textContent = `Show ${Math.min(kRowsAtOnce, rows.length - this.limit)} more of ${count}`;
    more.onclick = () => {
      this.limit += kRowsAtOnce;
      this.again();
    };
  }

  again() {
    if (this.last) this.show(this.last.view, this.last.zoom, this.last.title, this.last.site);
  }

  /** @param {View} view @returns {HTMLElement} */
  headRow(view) {
    const { measure } = view.weights, row = element("tr");
    const beside = measure.name === "calls" ? "bytes" : besideWord(measure) + "s";
    /** @type {[SortBy, string][]} */
    const columns = [["name", "site"], ["value", measure.title.replace(/,.*/, "")], ["beside", measure.name === "temporary" ? "of calls" : beside]];
    for (const [by, title] of columns) {
      const cell = element("th", "", by), here = this.sort.by === by;
      cell.setAttribute("scope", "col");
      cell.setAttribute("aria-sort", !here ? "none" : (by === "name") === this.sort.up ? "descending" : "ascending");
      if (by !== "name" && here) cell.setAttribute("aria-sort", this.sort.up ? "ascending" : "descending");
      cell.append(button(title + (here ? (this.sort.up !== (by === "name") ? " ▴" : " ▾") : ""), () => {
        this.sort = { by, up: here ? !this.sort.up : false };
        this.again();
      }));
      row.append(cell);
    }
    return row;
  }

  /** @param {View} view @param {SiteRow} site @param {number} whole @param {boolean} chosen @returns {HTMLElement} */
  row(view, site, whole, chosen) {
    const { weights } = view, { strings, functions, places } = weights.data, func = places.func[site.place];
    const file = strings[functions.file[func]], module = strings[functions.module[func]], line = places.line[site.place];
    const row = element("tr", "", chosen ? "chosen" : ""), name = element("td", "", "name"), number = element("td", "", "value");
    const where = lineText(baseName(file), line, 0) || (module ? "[" + baseName(module) + "]" : "");
    const go = button(strings[functions.short[func]], () => this.actions.choose(site));
    go.title = strings[functions.whole[func]] + "\n" + [lineText(file, line, 0), module].filter((one) => one !== "").join("\n");
    name.append(go, element("div", where, "quiet"));
    const interval = intervalText(site.estimate, weights.measure.bytes);
    row.style.setProperty("--share", whole > 0 ? Math.min(100, 100 * site.estimate.v / whole) + "%" : "0%");
    number.append(element("div", amountText(site.estimate.v, weights.measure.bytes)),
                  element("div", shareText(site.estimate.v, whole) + (interval ? "\u2002" + interval : ""), "quiet"));
    row.append(name, number, element("td", amountText(Math.round(site.beside), !weights.measure.bytes && weights.measure.name === "calls"), "beside"));
    row.onclick = (event) => { if (event.target === row || !(event.target instanceof HTMLButtonElement)) this.actions.choose(site); };
    return row;
  }
}
