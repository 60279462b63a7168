// Draws the call tree that flame_data.cc wrote. Nodes stand after their parents in every array, so each sum is one loop over
// the arrays, and nothing here recurses. Only boxes of the visible rows that are at least a pixel wide are drawn.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const strings = data.strings;
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas"), context = canvas.getContext("2d"), scroller = byId("scroll"), tall = byId("tall");
const dark = matchMedia("(prefers-color-scheme: dark)");
const kRow = 19, kFont = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

// What the fragment holds.
const state = { profile: data.open, measure: "", zoom: 0, search: "" };
// Derived from the state: see load(), weigh(), find() and lay().
let tree, total, self, order, matches, lookup, rows = [], hovered = -1;

// ---- numbers and words

function threeDigits(number) {
  return number >= 99.95 ? number.toFixed(0) : number >= 9.995 ? number.toFixed(1) : number.toFixed(2);
}

function scaled(number, step, units, whole) {
  if (number < whole) return [number.toFixed(0), units[0]];
  let unit = 0;
  for (; number >= 999.5 && unit + 1 < units.length; ++unit) number /= step;
  return [threeDigits(number), units[unit]];
}

function isBytes() { return data.measures.find((measure) => measure.name === state.measure).bytes; }

function amount(number) {
  return (isBytes() ? scaled(number, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"], 1023.5)
                    : scaled(number, 1000, ["", "k", "M", "G", "T"], 9999.5)).join(" ").trim();
}

function share(part, whole) {
  const percent = whole > 0 ? part / whole * 100 : 0;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return (percent > 0 && percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0)) + " %";
}

function whole(number) { return number.toLocaleString("en") + (isBytes() ? " bytes" : " calls"); }

// [lower, upper] end of the 95 % interval, upper -1 if not known; null where numbers are exact.
function ends(kind, index) {
  const all = tree.ends && tree.ends[kind][state.measure];
  return all ? [all[2 * index], all[2 * index + 1]] : null;
}

function interval(pair) {
  if (!pair || pair[0] === pair[1]) return "";
  return pair[1] < 0 ? amount(pair[0]) + " or more" : amount(pair[0]) + " to " + amount(pair[1]);
}

function baseName(path) { return path.slice(path.lastIndexOf("/") + 1); }

function shortName(node) { return node === 0 ? "all" : strings[tree.functions.short[tree.nodes.function[node]]]; }

