// Whose code the memory is in: the modules of the frames that end the stacks, with their colours.
import { button, byId, element } from "./dom.js";
import { baseName, shareText } from "./words.js";

const kMostModules = 12;

/** @param {import("./top_down.js").View} view @param {number} zoom @returns {[string, number][]} largest first */
export function modulesUnder(view, zoom) {
  const { data, leaf: weight } = view.weights, { functions, places, leaves, strings } = data;
  /** @type {Map<string, number>} */
  const sums = new Map();
  view.eachLeaf(zoom, (leaf) => {
    if (!(weight[leaf] > 0)) return;
    const module = strings[functions.module[places.func[leaves.place[leaf]]]];
    sums.set(module, (sums.get(module) ?? 0) + weight[leaf]);
  });
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** @param {import("./top_down.js").View} view @param {number} zoom @param {import("./colours.js").Colours} colours @param {(words: string) => void} search */
export function showLegend(view, zoom, colours, search) {
  const modules = modulesUnder(view, zoom);
  byId("modules").replaceChildren(...modules.slice(0, kMostModules).map(([module, sum]) => {
    const item = element("li"), swatch = element("i"), name = baseName(module) || "(not known)";
    swatch.style.background = colours.ofModule(module, 0, false);
    const go = button(name, () => search(module));
    go.title = module;
    go.disabled = module === "";
    item.append(swatch, go, element("span", shareText(sum, view.total(zoom)), "quiet"));
    return item;
  }));
  byId("modules-more").textContent = modules.length > kMostModules ? `${modules.length - kMostModules} more` : "";
}
