/**
 * Distributions of one number, with the likelihood of data and its maximum:
 *
 *   Bernoulli  P(1) = p                                       p = the share of ones
 *   uniform    density 1/(b − a) on [a, b]                    a, b = the smallest and the largest number
 *   Gaussian   density exp(−(x − μ)²/(2σ²))/√(2πσ²)           μ, σ² = the mean and the mean squared distance from it
 */
import { require } from "./errors.js";
import { exact, nearest, plus } from "./exact.js";

/** Return the sum of doubles, rounded once.  @param {number[]} numbers  @returns {number} */
export const exactSum = (numbers) =>
  numbers.every(Number.isFinite) ? nearest(plus(...numbers.map(exact))) : numbers.reduce((a, b) => a + b, 0);

const likelihood = (logDensity) => (data) => exactSum(data.map(logDensity));

/** @param {number} p  @returns {{p: number, mean: number, variance: number, probability: (x: number) => number,
 *   logLikelihood: (data: number[]) => number}} */
export function bernoulli(p) {
  require(p >= 0 && p <= 1, `p: expected a probability, from 0 to 1, got ${p}`);
  const logarithm = (x) => (x === 1 ? Math.log(p) : x === 0 ? Math.log1p(-p) : -Infinity);
  const probability = (x) => (x === 1 ? p : x === 0 ? 1 - p : 0);
  return { p, mean: p, variance: p * (1 - p), probability, logLikelihood: likelihood(logarithm) };
}

/** @returns {{a: number, b: number, mean: number, variance: number, density: (x: number) => number,
 *   cumulative: (x: number) => number, logLikelihood: (data: number[]) => number}} */
export function uniform(a, b) {
  require(a < b, `b: expected a number above a = ${a}, got ${b}`);
  const width = b - a;
  const isInside = (x) => a <= x && x <= b;
  return {
    a, b, mean: a / 2 + b / 2, variance: width * (width / 12),
    density: (x) => (isInside(x) ? 1 / width : 0),
    cumulative: (x) => Math.max(0, Math.min(1, (x - a) / width)),
    logLikelihood: likelihood((x) => (isInside(x) ? -Math.log(width) : -Infinity)),
  };
}

/** @returns {{mean: number, variance: number, density: (x: number) => number, cumulative: (x: number) => number,
 *   logLikelihood: (data: number[]) => number}} */
export function gaussian(mean, variance) {
  require(variance > 0, `variance: expected a number above 0, got ${variance}`);
  const deviation = Math.sqrt(variance);
  const logDensity = (x) => -(((x - mean) / deviation) ** 2) / 2 - Math.log(deviation) - Math.log(2 * Math.PI) / 2;
  return {
    mean, variance,
    density: (x) => Math.exp(logDensity(x)),
    cumulative: (x) => normalCumulative((x - mean) / deviation),
    logLikelihood: likelihood(logDensity),
  };
}

/** Return the distribution under which the data are most likely.
 * @param {"bernoulli"|"uniform"|"gaussian"} kind  @param {number[]} data */
export function fitDistribution(kind, data) {
  require(data.length > 0, "data: there are none yet");
  if (kind === "bernoulli") {
    require(data.every((x) => x === 0 || x === 1), "data: expected 0 and 1 only");
    return bernoulli(data.filter((x) => x === 1).length / data.length);
  }
  const [low, high] = [Math.min(...data), Math.max(...data)];
  require(low < high, `data: all are ${low}, so the likelihood grows without bound; give two different numbers`);
  if (kind === "uniform") return uniform(low, high);
  const mean = exactSum(data) / data.length;
  return gaussian(mean, exactSum(data.map((x) => (x - mean) ** 2)) / data.length);
}

/** Φ(z) by the series z + z³/3 + z⁵/(3·5) + … near 0 and by a continued fraction in the tails (Abramowitz & Stegun 26.2). */
function normalCumulative(z) {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(z) < 3) {
    let [term, total] = [z, z];
    for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(total); k += 2) {
      term *= (z * z) / k;
      total += term;
    }
    return 0.5 + density * total;
  }
  let fraction = 0;
  for (let k = 80; k > 0; k -= 1) fraction = k / (Math.abs(z) + fraction);
  const tail = density / (Math.abs(z) + fraction);
  return z < 0 ? tail : 1 - tail;
}
