// The graph by keyboard: arrows go from box to box, Enter zooms.
import { boxAt } from "./layout.js";

/** @typedef {import("./layout.js").Box} Box */

/** @param {Box[][]} rows @param {Box | null} box @returns {number} -1 if it is not there */
export function rowOf(rows, box) {
  return box === null ? -1 : rows.findIndex((row) => row.includes(box));
}

/** @param {Box[][]} rows @param {Box | null} from @param {string} key @returns {Box | null} where the arrow leads; null: nowhere */
export function step(rows, from, key) {
  if (rows.length === 0) return null;
  const row = rowOf(rows, from);
  if (from === null || row < 0) return rows[0][0];
  const at = rows[row].indexOf(from);
  if (key === "ArrowLeft") return rows[row][at - 1] ?? null;
  if (key === "ArrowRight") return rows[row][at + 1] ?? null;
  if (key === "Home") return rows[0][0];
  if (key === "ArrowUp" && row > 0) {
    const above = boxAt(rows[row - 1], from.x + 0.01);
    return above < 0 ? null : rows[row - 1][above];
  }
  if (key !== "ArrowDown" || row + 1 >= rows.length) return null;
  const inside = rows[row + 1].filter((box) => box.x >= from.x - 0.01 && box.x < from.x + from.width - 0.01);
  return inside.reduce((/** @type {Box | null} */ widest, box) => (widest === null || box.width > widest.width ? box : widest), null);
}
