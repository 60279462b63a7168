// What stands above the graph: program, mode, how it ended, when; the totals, which also choose the measure; what is missing.
import { button, byId, element } from "./dom.js";
import { intervalText, shareText, valueText } from "./words.js";
import { totalOf } from "./weights.js";

/** @typedef {import("./reader.js").Data} Data */
/** @typedef {{key: string, title: string, images: number[]}} Choice */

/** All images; of several, also the images of each program, and each by itself. @param {Data} data @returns {Choice[]} */
export function imageChoices(data) {
  const images = data.head.profiles;
  if (images.length === 1) return [{ key: "0", title: images[0].name, images: [0] }];
  const all = images.map((_, index) => index), out = [{ key: "all", title: `all ${images.length} processes`, images: all }];
  /** @type {Map<string, number[]>} */
  const programs = new Map();
  images.forEach(({ exe }, index) => programs.set(exe, [...(programs.get(exe) ?? []), index]));
  for (const [exe, list] of programs) {
    if (list.length > 1 && programs.size > 1) out.push({ key: "program:" + exe, title: `${list.length} × ${exe.slice(exe.lastIndexOf("/") + 1)}`, images: list });
  }
  images.forEach(({ name, command }, index) => {
    out.push({ key: String(index), title: name + (command ? "  " + command.slice(0, 80) : ""), images: [index] });
  });
  return out;
}

/** @param {string[][]} lists of one image each @returns {string[]} each sentence once, with how many say it */
function together(lists) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const list of lists) for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => (lists.length > 1 ? `${one} (${count} of ${lists.length} processes)` : one));
}

/** @param {Data} data @param {Choice} choice @returns {string[]} */
function facts(data, choice) {
  const images = choice.images.map((index) => data.head.profiles[index]), modes = new Set(images.map((one) => one.mode));
  const first = images[0], out = [data.head.narrowed, [...modes].join("; ")];
  if (images.length === 1) out.push(first.pid ? "pid " + first.pid : "", first.end);
  if (first.taken_ms > 0) out.push(new Date(Math.max(...images.map((one) => one.taken_ms))).toLocaleString());
  if (data.head.pruned !== null) {
    out.push(`parts below ${(100 * data.head.pruned.share).toPrecision(2)} % are drawn together (heaptally flame --full keeps them apart)`);
  }
  return out.filter((one) => one !== "");
}

/** @param {Data} data @param {Choice} choice */
function showCaveats(data, choice) {
  const images = choice.images.map((index) => data.head.profiles[index]);
  const all = choice.images.length === data.head.profiles.length, notes = together(images.map((one) => one.notes));
  const notSeen = all ? data.head.not_seen : together(images.map((one) => one.not_seen));
  const caveats = (notSeen.length > 0 ? "not seen: " + notSeen.join("; ") : "") + notes.map((note) => " · note: " + note).join("");
  byId("not-seen").textContent = byId("not-seen").title = caveats;
  byId("notes").hidden = notes.length === 0;
  byId("notes-title").textContent = notes.length === 1 ? "1 note" : `${notes.length} notes`;
  byId("notes-list").replaceChildren(...notes.map((note) => element("li", note)));
}

/** @param {Data} data @param {Choice} choice @param {string} chosen @param {(name: string) => void} choose */
function showMeasures(data, choice, chosen, choose) {
  const one = choice.images.length === 1 ? data.head.profiles[choice.images[0]] : null;
  const calls = data.head.measures.find((measure) => measure.name === "calls");
  byId("measures").replaceChildren(...data.head.measures.map((measure) => {
    const total = totalOf(data, choice.images, measure), made = button("", () => choose(measure.name), "card");
    let title = measure.title, more = intervalText(total, measure.bytes);
    if (measure.name === "live" && one?.live) title = one.live;
    if (measure.name === "peak") title += one ? one.peak : " of each process";
    if (measure.name === "temporary" && calls && total.v > 0) more = shareText(total.v, totalOf(data, choice.images, calls).v) + " of calls" + (more ? ", " + more : "");
    made.dataset.measure = measure.name;
    made.setAttribute("role", "radio");
    made.setAttribute("aria-checked", String(measure.name === chosen));
    const value = element("div", valueText(total, measure.bytes), "value");
    if (more) value.append(element("span", more, "interval"));
    made.append(element("div", title, "title"), value);
    return made;
  }));
}

/** @param {Data} data @param {Choice} choice @param {string} measure @param {(name: string) => void} choose */
export function showHead(data, choice, measure, choose) {
  const one = choice.images.length === 1 ? data.head.profiles[choice.images[0]] : null;
  const title = byId("title");
  title.textContent = one ? one.command || one.name : data.head.title.replace(/ - heaptally$/, "");
  title.title = one ? [one.command, one.exe].filter((text) => text !== "").join("\n") : "";
  byId("facts").textContent = facts(data, choice).join(" · ");
  showMeasures(data, choice, measure, choose);
  showCaveats(data, choice);
}
