// The page: its state, and what follows from a change of it.
import { BottomUp } from "./bottom_up.js";
import { kRow, Painter } from "./canvas.js";
import { Colours } from "./colours.js";
import { showCrumbs } from "./crumbs.js";
import { describe, labelOf, sentence, shortName, totalWords } from "./details.js";
import { byId, element } from "./dom.js";
import { foldedText } from "./folded_text.js";
import { fromFragment, toFragment } from "./fragment.js";
import { imageChoices, showHead } from "./head.js";
import { rowOf, step } from "./keyboard.js";
import { boxAt, layOut } from "./layout.js";
import { showLegend } from "./legend.js";
import { kPaperWidth, layOnPaper } from "./paper.js";
import { countFound, findFunctions } from "./search.js";
import { SitesTable } from "./sites.js";
import { svgOf } from "./svg.js";
import { TopDown } from "./top_down.js";
import { Weights } from "./weights.js";
import { countedText, estimateText, shareText } from "./words.js";

/** @typedef {import("./reader.js").Data} Data */
/** @typedef {import("./fragment.js").State} State */
/** @typedef {import("./layout.js").Box} Box */

export class Page {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.choices = imageChoices(data);
    /** @type {State} */
    this.usual = { image: this.choices[0].key, by: data.head.measure, view: "down", zoom: "0", search: "", site: -1, unfold: false };
    this.state = { ...this.usual };
    this.painter = new Painter(/** @type {HTMLCanvasElement} */ (byId("canvas")));
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.colours = new Colours(data, this.dark.matches);
    this.sites = new SitesTable({ choose: (row) => this.goToSite(row.place, row.leaves) });
    this.scroller = byId("scroll");
    /** @type {Box[][]} */
    this.rows = [];
    /** @type {Box | null} */
    this.marked = null;
    /** @type {Box | null} where the mouse went down or is */
    this.hovered = null;
    this.zoom = 0;
    this.drawing = 0;
    /** @type {Map<string, {view: import("./top_down.js").View}>} */
    this.views = new Map();
    this.view = this.viewOf();
    /** @type {Uint8Array | null} */
    this.hits = null;
  }

  choice() {
    return this.choices.find((choice) => choice.key === this.state.image) ?? this.choices[0];
  }

  /** Of this measure, these images and this direction; the last few are kept. @returns {import("./top_down.js").View} */
  viewOf() {
    const { image, by, view } = this.state, key = [view, by, image].join(" "), known = this.views.get(key);
    if (known) return known.view;
    const measure = this.data.head.measures.find((one) => one.name === by) ?? this.data.head.measures[0];
    const other = this.views.get([view === "down" ? "up" : "down", by, image].join(" "));
    const weights = other ? other.view.weights : new Weights(this.data, this.choice().images, measure);
    const made = view === "down" ? new TopDown(weights) : new BottomUp(weights);
    if (this.views.size >= 4) this.views.delete(/** @type {string} */ (this.views.keys().next().value));
    this.views.set(key, { view: made });
    return made;
  }

  // ---- the state

  /** @param {Partial<State>} change @param {boolean} [replace] no step of its own in the history */
  go(change, replace) {
    const before = this.state;
    this.state = { ...before, ...change };
    if (this.state.view !== before.view) this.state.zoom = "0";
    if (change.zoom === undefined && this.state.image !== before.image && this.state.view === "up") this.state.zoom = "0";
    const fragment = toFragment(this.state, this.usual);
    if (fragment !== location.hash) {
      if (replace) history.replaceState(null, "", fragment);
      else history.pushState(null, "", fragment);
    }
    if (this.state.zoom !== before.zoom || this.state.view !== before.view) this.scroller.scrollTop = 0;
    this.show();
  }

  follow() {
    this.state = fromFragment(location.hash, this.usual, {
      images: this.choices.map((choice) => choice.key), measures: this.data.head.measures.map((measure) => measure.name),
      places: this.data.places.count });
    this.show();
  }

  /** @param {number} place @param {number[]} leaves */
  goToSite(place, leaves) {
    if (this.state.site === place) return this.go({ site: -1 });
    const func = this.data.places.func[place], id = this.view.holding(leaves, func);
    this.go({ site: place, zoom: this.view.key(id) });
    for (let row = 0; row < this.rows.length; ++row) {
      const box = this.rows[row].filter((one) => one.kind === "frame" && this.view.func(one.id) === func).sort((a, b) => b.width - a.width)[0];
      if (box) return this.mark(box);
    }
  }

  /** One step out, or everything back: the search, the site and the zoom. */
  reset() {
    this.go({ zoom: "0", search: "", site: -1 });
  }

  // ---- what is shown

  show() {
    this.view = this.viewOf();
    this.zoom = this.view.find(this.state.zoom);
    if (!(this.view.total(this.zoom) > 0)) this.zoom = 0;
    this.hits = findFunctions(this.data, this.state.search);
    this.marked = null;
    this.hovered = null;
    byId("hover").hidden = true;
    showHead(this.data, this.choice(), this.state.by, (by) => this.go({ by, zoom: this.state.view === "up" ? "0" : this.state.zoom }));
    this.showTools();
    showCrumbs(this.view, this.zoom, (id) => this.go({ zoom: this.view.key(id) }));
    this.sites.show(this.view, this.zoom, this.zoom === 0 ? "" : shortName(this.view, this.zoom), this.state.site);
    showLegend(this.view, this.zoom, this.colours, (search) => this.go({ search }));
    this.lay();
  }

  lay() {
    const laid = layOut(this.view, this.zoom, this.scroller.clientWidth, this.state.unfold);
    this.rows = laid.rows;
    byId("tall").style.height = Math.max(this.rows.length * kRow + 8, this.scroller.clientHeight) + "px";
    byId("unfold").hidden = !laid.deep;
    byId("unfold").textContent = laid.folded ? "Show all rows" : "Fold deep stacks";
    byId("nothing").hidden = this.rows.length > 0;
    const { whole, measure } = this.view.weights;
    byId("nothing").textContent = whole.exact ? `Nothing in this measure: ${measure.title} is zero.` : `No sample in this measure: ${measure.title} is ${estimateText(whole, measure.bytes)}.`;
    this.draw();
  }

  showTools() {
    const search = /** @type {HTMLInputElement} */ (byId("search")), image = /** @type {HTMLSelectElement} */ (byId("image"));
    if (search.value !== this.state.search) search.value = this.state.search;
    image.value = this.state.image;
    for (const name of ["down", "up"]) byId("view-" + name).setAttribute("aria-checked", String(this.state.view === name));
    let words = "";
    if (this.hits !== null) {
      const found = countFound(this.view, this.zoom, this.hits);
      words = found.boxes === 0 ? "nothing found" : `${countedText(found.funcs, "function")}, ${countedText(found.boxes, "box")}: ` +
        `${estimateText(found.sum, this.view.weights.measure.bytes)}, ${shareText(found.sum.v, this.view.total(this.zoom))}`;
    }
    byId("found").textContent = words;
    byId("vague").textContent = this.data.head.sampled ? "hatched: 95 % interval wider than half the value" : "";
  }

  /** @returns {import("./canvas.js").Scene} */
  scene() {
    return { view: this.view, rows: this.rows, colours: this.colours, hits: this.hits, marked: this.hovered ?? this.marked,
             site: this.state.site < 0 ? -1 : this.data.places.func[this.state.site], label: (box) => labelOf(this.view, box) };
  }

  draw() {
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      this.painter.draw(this.scene(), this.scroller.clientWidth, this.scroller.clientHeight, this.scroller.scrollTop);
    });
  }

  // ---- boxes under the mouse and the keyboard

  /** @param {MouseEvent} event @returns {Box | null} */
  boxUnder(event) {
    const frame = this.painter.canvas.getBoundingClientRect();
    const row = this.rows[Math.floor((event.clientY - frame.top + this.scroller.scrollTop) / kRow)] ?? [];
    return row[boxAt(row, event.clientX - frame.left)] ?? null;
  }

  /** @param {Box} box */
  open(box) {
    if (box.kind === "fold") this.go({ unfold: true });
    else if (box.kind === "frame" || box.id !== this.zoom) this.go({ zoom: this.view.key(box.id) });
  }

  /** @param {Box} box the keyboard goes there */
  mark(box) {
    this.marked = box;
    this.hovered = null;
    const top = rowOf(this.rows, box) * kRow, { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    if (top + kRow > scrollTop + clientHeight) this.scroller.scrollTop = top + kRow - clientHeight;
    byId("spoken").textContent = sentence(this.view, box, this.zoom, this.state.view);
    const frame = this.painter.canvas.getBoundingClientRect();
    this.showHover(box, frame.left + Math.max(box.x, 0) + Math.min(box.width / 2, 40), frame.top + top - this.scroller.scrollTop + kRow);
    this.draw();
  }

  /** @param {Box | null} box @param {number} x @param {number} y */
  showHover(box, x, y) {
    const hover = byId("hover");
    hover.hidden = box === null;
    if (box === null) return;
    const { name, where, module, lines } = describe(this.view, box, this.zoom, this.state.view);
    hover.replaceChildren(element("b", name));
    if (where) hover.append(element("div", where));
    if (module) hover.append(element("div", module, "quiet"));
    const list = element("dl");
    for (const [what, amount] of lines) list.append(element("dt", what), element("dd", amount));
    hover.append(list);
    const size = hover.getBoundingClientRect();
    hover.style.left = Math.max(4, x + 14 + size.width > innerWidth ? Math.min(x - 14, innerWidth) - size.width : x + 14) + "px";
    hover.style.top = Math.max(4, y + 18 + size.height > innerHeight ? y - 26 - size.height : y + 18) + "px";
  }

  /** Enter in the search box: the next box that was found, the widest first. */
  nextFound() {
    const hits = this.hits;
    if (hits === null) return;
    const boxes = this.rows.flat().filter((box) => box.kind === "frame" && this.view.func(box.id) >= 0 && hits[this.view.func(box.id)] === 1);
    boxes.sort((a, b) => b.width - a.width);
    const at = this.marked === null ? -1 : boxes.indexOf(this.marked);
    if (boxes.length > 0) this.mark(boxes[(at + 1) % boxes.length]);
  }

  // ---- what leaves the page

  heading() {
    const { weights } = this.view, choice = this.choice(), image = choice.images.length === 1 ? this.data.head.profiles[choice.images[0]] : null;
    return `${image ? image.command || image.name : this.data.head.title}: ${weights.measure.title} ${estimateText(weights.whole, weights.measure.bytes)}`;
  }

  /** @param {number} width @param {boolean} unfold @returns {import("./canvas.js").Scene} */
  lightScene(width, unfold) {
    return { ...this.scene(), colours: new Colours(this.data, false), marked: null, rows: layOut(this.view, this.zoom, width, unfold).rows };
  }

  /** @returns {import("./svg.js").SvgWords} */
  svgWords() {
    const direction = this.state.view === "down" ? "callers above callees" : "callees above callers";
    const zoom = this.zoom === 0 ? "" : `; under ${shortName(this.view, this.zoom)}: ${totalWords(this.view, this.zoom, 0)}`;
    return { heading: this.heading(), sub: [byId("facts").textContent, direction + zoom, byId("vague").textContent].filter((one) => one).join(" · "),
             describe: (box) => sentence(this.view, box, this.zoom, this.state.view), fit: this.painter.fit,
             isVague: (id) => this.painter.isVague(this.view, id) };
  }

  svg(width = Math.max(this.scroller.clientWidth, 1000)) {
    const scene = this.lightScene(width, this.state.unfold);
    return svgOf(scene, this.svgWords(), width, 0, scene.rows.length);
  }

  folded() {
    return foldedText(this.view, this.zoom);
  }

  print() {
    layOnPaper(this.lightScene(kPaperWidth, false), this.svgWords());
  }

  /** @param {string} ending @param {string} type @param {string} text */
  save(ending, type, text) {
    const link = /** @type {HTMLAnchorElement} */ (element("a"));
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `${document.title.split(" - ")[0].replace(/[^\w.-]+/g, "_")}.${this.state.by}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  // ---- the start

  start() {
    const image = /** @type {HTMLSelectElement} */ (byId("image"));
    for (const choice of this.choices) {
      const option = /** @type {HTMLOptionElement} */ (element("option", choice.title));
      option.value = choice.key;
      image.append(option);
    }
    image.hidden = this.choices.length < 2;
    image.onchange = () => this.go({ image: image.value });
    byId("view-down").onclick = () => this.go({ view: "down" });
    byId("view-up").onclick = () => this.go({ view: "up" });
    byId("unfold").onclick = () => this.go({ unfold: !this.state.unfold });
    byId("save-svg").onclick = () => this.save("svg", "image/svg+xml", this.svg());
    byId("save-folded").onclick = () => this.save("folded", "text/plain", this.folded());
    byId("print").onclick = () => print();
    byId("help-open").onclick = () => /** @type {HTMLDialogElement} */ (byId("help")).showModal();
    byId("help-close").onclick = () => /** @type {HTMLDialogElement} */ (byId("help")).close();
    this.startSearch();
    this.startMouse();
    document.addEventListener("keydown", (event) => this.key(event));
    window.onbeforeprint = () => this.print();
    window.onafterprint = () => byId("paper").replaceChildren();
    window.onpopstate = () => this.follow();
    window.onhashchange = () => this.follow();
    this.dark.onchange = () => {
      this.colours = new Colours(this.data, this.dark.matches);
      this.show();
    };
    new ResizeObserver(() => this.lay()).observe(this.scroller);
    this.follow();
  }

  startSearch() {
    const search = /** @type {HTMLInputElement} */ (byId("search"));
    search.oninput = () => this.go({ search: search.value }, true);
    search.onkeydown = (event) => {
      if (event.key === "Enter") this.nextFound();
    };
  }

  startMouse() {
    const { canvas } = this.painter;
    canvas.onmousemove = (event) => {
      const box = this.boxUnder(event);
      this.showHover(box, event.clientX, event.clientY);
      canvas.style.cursor = box === null ? "default" : "pointer";
      if (box !== this.hovered) this.draw();
      this.hovered = box;
    };
    canvas.onmouseleave = () => {
      byId("hover").hidden = true;
      this.hovered = null;
      this.draw();
    };
    canvas.onclick = (event) => {
      const box = this.boxUnder(event);
      if (box !== null) this.open(box);
    };
    this.scroller.onscroll = () => {
      byId("hover").hidden = true;
      this.draw();
    };
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /** @type {HTMLDialogElement} */ (byId("help")).open) return;
    if (event.key === "Escape") return this.reset();
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, select")) return;
    if (event.key === "/") {
      event.preventDefault();
      return /** @type {HTMLInputElement} */ (byId("search")).select();
    }
    const measure = this.data.head.measures[Number(event.key) - 1];
    if (measure) return this.go({ by: measure.name });
    if (event.key === "i") return this.go({ view: this.state.view === "down" ? "up" : "down" });
    if (event.key === "?") return /** @type {HTMLDialogElement} */ (byId("help")).showModal();
    if (target !== this.scroller && target !== document.body) return;
    if (event.key === "Backspace" && this.zoom !== 0) return this.go({ zoom: this.view.key(this.view.parent(this.zoom)) });
    if (event.key === "Enter" && this.marked) return this.open(this.marked);
    if (!event.key.startsWith("Arrow") && event.key !== "Home") return;
    event.preventDefault();
    const next = step(this.rows, this.hovered ?? this.marked, event.key);
    if (next !== null) this.mark(next);
  }
}
