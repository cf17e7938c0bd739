// SPDX-License-Identifier: MIT
// memlab.js SNAPSHOT EXPECTED: memlab opens the snapshot. It must have the same sizes, retained
// sizes and numbers of references for every node as the library.
const fs = require("fs");
const {getFullHeapFromFile} = require("@memlab/heap-analysis");

function report(isFine, name) {
  process.stdout.write(`\n${isFine ? "ok" : "FAIL"} views: ${name}\n`);
}

(async () => {
  const expected = JSON.parse(fs.readFileSync(process.argv[3], "utf8")).nodes;
  const heap = await getFullHeapFromFile(process.argv[2]);
  const nodes = [];
  heap.nodes.forEach(node => nodes.push(node));
  report(nodes.length === expected.length, "memlab finds as many nodes as the library");
  const differ = what => nodes.filter((node, n) => what(node) !== what(node, expected[n])).length;
  report(differ((node, other) => other ? other.size : node.self_size) === 0,
         "memlab finds the same sizes");
  report(differ((node, other) => other ? other.retained : node.retainedSize) === 0,
         "memlab computes the same retained sizes");
  report(differ((node, other) => other ? other.referents : node.edge_count) === 0,
         "memlab finds the same references");
  report(differ((node, other) => other ? other.type : node.name) === 0,
         "memlab shows the names of the types");
})();
