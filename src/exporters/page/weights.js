// What each leaf and each node weighs, in one measure, for the images that are chosen.
import { addMoments, estimateBytes, estimateObjects, estimatePeak, noMoments, widened } from "./estimates.js";

/** @typedef {import("./reader.js").Data} Data */
/** @typedef {import("./reader.js").Measure} Measure */
/** @typedef {import("./reader.js").Moments} Moments */
/** @typedef {import("./estimates.js").Estimate} Estimate */

/** The sums of the chosen images' own totals. @param {Data} data @param {number[]} images @returns {import("./reader.js").Totals} */
export function totalsOf(data, images) {
  const out = { columns: Array.from({ length: data.head.columns }, noMoments), peakWhole: noMoments(), peakMostProven: 0,
                floor: Infinity, period: 0 };
  for (const image of images) {
    const totals = data.head.profiles[image].totals;
    totals.columns.forEach((moments, column) => addMoments(out.columns[column], moments));
    addMoments(out.peakWhole, totals.peakWhole);
    out.peakMostProven += totals.peakMostProven;
    out.floor = Math.min(out.floor, totals.floor);
    out.period = Math.max(out.period, totals.period);
  }
  return out;
}

/** The number of a measure over whole images. @param {Data} data @param {number[]} images @param {Measure} measure @returns {Estimate} */
export function totalOf(data, images, measure) {
  const totals = totalsOf(data, images), moments = totals.columns[measure.column];
  if (measure.exact) return estimateBytes(moments, 0);
  if (!measure.bytes) return estimateObjects(moments, totals.period, totals.floor);
  if (measure.name !== "peak") return estimateBytes(moments, totals.period);
  const live = data.head.measures.find((one) => one.name === "live") ?? measure;
  return estimatePeak(totals, moments, totals.columns[live.column], images.length === 1);
}

export class Weights {
  /** @param {Data} data @param {number[]} images @param {Measure} measure */
  constructor(data, images, measure) {
    const { leaves, nodes } = data;
    this.data = data;
    this.images = images;
    this.measure = measure;
    this.column = leaves.columns[measure.column];
    /** 0 where every number of this measure is exact. */
    this.period = measure.exact ? 0 : totalsOf(data, images).period;
    this.whole = totalOf(data, images, measure);
    const chosen = new Uint8Array(data.head.profiles.length);
    for (const image of images) chosen[image] = 1;
    /** Of each leaf; 0 where its image is not chosen. */
    this.leaf = new Float64Array(leaves.count);
    this.self = new Float64Array(nodes.count);
    this.total = new Float64Array(nodes.count);
    const { proven, inferred } = this.column, estimated = inferred.length > 0;
    for (let leaf = 0; leaf < leaves.count; ++leaf) {
      if (chosen[leaves.profile[leaf]] === 0) continue;
      this.self[leaves.node[leaf]] += this.leaf[leaf] = proven[leaf] + (estimated ? inferred[leaf] : 0);
    }
    for (let node = nodes.count - 1; node >= 0; --node) {
      this.total[node] += this.self[node];
      if (node > 0) this.total[nodes.parent[node]] += this.total[node];
    }
  }

  /** Adds a leaf to sums that get one interval. @param {Moments & {floor: number}} sum @param {number} leaf */
  addLeaf(sum, leaf) {
    if (!(this.leaf[leaf] > 0)) return;
    const { proven, inferred, variance, samples } = this.column;
    sum.proven += proven[leaf];
    if (inferred.length === 0) return;
    sum.inferred += inferred[leaf];
    sum.variance += variance[leaf];
    sum.samples += samples[leaf];
    sum.floor = Math.min(sum.floor, this.data.leaves.floor[leaf]);
  }

  /** @param {Moments & {floor: number}} sum @returns {Estimate} */
  estimate(sum) {
    if (!this.measure.bytes) return estimateObjects(sum, this.period, sum.floor);
    return estimateBytes(this.measure.name === "peak" ? widened(sum) : sum, this.period);
  }

  /** The number of the other kind that stands beside: objects for bytes, bytes for calls. @param {number} leaf @returns {number} */
  besideOfLeaf(leaf) {
    if (!(this.leaf[leaf] > 0)) return 0;
    const column = this.data.leaves.columns[this.measure.beside];
    return column.proven[leaf] + (column.inferred.length > 0 ? column.inferred[leaf] : 0);
  }
}

/** @returns {Moments & {floor: number}} */
export function noSum() {
  return { ...noMoments(), floor: Infinity };
}