function place(file, line, last) {
  if (!file) return "";
  return file + (line ? ":" + line + (last > line ? "-" + last : "") : "");
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// ---- colours: one hue for each module, the program's own first; grey for the system's libraries

let hues = new Map();

function isSystem(module, exe) {
  return module !== exe && (module === "" || /^\/(usr\/)?lib(32|64|x32)?\//.test(module) || module.startsWith("["));
}

function assignHues() {
  hues = new Map();
  const exe = data.profiles[state.profile].exe;
  let next = 0;
  const hueOf = () => (28 + 137.5 * next++) % 360;
  if (exe) hues.set(exe, hueOf());
  for (const index of tree.functions.module) {
    const module = strings[index];
    if (!hues.has(module)) hues.set(module, isSystem(module, exe) ? -1 : hueOf());
  }
}

function colour(module, shade) {
  const hue = hues.get(module) ?? -1;
  const turned = hue + (shade - 3) * 3;
  if (dark.matches) return hue < 0 ? `hsl(215 8% ${24 + shade}%)` : `hsl(${turned} 42% ${28 + shade}%)`;
  return hue < 0 ? `hsl(215 10% ${88 - shade}%)` : `hsl(${turned} 70% ${81 - shade}%)`;
}

// Neighbours of one module differ a little: 0 to 6, from the function's number.
function shadeOf(func) { return (func * 2654435761 >>> 0) % 7; }

// ---- from the data to what is drawn

function load() {
  tree = data.profiles[state.profile];
  if (!tree.lookup) {
    tree.lookup = tree.functions.short.map((_, f) => ["short", "whole", "file", "module"]
      .map((part) => strings[tree.functions[part][f]]).join("\n").toLowerCase());
  }
  lookup = tree.lookup;
  assignHues();
}

// Sums of the chosen measure, and the children of each node, largest first.
function weigh() {
  const parent = tree.nodes.parent, count = parent.length, column = tree.leaves[state.measure];
  self = new Float64Array(count);
  total = new Float64Array(count);
  tree.leaves.node.forEach((node, leaf) => { self[node] += column[leaf]; });
  for (let node = count - 1; node >= 0; --node) {
    total[node] += self[node];
    if (node > 0) total[parent[node]] += total[node];
  }
  const kept = [];
  for (let node = 1; node < count; ++node) if (total[node] > 0) kept.push(node);
  kept.sort((a, b) => parent[a] - parent[b] || total[b] - total[a] || a - b);
  const first = new Int32Array(count + 1);
  for (const node of kept) ++first[parent[node] + 1];
  for (let node = 0; node < count; ++node) first[node + 1] += first[node];
  order = { kept, first };
}

function find() {
  const words = state.search.trim().toLowerCase();
  matches = words === "" ? null : lookup.map((text) => text.includes(words));
}

// Rows of [node, x, width] in pixels of the zoomed part.
function lay() {
  const width = scroller.clientWidth;
  rows = [];
  if (!(total[state.zoom] > 0)) return;
  rows.push([{ node: state.zoom, x: 0, width }]);
  const scale = width / total[state.zoom];
  for (let depth = 0; depth < rows.length; ++depth) {
    const next = [];
    for (const box of rows[depth]) {
      let x = box.x;
      for (let at = order.first[box.node]; at < order.first[box.node + 1]; ++at) {
        const node = order.kept[at], wide = total[node] * scale;
        if (wide < 1) break;  // the rest is smaller still
        next.push({ node, x, width: wide });
        x += wide;
      }
    }
    if (next.length > 0) rows.push(next);
  }
}

// ---- the canvas

const widths = new Map();

function textWidth(text) {
  let wide = widths.get(text);
  if (wide === undefined) widths.set(text, wide = context.measureText(text).width);
  return wide;
}

// `text` cut to `room` pixels; "" where not even three letters fit.
function fitted(text, room) {
  const wide = textWidth(text);
  if (wide <= room) return text;
  let keep = Math.floor(text.length * room / wide);
  for (; keep >= 3; --keep) {
    const cut = text.slice(0, keep) + "\u2026";
    if (context.measureText(cut).width <= room) return cut;
  }
  return "";
}

// The interval is wider than half of the value: the box says so.
function isVague(node) {
  const pair = ends("nodes", node);
  return pair !== null && (pair[1] < 0 || pair[1] - pair[0] > total[node] / 2);
}

function hatch() {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.strokeStyle = dark.matches ? "rgb(255 255 255 / 13%)" : "rgb(0 0 0 / 12%)";
  pen.lineWidth = 1.5;
  for (const shift of [-8, 0, 8]) {
    pen.beginPath();
    pen.moveTo(shift, 8);
    pen.lineTo(shift + 8, 0);
    pen.stroke();
  }
  return context.createPattern(tile, "repeat");
}

function drawBox(box, y, pattern) {
  const func = tree.nodes.function[box.node];
  const module = func < 0 ? "" : strings[tree.functions.module[func]];
  const hit = matches !== null && func >= 0 && matches[func];
  const wide = Math.max(box.width - (box.width > 3 ? 1 : 0.25), 0.75);
  context.globalAlpha = matches !== null && !hit ? 0.4 : 1;
  context.fillStyle = hit ? (dark.matches ? "#a8327e" : "#ff9ad5") : colour(module, func < 0 ? 0 : shadeOf(func));
  context.fillRect(box.x, y, wide, kRow - 1);
  if (wide > 4 && isVague(box.node)) {
    context.fillStyle = pattern;
    context.fillRect(box.x, y, wide, kRow - 1);
  }
  const text = wide > 26 ? fitted(label(box.node), wide - 8) : "";
  if (text === "") return;
  context.globalAlpha = matches !== null && !hit ? 0.6 : 1;
  context.fillStyle = dark.matches ? "#f1f3f4" : "#15181c";
  context.fillText(text, box.x + 4, y + kRow / 2);
}

function label(node) {
  if (node !== 0) return shortName(node);
  return tree.name + ": " + amount(total[0]);
}

function outline(box, y) {
  context.globalAlpha = 1;
  context.strokeStyle = dark.matches ? "#ffffff" : "#000000";
  context.strokeRect(box.x + 0.5, y + 0.5, Math.max(box.width - 2, 1), kRow - 2);
}

let wanted = 0;
function draw() { wanted ||= requestAnimationFrame(drawNow); }

function drawNow() {
  wanted = 0;
  const width = scroller.clientWidth, height = scroller.clientHeight, ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = kFont;
  context.textBaseline = "middle";
  if (rows.length === 0) {
    context.fillStyle = dark.matches ? "#a0a8b2" : "#59636e";
    context.fillText("Nothing here in this measure.", 12, 24);
    return;
  }
  const pattern = hatch(), top = scroller.scrollTop;
  const from = Math.max(0, Math.floor(top / kRow)), to = Math.min(rows.length, Math.ceil((top + height) / kRow));
  for (let depth = from; depth < to; ++depth) {
    for (const box of rows[depth]) {
      drawBox(box, depth * kRow - top, pattern);
      if (box.node === hovered) outline(box, depth * kRow - top);
    }
  }
  context.globalAlpha = 1;
}

function boxAt(event) {
  const frame = canvas.getBoundingClientRect();
  const row = rows[Math.floor((event.clientY - frame.top + scroller.scrollTop) / kRow)] || [];
  const x = event.clientX - frame.left;
  let low = 0, high = row.length;  // the last box that begins at or before x
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle].x <= x) low = middle + 1; else high = middle;
  }
  const box = row[low - 1];
  return box && x < box.x + box.width ? box : null;
}

