// The way from everything to what is zoomed: each step leads back.
import { button, byId, element } from "./dom.js";
import { shortName, totalWords } from "./details.js";

const kFirst = 3, kLast = 6;

/** @param {import("./top_down.js").View} view @param {number} zoom @param {(id: number) => void} go */
export function showCrumbs(view, zoom, go) {
  const path = [];
  for (let id = zoom; id >= 0; id = view.parent(id)) path.push(id);
  path.reverse();
  // A stack of two thousand frames is no path to read: its two ends are.
  const long = path.length > kFirst + kLast + 2;
  const shown = long ? [...path.slice(0, kFirst), -1, ...path.slice(-kLast)] : path, parts = [];
  for (const id of shown) {
    if (parts.length > 0) parts.push(element("span", "›"));
    if (id === -1) {
      parts.push(element("span", `… ${path.length - kFirst - kLast} more …`));
    } else if (id === zoom) {
      const here = element("span", shortName(view, id), "here");
      here.setAttribute("aria-current", "true");
      parts.push(here, element("span", totalWords(view, id, 0), "amount"));
    } else {
      const back = button(shortName(view, id), () => go(id));
      back.title = shortName(view, id);
      parts.push(back);
    }
  }
  byId("path").replaceChildren(...parts);
}
