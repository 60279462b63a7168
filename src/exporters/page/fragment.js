// What is shown, as the page's fragment: it may be kept, sent and gone back to.

/**
 * @typedef {object} State
 * @property {string} image a key of head.js
 * @property {string} by the measure's name
 * @property {"down" | "up"} view callers or callees first
 * @property {string} zoom a key of the view
 * @property {string} search
 * @property {number} site a place, or -1
 * @property {boolean} unfold
 */

/** @param {State} state @param {State} usual @returns {string} */
export function toFragment(state, usual) {
  const parts = new URLSearchParams();
  if (state.image !== usual.image) parts.set("image", state.image);
  parts.set("by", state.by);
  if (state.view === "up") parts.set("view", "up");
  if (state.zoom !== "0") parts.set("zoom", state.zoom);
  if (state.search !== "") parts.set("search", state.search);
  if (state.site >= 0) parts.set("site", String(state.site));
  if (state.unfold) parts.set("rows", "all");
  return "#" + parts;
}

/** A fragment may come from anywhere: what does not fit is left as usual. @param {string} fragment @param {State} usual @param {{images: string[], measures: string[], places: number}} known @returns {State} */
export function fromFragment(fragment, usual, known) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const image = parts.get("image") ?? usual.image, by = parts.get("by") ?? usual.by, site = Number(parts.get("site") ?? -1);
  return {
    image: known.images.includes(image) ? image : usual.image,
    by: known.measures.includes(by) ? by : usual.by,
    view: parts.get("view") === "up" ? "up" : "down",
    zoom: parts.get("zoom") ?? "0",
    search: parts.get("search") ?? "",
    site: Number.isInteger(site) && site >= 0 && site < known.places ? site : -1,
    unfold: parts.get("rows") === "all",
  };
}
