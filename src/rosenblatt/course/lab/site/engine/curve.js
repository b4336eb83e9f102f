/**
 * Polynomial curves: minimise Σ (p(x) − y)² + λ·‖w‖² over p(x) = w₀ + w₁x + … + w_M x^M.
 *
 * The sum is solved in the Chebyshev basis T on the interval of the data, which is well conditioned: w = M·c, and c solves
 * the least-squares problem T·c ≈ y, √λ·M·c ≈ 0 by Householder QR with column pivoting and rows sorted by size (Cox &
 * Higham 1998). If there are fewer different x than coefficients and λ = 0, the shortest w through the means is found
 * exactly: w = Φᵀ(ΦΦᵀ)⁻¹y in fractions.
 */
import { solveIntegers } from "./elimination.js";
import { require } from "./errors.js";
import { Fraction } from "./fraction.js";
import { inner } from "./geometry.js";
import { Random } from "./random.js";

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @param {number[]} xs  @param {number[]} ys  @param {{degree: number, l2?: number}} settings l2 is λ
 * @returns {{coefficients: number[], trainingError: number, predict: (x: number) => number}} coefficients of 1, x, x² …;
 *   trainingError is Σ (p(x) − y)² */
export function fitCurve(xs, ys, { degree, l2 = 0 }) {
  require(xs.length > 0, "points: there are none; a curve needs at least one");
  require(l2 >= 0 && Number.isInteger(degree) && degree >= 0, `expected λ ≥ 0 and a degree of at least 0, got ${l2} and ${degree}`);
  const size = degree + 1;
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const [centre, half] = [(low + high) / 2, (high - low) / 2 || 1];
  if (l2 === 0 && new Set(xs).size < size) return curveOf(shortest(xs, ys, size), null, xs, ys);
  const terms = (x) => chebyshev((x - centre) / half, size);
  const powers = chebyshevPowers(size, centre, half);
  const penalty = l2 ? powers.map((row) => row.map((entry) => Math.sqrt(l2) * entry)) : [];
  const rows = [...penalty, ...xs.map(terms)];
  const targets = [...penalty.map(() => 0), ...ys];
  const solve = leastSquares(rows);
  const first = solve(targets);
  const rest = solve(targets.map((y, i) => y - inner(rows[i], first))); // one step of iterative refinement
  const c = first.map((value, k) => value + rest[k]);
  return curveOf(powers.map((row) => inner(row, c)), (x) => inner(terms(x), c), xs, ys);
}

/** Return the root mean squared error of a curve.  @param {{predict: (x: number) => number}} curve */
export const rootMeanSquare = (curve, xs, ys) => Math.sqrt(sum(xs.map((x, i) => (curve.predict(x) - ys[i]) ** 2)) / xs.length);

/** Choose λ by cross-validation: points with the same x are held out together; ties go to the larger λ.
 * @param {{degree: number, candidates: number[], folds?: number, randomState?: number}} settings
 * @returns {{l2: number, heldOut: {l2: number, error: number}[]}} root mean squared errors on the held-out points */
export function chooseL2(xs, ys, { degree, candidates, folds = 10, randomState = 0 }) {
  const different = [...new Set(xs)].sort((a, b) => a - b);
  require(different.length > 1, "points: cross-validation needs two different x; add a point or choose λ");
  const parts = Math.min(folds, different.length);
  const part = new Random(randomState).shuffle(different.map((_, k) => k % parts));
  const foldOf = xs.map((x) => part[different.indexOf(x)]);
  const heldOut = candidates.map((l2) => {
    const squares = Array.from({ length: parts }, (_, fold) => {
      const rest = xs.map((_, i) => i).filter((i) => foldOf[i] !== fold);
      const curve = fitCurve(rest.map((i) => xs[i]), rest.map((i) => ys[i]), { degree, l2 });
      return sum(xs.map((x, i) => (foldOf[i] === fold ? (curve.predict(x) - ys[i]) ** 2 : 0)));
    });
    return { l2, error: Math.sqrt(sum(squares) / xs.length) };
  });
  const least = Math.min(...heldOut.map(({ error }) => error));
  return { l2: Math.max(...heldOut.filter(({ error }) => error <= least * (1 + 1e-9)).map(({ l2 }) => l2)), heldOut };
}

function curveOf(coefficients, evaluate, xs, ys) {
  const predict = evaluate ?? ((x) => coefficients.reduceRight((value, w) => value * x + w, 0));
  return { coefficients, predict, trainingError: sum(xs.map((x, i) => (predict(x) - ys[i]) ** 2)) };
}

