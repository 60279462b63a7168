// Loads a DHAT file with valgrind's own viewer, without a browser: node load_in_dhat_viewer.js dh_view.js FILE
// Right if the viewer takes the file, its root has the sums of all stacks, and its leaves are those stacks, one each.
const fs = require("fs"), vm = require("vm");
const [, , viewer, file] = process.argv;
const context = vm.createContext({ document: {}, Intl, console });
vm.runInContext(
  fs.readFileSync(viewer, "utf8") +
    `;globalThis.load = (data) => {
       gData = data;
       gSelect = { childNodes: gSelectData.map(() => ({})), selectedIndex: 0 };
       buildTree();
       return gRoot;
     };`,
  context);
const data = JSON.parse(fs.readFileSync(file, "utf8"));
const fields = { tb: "_totalBytes", tbk: "_totalBlocks", tl: "_totalLifetimes", gb: "_atTGmaxBytes", gbk: "_atTGmaxBlocks",
                 eb: "_atTEndBytes", ebk: "_atTEndBlocks" };
const root = context.load(data);
const wrong = [];
for (const [field, member] of Object.entries(fields)) {
  const sum = data.pps.reduce((total, point) => total + point[field], 0);
  if (root[member] !== sum) wrong.push(`${field}: the viewer has ${root[member]}, the file ${sum}`);
}
const leaves = new Map();
const open = [[root, []]];
while (open.length > 0) {
  const [node, above] = open.pop();
  const frames = above.concat(node._frames);
  if (node._kids) for (const kid of node._kids) open.push([kid, frames]);
  else leaves.set(frames.slice(1).join(","), node);  // without [root]
}
if (leaves.size !== data.pps.length) wrong.push(`${leaves.size} stacks, ${data.pps.length} in the file`);
for (const point of data.pps) {
  const leaf = leaves.get(point.fs.join(","));
  if (!leaf) wrong.push(`no stack ${point.fs}`);
  else if (leaf._totalBytes !== point.tb || leaf._atTEndBytes !== point.eb || leaf._maxBytes !== point.mb)
    wrong.push(`other values at ${point.fs}`);
}
if (wrong.length > 0) console.log(wrong.slice(0, 10).join("\n"));
process.exit(wrong.length > 0 ? 1 : 0);
