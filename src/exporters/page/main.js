// Unpacks the data and shows the page; where that fails, says so instead of showing nothing.
import { byId } from "./dom.js";
import { Page } from "./page.js";
import { read } from "./reader.js";
import { unpack } from "./unpack.js";

async function main() {
  try {
    const page = new Page(read(await unpack((byId("data").textContent ?? "").trim())));
    byId("data").remove();
    byId("waiting").hidden = true;
    page.start();
    Object.assign(window, { heaptally: page });
  } catch (error) {
    byId("waiting").textContent = `This page cannot be shown: ${error instanceof Error ? error.message : error}. ` +
      "What works: write it again with heaptally flame, or open it in a browser of 2021 or later.";
    throw error;
  }
}

main();