/** T₀(t), T₁(t), …: T_{k+1} = 2t·T_k − T_{k−1}. */
function chebyshev(t, size) {
  const values = [1, t];
  while (values.length < size) values.push(2 * t * values[values.length - 1] - values[values.length - 2]);
  return values.slice(0, size);
}

/** Return M with w = M·c for p(x) = Σ c_k·T_k((x − centre)/half). */
function chebyshevPowers(size, centre, half) {
  const byT = (v) => v.map((value, k) => ((k ? v[k - 1] : 0) - centre * value) / half);
  const columns = [Array.from({ length: size }, (_, k) => Number(k === 0))];
  if (size > 1) columns.push(byT(columns[0]));
  while (columns.length < size) {
    const [before, now] = columns.slice(-2);
    columns.push(byT(now).map((value, k) => 2 * value - before[k]));
  }
  return columns.map((_, k) => columns.map((column) => column[k]));
}

/** Return a function that solves rows·c ≈ targets for rows of full column rank. */
function leastSquares(rows) {
  const order = rows.map((_, i) => i).sort((i, j) => Math.max(...rows[j].map(Math.abs)) - Math.max(...rows[i].map(Math.abs)));
  const a = order.map((i) => [...rows[i]]);
  const size = a[0].length;
  const pivots = Array.from({ length: size }, (_, k) => k);
  const reflections = [];
  for (let k = 0; k < size; k += 1) {
    const norm = (j) => Math.hypot(...a.slice(k).map((row) => row[j]));
    const best = pivots.map((_, j) => j).slice(k).reduce((most, j) => (norm(j) > norm(most) ? j : most));
    for (const row of a) [row[k], row[best]] = [row[best], row[k]];
    [pivots[k], pivots[best]] = [pivots[best], pivots[k]];
    const v = a.slice(k).map((row) => row[k]);
    v[0] += Math.sign(v[0] || 1) * norm(k);
    const reflect = (read, write) => {
      const factor = (2 * sum(v.map((vi, i) => vi * read(k + i)))) / (inner(v, v) || 1);
      v.forEach((vi, i) => write(k + i, read(k + i) - factor * vi));
    };
    for (let j = k; j < size; j += 1) reflect((i) => a[i][j], (i, value) => { a[i][j] = value; });
    reflections.push(reflect);
  }
  return (targets) => {
    const y = order.map((i) => targets[i]);
    for (const reflect of reflections) reflect((i) => y[i], (i, value) => { y[i] = value; });
    const c = new Array(size).fill(0);
    for (let k = size - 1; k >= 0; k -= 1) {
      const known = sum(pivots.slice(k + 1).map((pivot, j) => a[k][k + 1 + j] * c[pivot]));
      c[pivots[k]] = (y[k] - known) / a[k][k];
    }
    return c;
  };
}

/** Return the shortest w with p(x) = the mean of the y at every x: w = Φᵀα with ΦΦᵀα = y, in integers. */
function shortest(xs, ys, size) {
  const different = [...new Set(xs)];
  const mean = (x) => ys.filter((_, i) => xs[i] === x).reduce((total, y, _, own) => total + y / own.length, 0);
  const [a, unit] = commonIntegers(different);
  const [b, unitY] = commonIntegers(different.map(mean));
  // x = a/unit, and row i of Φ is aᵢ^k·unit^(degree − k) over unit^degree
  const features = a.map((ai) => Array.from({ length: size }, (_, k) => ai ** BigInt(k) * unit ** BigInt(size - 1 - k)));
  const dot = (u, v) => u.reduce((total, uk, k) => total + uk * v[k], 0n);
  const { numerators, denominator } = solveIntegers(features.map((u, i) => [...features.map((v) => dot(u, v)), b[i]]));
  const scale = unit ** BigInt(size - 1);
  const weight = (k) => new Fraction(dot(features.map((u) => u[k]), numerators) * scale, denominator * unitY);
  return Array.from({ length: size }, (_, k) => weight(k).toNumber());
}

/** Return integers and a unit: numbers = integers/unit, as decimals. */
function commonIntegers(numbers) {
  const fractions = numbers.map(Fraction.of);
  const unit = fractions.reduce((common, { d }) => common * new Fraction(d, common).n, 1n); // the least common multiple
  return [fractions.map(({ n, d }) => n * (unit / d)), unit];
}
