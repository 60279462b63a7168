// Which boxes are drawn, and where: rows of boxes, only those that are at least a pixel wide. What is narrower stands together
// in one box at the end of its row. Nothing recurses, and where a stack is deeper than people can read, a run of calls that
// hardly branches is folded in its middle.

/** @typedef {import("./top_down.js").View} View */
/**
 * @typedef {object} Box
 * @property {number} id of a frame: itself; of a rest: its parent; of a fold: the first frame that is hidden
 * @property {number} x pixels
 * @property {number} width pixels
 * @property {"frame" | "rest" | "fold"} kind
 * @property {number} count boxes that it stands for
 * @property {number} total of what it stands for
 * @property {boolean} done its children are placed already
 */

const kDeep = 100, kRunEnds = 4, kShortestRun = 5 * kRunEnds, kMostBoxes = 400_000;

/** @param {View} view @param {number} first @param {number} slack in the measure @returns {number[]} frames below `first`, as long as nearly all of one lies in the next */
function runBelow(view, first, slack) {
  const run = [];
  for (let id = first; ;) {
    const children = view.children(id);
    if (children.length === 0 || view.total(children[0]) < view.total(id) - slack) return run;
    id = children[0];
    run.push(id);
  }
}

/** @param {number} id @param {number} x @param {number} width @param {number} total @returns {Box} */
function frameBox(id, x, width, total) {
  return { id, x, width, kind: "frame", count: 1, total, done: false };
}

/** Places a run below `box`: its first frames, a fold, its last ones. @param {View} view @param {Box[][]} rows @param {number} row @param {Box} box @param {number[]} run @param {number} scale */
function placeRun(view, rows, row, box, run, scale) {
  const hidden = run.slice(kRunEnds, -kRunEnds);
  const shown = [...run.slice(0, kRunEnds), -1, ...run.slice(-kRunEnds)];
  shown.forEach((id, at) => {
    const total = view.total(id === -1 ? hidden[0] : id);
    const made = frameBox(id === -1 ? hidden[0] : id, box.x, total * scale, total);
    made.done = at + 1 < shown.length;
    if (id === -1) {
      made.kind = "fold";
      made.count = hidden.length;
    }
    (rows[row + 1 + at] ??= []).push(made);
  });
}

/** @param {View} view @param {Box[][]} rows @param {number} row @param {Box} box @param {number} scale */
function placeChildren(view, rows, row, box, scale) {
  let x = box.x;
  const children = view.children(box.id);
  for (let at = 0; at < children.length; ++at) {
    const total = view.total(children[at]), width = total * scale;
    if (width >= 1) {
      (rows[row + 1] ??= []).push(frameBox(children[at], x, width, total));
      x += width;
      continue;
    }
    let rest = 0;
    for (let more = at; more < children.length; ++more) rest += view.total(children[more]);
    if (rest * scale < 1) return;
    (rows[row + 1] ??= []).push({ id: box.id, x, width: rest * scale, kind: "rest", count: children.length - at, total: rest, done: true });
    return;
  }
}

/** @param {View} view @param {number} zoom @param {number} width @param {number} slack pixels that a folded run may lose at each step; -1: nothing is folded @returns {Box[][]} */
function place(view, zoom, width, slack) {
  const total = view.total(zoom);
  if (!(total > 0)) return [];
  const scale = width / total, rows = [[frameBox(zoom, 0, width, total)]];
  let placed = 0;
  for (let row = 0; row < rows.length && placed < kMostBoxes; ++row) {
    rows[row].sort((a, b) => a.x - b.x);
    placed += rows[row].length;
    for (const box of rows[row]) {
      if (box.done) continue;
      const run = slack < 0 ? [] : runBelow(view, box.id, slack / scale);
      if (run.length > kShortestRun) placeRun(view, rows, row, box, run, scale);
      else placeChildren(view, rows, row, box, scale);
    }
  }
  return rows;
}

/**
 * @param {View} view @param {number} zoom @param {number} width pixels @param {boolean} unfold show all rows
 * @returns {{rows: Box[][], folded: boolean, deep: boolean}} deep: there is something to fold
 */
export function layOut(view, zoom, width, unfold) {
  const whole = place(view, zoom, width, -1);
  if (whole.length <= kDeep) return { rows: whole, folded: false, deep: false };
  if (unfold) return { rows: whole, folded: false, deep: true };
  let best = whole;
  for (const slack of [1, 4, 16, 64]) {
    const rows = place(view, zoom, width, slack);
    if (rows.length < best.length) best = rows;
    if (best.length <= kDeep) break;
  }
  return { rows: best, folded: best !== whole, deep: best !== whole };
}

/** @param {Box[]} row sorted by x @param {number} x @returns {number} the index of the box at x, or -1 */
export function boxAt(row, x) {
  let low = 0, high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle].x <= x) low = middle + 1; else high = middle;
  }
  return low > 0 && x < row[low - 1].x + row[low - 1].width ? low - 1 : -1;
}
