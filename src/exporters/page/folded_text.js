// What is shown as folded stacks: root first, frames divided by `;`, a number; the numbers add up to the total, rounded once.

/** One frame stays one frame. @param {string} name @returns {string} */
export function safeFrame(name) {
  // eslint-disable-next-line no-control-regex
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?").replaceAll(";", ":").trim() || "?";
}

/** @param {import("./top_down.js").View} view @param {number} zoom @returns {string} */
export function foldedText(view, zoom) {
  const { data, images, leaf: weights } = view.weights, { nodes, functions, strings, leaves } = data;
  /** @type {Map<string, number>} */
  const lines = new Map();
  let sum = 0, given = 0;
  view.eachLeaf(zoom, (leaf) => {
    sum += weights[leaf];
    const value = Math.round(sum) - given;
    given += value;
    if (value === 0) return;
    const names = [];
    for (let node = leaves.node[leaf]; node > 0; node = nodes.parent[node]) names.push(safeFrame(strings[functions.whole[nodes.func[node]]]));
    if (images.length > 1) names.push(safeFrame(data.head.profiles[leaves.profile[leaf]].name));
    const line = names.reverse().join(";");
    lines.set(line, (lines.get(line) ?? 0) + value);
  });
  return [...lines].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([line, value]) => `${line} ${value}\n`).join("");
}
