// SPDX-License-Identifier: MIT
// page.js PAGE EXPECTED [SCREENSHOT]: clicks through the page in Chromium, and compares its
// figures with those of the library.
const fs = require("fs");
const path = require("path");
const puppeteer = require("puppeteer-core");

const SHOWN = 60; // objects that are looked at

function report(isFine, name, why) {
  if (!isFine && why !== undefined) console.log(why);
  console.log(`${isFine ? "ok" : "FAIL"} views: ${name}`);
}

const texts = (page, selector) => page.$$eval(selector, all => all.map(one => one.textContent));
const text = async (page, selector) => (await texts(page, selector))[0];
const plain = value => Number(value.replace(/[^0-9]/g, ""));

async function checkTypes(page, expected) {
  const rows = await page.$$eval("#types tbody tr", all =>
    all.map(row => [...row.cells].map(cell => cell.textContent)));
  const wanted = expected.types.slice().sort((a, b) => b[3] - a[3]);
  report(rows.length === wanted.length && rows.every((row, i) => plain(row[3]) === wanted[i][3]),
         "the table of types has the library's retained sizes, the largest first",
         JSON.stringify(rows));
  const byName = new Map(expected.types.map(row => [row[0], row]));
  report(rows.every(row => byName.has(row[0]) && plain(row[1]) === byName.get(row[0])[1] &&
                           plain(row[2]) === byName.get(row[0])[2]),
         "the table of types has the library's objects and bytes");
}

async function checkSorting(page, expected) {
  await page.click("#types thead th:first-child button");
  const names = await texts(page, "#types tbody td:first-child");
  report(JSON.stringify(names) === JSON.stringify(expected.types.map(row => row[0]).sort()),
         "a click on a heading sorts the table");
  await page.type("#filter", "TUP");
  const filtered = await texts(page, "#types tbody td:first-child");
  report(filtered.length > 0 && filtered.every(name => name.includes("tup")),
         "the filter leaves the types whose name has the text", filtered.join());
  await page.click("#types tbody button");
  const objects = await texts(page, "#objects tbody td:first-child");
  report(objects.length > 0 && objects.every(name => name.startsWith(filtered[0]) ||
                                                     name.endsWith(" more")),
         "a click on a type lists its objects", objects.slice(0, 5).join());
}

async function checkMap(page, expected) {
  const first = expected.nodes[0];
  report((await text(page, "#crumbs")).includes(first.retained.toLocaleString("en")),
         "the treemap begins with all that is retained");
  const tile = await page.$("#map button[data-node]");
  const title = await tile.evaluate(one => one.title);
  const shown = await page.evaluate(() => {
    const map = document.getElementById("map").getBoundingClientRect();
    let area = 0;
    for (const one of document.querySelectorAll("#map button[data-depth='0']")) {
      const box = one.getBoundingClientRect();
      area += box.width * box.height;
    }
    return area / (map.width * map.height);
  });
  report(shown > 0.95 && shown < 1.05, "the tiles of the treemap fill it", String(shown));
  await tile.evaluate(one => one.click());
  report(title.startsWith(await text(page, "#object-name")) &&
         (await page.$$("#crumbs button")).length === 2,
         "a click on a tile goes into what it retains", title);
}

// Go to an object by its address, and read what the page says of it.
async function visit(page, address) {
  await page.evaluate(where => show(nodes.findIndex(node => node[2] === where)), address);
  return {
    sizes: (await text(page, "#object-sizes")).split(", retains").map(plain),
    path: await texts(page, "#path li code"),
    headings: (await texts(page, "#object h2")).slice(-2).map(plain),
  };
}

async function checkObjects(page, expected) {
  const objects = expected.nodes.slice(6);
  const step = Math.max(1, Math.floor(objects.length / SHOWN));
  let sizes = true, paths = true, edges = true, why = "";
  for (let i = 0; i < objects.length; i += step) {
    const node = objects[i], shown = await visit(page, node.address);
    const path = node.path.map((name, at) =>
      (at === node.path.length - 1 ? name.replace(/^\./, "") : name) || "(unnamed)");
    sizes = sizes && shown.sizes[0] === node.size && shown.sizes[1] === node.retained;
    paths = paths && shown.path.length === path.length &&
            shown.path[path.length - 1] === path[path.length - 1];
    edges = edges && shown.headings[0] === node.referrers && shown.headings[1] === node.referents;
    if (!(sizes && paths && edges) && why === "") why = JSON.stringify([node, shown]);
  }
  report(sizes, "an object has the library's size and retained size", why);
  report(paths, "an object has a path as short as the library's, from the same root", why);
  report(edges, "an object has the library's referrers and references", why);
}

async function checkLinks(page, expected) {
  const orders = expected.nodes.slice(6).reduce((a, b) => b.type === "list" &&
                                                b.retained > a.retained ? b : a, {retained: 0});
  await visit(page, orders.address);
  const link = await page.$("#path li button");
  const name = await link.evaluate(one => one.textContent);
  await link.click();
  report((await text(page, "#object-name")) === name, "a click on a holder shows the holder");
}

(async () => {
  const [file, expectedFile, screenshot] = process.argv.slice(2);
  const expected = JSON.parse(fs.readFileSync(expectedFile, "utf8"));
  const browser = await puppeteer.launch({executablePath: process.env.CHROMIUM,
                                          args: ["--no-sandbox", "--disable-gpu"]});
  const page = await browser.newPage();
  const errors = [], requests = [];
  page.on("pageerror", error => errors.push(String(error)));
  page.on("request", request => requests.push(request.url()));
  await page.setViewport({width: 1200, height: 900});
  const begin = Date.now();
  await page.goto("file://" + path.resolve(file));
  const seconds = (Date.now() - begin) / 1000;
  report(seconds < 10, `the page of ${expected.nodes.length} objects opens in ten seconds`,
         String(seconds));
  await checkTypes(page, expected);
  await checkMap(page, expected);
  if (screenshot) await page.screenshot({path: screenshot});
  await checkSorting(page, expected);
  if (expected.nodes.length < 100000) {
    await checkObjects(page, expected);
    await checkLinks(page, expected);
  }
  report(errors.length === 0, "no script of the page fails", errors.join("\n"));
  report(requests.every(url => url.startsWith("file:")), "the page needs no network",
         requests.join("\n"));
  await browser.close();
})().catch(error => { console.log(error); report(false, "the page can be tested"); });