// ---- what stands around it

function numbersOf(node) {
  const list = [];
  const range = interval(ends("nodes", node));
  const of = total[0] > 0 ? `, ${share(total[node], total[0])} of all` : "";
  list.push(`total ${amount(total[node])}${of}`);
  if (state.zoom !== 0) list[0] += `, ${share(total[node], total[state.zoom])} of what is shown`;
  if (range) list.push(`95 % interval of the total: ${range}`);
  else if (!tree.ends) list.push(whole(total[node]));
  list.push(`self ${amount(self[node])}`);
  return list;
}

function showHover(event, box) {
  const hover = byId("hover");
  hover.hidden = box === null;
  if (box === null) return;
  const func = tree.nodes.function[box.node];
  hover.replaceChildren(element("b", func < 0 ? label(0) : strings[tree.functions.whole[func]]));
  if (func >= 0) {
    const where = place(strings[tree.functions.file[func]], tree.nodes.line[box.node], tree.nodes.last_line[box.node]);
    const module = strings[tree.functions.module[func]];
    if (where) hover.append(element("div", where));
    if (module) hover.append(element("div", module, "quiet"));
  }
  for (const line of numbersOf(box.node)) hover.append(element("div", line));
  const size = hover.getBoundingClientRect();
  const x = event.clientX + 14 + size.width > innerWidth ? event.clientX - 14 - size.width : event.clientX + 14;
  const y = event.clientY + 18 + size.height > innerHeight ? event.clientY - 12 - size.height : event.clientY + 18;
  hover.style.left = Math.max(4, x) + "px";
  hover.style.top = Math.max(4, y) + "px";
}

// Marks what lies under the zoomed node.
function insideZoom() {
  const parent = tree.nodes.parent, inside = new Uint8Array(parent.length);
  inside[state.zoom] = 1;
  for (let node = state.zoom + 1; node < parent.length; ++node) inside[node] = inside[parent[node]];
  return inside;
}

function showFound(inside) {
  if (matches === null) {
    byId("found").textContent = "";
    return;
  }
  const { parent, function: func } = tree.nodes, under = new Uint8Array(parent.length), functions = new Set();
  let boxes = 0, sum = 0;
  for (let node = 1; node < parent.length; ++node) {
    const hit = matches[func[node]];
    under[node] = hit || under[parent[node]] ? 1 : 0;
    if (!inside[node]) continue;
    if (hit && total[node] > 0) {
      ++boxes;
      functions.add(func[node]);
    }
    if (under[node]) sum += self[node];
  }
  const plural = (count, word) => count + " " + word + (count === 1 ? "" : word.endsWith("x") ? "es" : "s");
  byId("found").textContent = boxes === 0 ? "nothing found"
    : `${plural(functions.size, "function")} in ${plural(boxes, "box")}: ${amount(sum)}, ${share(sum, total[state.zoom])}`;
}

