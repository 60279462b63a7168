// The page's intervals against the examples that the tool's own are held to (estimates_file_test.cc).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { estimateBytes, estimateObjects, estimatePeak, widened } from "./estimates.js";

const cases = JSON.parse(readFileSync(new URL("testdata/estimates.json", import.meta.url), "utf8"));

/** @param {import("./estimates.js").Estimate} got @param {{v: number, lo: number, hi: number | null, exact: boolean}} wanted @param {string} what */
function same(got, wanted, what) {
  const close = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) <= Math.abs(b) * 1e-8;
  assert.ok(close(got.v, wanted.v) && close(got.lo, wanted.lo), `${what}: ${JSON.stringify(got)} for ${JSON.stringify(wanted)}`);
  assert.equal(got.hiKnown, wanted.hi !== null, what);
  assert.equal(got.exact, wanted.exact, what);
  if (wanted.hi !== null) assert.ok(close(got.hi, wanted.hi), `${what}: ${JSON.stringify(got)} for ${JSON.stringify(wanted)}`);
}

test("intervals are those of the tool", () => {
  assert.ok(cases.length > 60);
  for (const { period, floor, moments, whole, bytes, calls, peak, process_peak } of cases) {
    const what = JSON.stringify({ period, floor, moments }), live = { ...moments, proven: moments.proven + 1000 };
    same(estimateBytes(moments, period), bytes, "bytes of " + what);
    same(estimateObjects(moments, period, floor ?? Infinity), calls, "calls of " + what);
    same(estimateBytes(widened(moments), period), peak, "peak of " + what);
    const totals = { columns: [], peakWhole: whole, peakMostProven: moments.proven + 5, floor: floor ?? Infinity, period };
    same(estimatePeak(totals, moments, live, true), process_peak, "peak of a process: " + what);
  }
});
