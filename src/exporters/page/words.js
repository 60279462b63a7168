// Numbers as the reports write them (units.h): three significant digits, binary units, "1.24 M".

const kByteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], kCountUnits = ["", "k", "M", "G", "T", "P"];

/** @param {number} number @returns {string} */
function digits(number) {
  if (number >= 99.95) return number.toFixed(0);
  if (number >= 9.995) return number.toFixed(1);
  return number > 0 && number < 0.005 ? "<0.01" : number.toFixed(2);
}

/** @param {number} number @param {boolean} bytes @returns {number} the index of its unit */
function unitOf(number, bytes) {
  const step = bytes ? 1024 : 1000, units = bytes ? kByteUnits : kCountUnits;
  if (number < (bytes ? 1023.5 : 9999.5)) return 0;
  let unit = 0;
  for (; number >= 999.5 && unit + 1 < units.length; ++unit) number /= step;
  return unit;
}

/** @param {number} number @param {boolean} bytes @param {number} unit @returns {string} */
function inUnit(number, bytes, unit) {
  return unit === 0 ? number.toFixed(0) : digits(number / (bytes ? 1024 : 1000) ** unit);
}

/** "188 MiB", "1.24 M". @param {number} number @param {boolean} bytes @returns {string} */
export function amountText(number, bytes) {
  const unit = unitOf(number, bytes), name = (bytes ? kByteUnits : kCountUnits)[unit];
  return inUnit(number, bytes, unit) + (name ? "\u00a0" + name : "");
}

/**
 * "181–195", in the unit of the value; "" where the number is exact.
 * @param {import("./estimates.js").Estimate} estimate @param {boolean} bytes @returns {string}
 */
export function intervalText(estimate, bytes) {
  if (estimate.exact) return "";
  if (estimate.v === 0) return "";  // then valueText says how much it may be
  const unit = unitOf(estimate.v, bytes), low = inUnit(estimate.lo, bytes, unit);
  return estimate.hiKnown ? low + "–" + inUnit(estimate.hi, bytes, unit) : low + " or more";
}

/** "188 MiB"; of what no sample was seen of, which is not nothing: "below 1.9 MiB". @param {import("./estimates.js").Estimate} estimate @param {boolean} bytes @returns {string} */
export function valueText(estimate, bytes) {
  if (estimate.exact || estimate.v !== 0) return amountText(estimate.v, bytes);
  return estimate.hiKnown ? "below " + amountText(estimate.hi, bytes) : "not known";
}

/** "188 MiB (181–195)". @param {import("./estimates.js").Estimate} estimate @param {boolean} bytes @returns {string} */
export function estimateText(estimate, bytes) {
  const interval = intervalText(estimate, bytes);
  return valueText(estimate, bytes) + (interval ? ` (${interval})` : "");
}

/** "71 %". @param {number} part @param {number} whole @returns {string} */
export function shareText(part, whole) {
  const percent = whole > 0 ? part / whole * 100 : 0;
  if (percent > 0 && percent < 0.1) return "<0.1\u00a0%";
  return (percent > 0 && percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0)) + "\u00a0%";
}

/** "1 object", "1.24 M objects". @param {number} count @param {string} word @returns {string} */
export function countedText(count, word) {
  return amountText(count, false) + " " + word + (count === 1 ? "" : word.endsWith("x") ? "es" : "s");
}

/** @param {string} path @returns {string} */
export function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** "cache.cc:88-91"; "" without a file. @param {string} file @param {number} line @param {number} last @returns {string} */
export function lineText(file, line, last) {
  if (!file) return "";
  return file + (line ? ":" + line + (last > line ? "–" + last : "") : "");
}
