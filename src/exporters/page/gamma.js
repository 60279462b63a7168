// Quantiles of the gamma distribution: sampling/gamma.cc in this language, step by step; both are held to the values in
// testdata/estimates.json.

/** @typedef {{probability: number, normal: number}} Tail */
export const kLowerTail = { probability: 0.025, normal: -1.959963984540054 };
export const kUpperTail = { probability: 0.975, normal: 1.959963984540054 };

/** @param {number} a @returns {number} */
function logGamma(a) {
  let product = 1;
  while (a < 12) product *= a++;
  const r = 1 / a, r2 = r * r;
  const series = r * (1 / 12 - r2 * (1 / 360 - r2 * (1 / 1260 - r2 * (1 / 1680 - r2 / 1188))));
  return (a - 0.5) * Math.log(a) - a + 0.91893853320467274 + series - Math.log(product);
}

/** @param {number} a @param {number} x @param {number} lnGamma @returns {number} */
function gammaP(a, x, lnGamma) {
  if (x <= 0) return 0;
  const lead = Math.exp(a * Math.log(x) - x - lnGamma);
  if (x < a + 1) {
    let term = 1 / a, sum = term;
    for (let k = a + 1; term > sum * 1e-17; ++k) sum += term *= x / k;
    return Math.min(1, sum * lead);
  }
  const tiny = 1e-300;
  let b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
  for (let i = 1; i < 10000; ++i) {
    const numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    if (Math.abs(d) < tiny) d = tiny;
    c = b + numerator / c;
    if (Math.abs(c) < tiny) c = tiny;
    d = 1 / d;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return Math.max(0, 1 - lead * fraction);
}

/** @param {number} a @param {number} z @returns {number} */
function cornishFisher(a, z) {
  const z2 = z * z, root = Math.sqrt(a);
  return a + z * root + (z2 - 1) / 3 + z * (z2 - 7) / (36 * root) - ((3 * z2 + 7) * z2 - 16) / (810 * a) +
    z * ((9 * z2 + 256) * z2 - 433) / (38880 * a * root);
}

/** @param {number} shape @param {Tail} tail @returns {number} */
export function gammaQuantile(shape, tail) {
  if (!(shape > 0)) return 0;
  if (shape >= 1000) return cornishFisher(shape, tail.normal);
  const lnGamma = logGamma(shape);
  const small = Math.exp((Math.log(tail.probability) + lnGamma + Math.log(shape)) / shape);
  if (small < 1e-9) return small < 1e-300 ? 0 : small;
  const r = 1 / (9 * shape), root = 1 - r + tail.normal * Math.sqrt(r);
  let low = 0, high = shape + 10 * Math.sqrt(shape) + 20;
  let x = shape < 1 || root < 0.1 ? Math.min(small, high / 2) : shape * root * root * root;
  for (let i = 0; i < 60; ++i) {
    const miss = gammaP(shape, x, lnGamma) - tail.probability;
    if (miss > 0) high = x; else low = x;
    const newton = miss / Math.exp((shape - 1) * Math.log(x) - x - lnGamma);
    const bend = Math.max(-0.5, Math.min(0.5, newton * ((shape - 1) / x - 1) / 2));
    let next = x - newton / (1 - bend);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (Math.abs(next - x) < 1e-11 * x) return next;
    x = next;
  }
  return x;
}