function showPlaces(inside) {
  const column = tree.leaves[state.measure], sums = new Map(), everywhere = new Map();
  tree.leaves.node.forEach((node, leaf) => {
    const at = tree.leaves.place[leaf];
    everywhere.set(at, (everywhere.get(at) || 0) + column[leaf]);
    if (inside[node] && column[leaf] > 0) sums.set(at, (sums.get(at) || 0) + column[leaf]);
  });
  const sorted = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  byId("places-title").textContent = `${sorted.length} place${sorted.length === 1 ? "" : "s"}`
    + (state.zoom === 0 ? "" : " under " + shortName(state.zoom)) + (sorted.length > 200 ? ", the largest 200" : "");
  byId("places-title").title = "A place is the innermost line outside of allocators, standard libraries and wrappers.";
  // The interval of a place belongs to the whole of it.
  byId("places").replaceChildren(...sorted.slice(0, 200).map(([at, sum]) =>
    placeRow(at, sum, sum === everywhere.get(at) ? interval(ends("places", at)) : "")));
}

function placeRow(at, sum, range) {
  const func = tree.places.function[at], name = strings[tree.functions.short[func]];
  const file = strings[tree.functions.file[func]], module = strings[tree.functions.module[func]];
  const row = element("tr"), cell = element("td", "", "name"), number = element("td", "", "number");
  cell.append(element("div", name), element("div", place(baseName(file), tree.places.line[at], 0) || baseName(module), "quiet"));
  const first = element("div", amount(sum));
  first.append(element("span", share(sum, total[state.zoom]), "share"));
  number.append(first);
  if (range) number.append(element("div", range, "quiet"));
  row.title = strings[tree.functions.whole[func]] + "\n" + place(file, tree.places.line[at], 0) + "\n" + module;
  row.style.setProperty("--share", 100 * sum / total[state.zoom] + "%");
  row.append(cell, number);
  row.onclick = () => go({ search: name });
  return row;
}

// What each module's own frames hold themselves, of what is shown.
function showModules(inside) {
  const sums = new Map();
  for (let node = 1; node < self.length; ++node) {
    if (!inside[node] || self[node] === 0) continue;
    const module = strings[tree.functions.module[tree.nodes.function[node]]];
    sums.set(module, (sums.get(module) || 0) + self[node]);
  }
  const sorted = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 12);
  byId("modules").replaceChildren(...sorted.map(([module, sum]) => {
    const item = element("li"), swatch = element("i");
    swatch.style.background = colour(module, 3);
    item.append(swatch, element("span", baseName(module) || "(not known)"), element("span", share(sum, total[state.zoom]), "quiet"));
    item.title = module;
    return item;
  }));
}

function showPath() {
  const path = [];
  for (let node = state.zoom; node >= 0; node = tree.nodes.parent[node]) path.push(node);
  path.reverse();
  // A stack of two thousand frames is no path to read: its two ends are.
  const shown = path.length > 24 ? [...path.slice(0, 8), -1, ...path.slice(-15)] : path;
  const parts = [];
  for (const node of shown) {
    if (parts.length > 0) parts.push(element("span", "\u203a"));
    if (node === -1) {
      parts.push(element("span", `${path.length - 23} more`));
    } else if (node === state.zoom) {
      parts.push(element("span", shortName(node), "here"));
    } else {
      const back = element("button", shortName(node));
      back.onclick = () => go({ zoom: node });
      parts.push(back);
    }
  }
  byId("path").replaceChildren(...parts);
}

function showHead() {
  byId("title").textContent = tree.command || tree.name;
  byId("title").title = tree.command;
  byId("mode").textContent = tree.mode === "exact" ? "every allocation counted"
    : tree.mode === "bytes" ? `sampled every ${scaled(tree.period_bytes, 1024, ["B", "KiB", "MiB", "GiB"], 1023.5).join(" ")}`
      + "; hatched: 95 % interval wider than half the value" : tree.mode;
  for (const button of byId("measures").children) button.setAttribute("aria-selected", button.dataset.name === state.measure);
  byId("profile").value = state.profile;
  if (byId("search").value !== state.search) byId("search").value = state.search;
  const range = interval(ends("nodes", state.zoom));
  byId("total").textContent = amount(total[state.zoom]) + (range ? ` (${range})` : "")
    + (state.zoom === 0 ? "" : `, ${share(total[state.zoom], total[0])} of ${amount(total[0])}`);
}

function showAll() {
  load();
  weigh();
  find();
  show();
}

function show() {
  lay();
  tall.style.height = Math.max(rows.length * kRow + 8, scroller.clientHeight) + "px";
  const inside = insideZoom();
  showHead();
  showPath();
  showFound(inside);
  showPlaces(inside);
  showModules(inside);
  draw();
}

// ---- the state and its fragment

function fragment() {
  const parts = new URLSearchParams({ image: state.profile, by: state.measure });
  if (state.zoom !== 0) parts.set("zoom", state.zoom);
  if (state.search !== "") parts.set("search", state.search);
  return "#" + parts;
}

// A fragment may come from anywhere: what does not fit is left at its default.
function readFragment() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const number = (name, limit, otherwise) => {
    const value = Number(parts.get(name) ?? otherwise);
    return Number.isInteger(value) && value >= 0 && value < limit ? value : otherwise;
  };
  state.profile = number("image", data.profiles.length, data.open);
  const known = data.measures.some((measure) => measure.name === parts.get("by"));
  state.measure = known ? parts.get("by") : data.profiles[state.profile].measure;
  state.zoom = number("zoom", data.profiles[state.profile].nodes.parent.length, 0);
  state.search = parts.get("search") || "";
}

function go(change) {
  const heavy = "profile" in change || "measure" in change;
  if ("profile" in change) state.zoom = 0;
  Object.assign(state, change);
  if ("zoom" in change || "profile" in change) scroller.scrollTop = 0;
  if ("search" in change && !("zoom" in change)) history.replaceState(null, "", fragment());
  else history.pushState(null, "", fragment());
  hovered = -1;
  if (heavy) return showAll();
  find();
  show();
}

function start() {
  for (const measure of data.measures) {
    const button = element("button", measure.title);
    button.dataset.name = measure.name;
    button.setAttribute("role", "tab");
    button.onclick = () => go({ measure: measure.name });
    byId("measures").append(button);
  }
  data.profiles.forEach((profile, index) => {
    const option = element("option", profile.name + (profile.command ? "  " + profile.command.slice(0, 80) : ""));
    option.value = index;
    byId("profile").append(option);
  });
  byId("profile").hidden = data.profiles.length < 2;
  byId("title").hidden = data.profiles.length > 1;  // the choice says it
  byId("profile").onchange = (event) => go({ profile: Number(event.target.value) });
  byId("search").oninput = (event) => go({ search: event.target.value });
  canvas.onmousemove = (event) => {
    const box = boxAt(event), node = box === null ? -1 : box.node;
    showHover(event, box);
    if (node !== hovered) draw();
    hovered = node;
  };
  canvas.onmouseleave = () => {
    byId("hover").hidden = true;
    hovered = -1;
    draw();
  };
  canvas.onclick = (event) => {
    const box = boxAt(event);
    if (box === null) return;
    byId("hover").hidden = true;
    go({ zoom: box.node });
  };
  scroller.onscroll = draw;
  window.onkeydown = (event) => {
    if (event.key === "Escape") go({ zoom: 0, search: "" });
    if (event.key === "/" && event.target !== byId("search")) {
      event.preventDefault();
      byId("search").select();
    }
  };
  const follow = () => {
    readFragment();
    showAll();
  };
  window.onpopstate = follow;
  window.onhashchange = follow;
  dark.onchange = () => show();
  new ResizeObserver(() => show()).observe(scroller);
  follow();
}

start();
