/**
 * The largest margin, exactly. With an offset: half the distance between the nearest points p and q of the hulls of + and
 * −; the separator is halfway between them, at right angles to p − q. Without: the distance of the hull of the points y·x
 * from the origin. If the hulls meet, the weights of a common point prove that no line separates.
 *
 * @typedef {Object} Verdict
 * @property {boolean} separable
 * @property {boolean} offset
 * @property {number[]|null} w         of the largest margin, with length 1; null with a kernel
 * @property {number} b
 * @property {number} margin           the largest margin γ; 0 if not separable
 * @property {Fraction} margin2        γ² exactly
 * @property {number} radius           R, the largest norm of a point
 * @property {Fraction} radius2
 * @property {number[]} support        rows that determine the margin, or that prove that no line separates
 * @property {{row: number, weight: Fraction}[]} weights   of the support rows: within each class they sum to 1 (without an
 *   offset, in total)
 * @property {{positive: number[], negative: number[]}|null} nearest   the points p and q, with an offset
 * @property {number[]|null} meeting   a common point of the hulls; without an offset, the origin
 * @property {bigint|null} mostMistakes   ⌊R²/γ²⌋ of the points of the theorem: (x, 1) with an offset
 */
import { asIntegers } from "./exact.js";
import { require } from "./errors.js";
import { Fraction, sum } from "./fraction.js";
import { nearestToOrigin } from "./nearest.js";
import { checkExamples } from "./trace.js";

/** Return the largest margin, or the proof that there is none.
 * @param {number[][]} points  @param {(-1|1)[]} labels
 * @param {{offset?: boolean, kernel?: import("./kernels.js").Kernel|null}} [settings] kernel: a polynomial kernel, in whose
 *   feature space the points are separated through the origin  @returns {Verdict} */
export function separate(points, labels, { offset = true, kernel = null } = {}) {
  checkExamples(points, labels);
  if (kernel) return separateInFeatureSpace(points, labels, kernel);
  const { vectors, unit } = integerPoints(points);
  const groups = groupsOf(labels, offset);
  require(groups.every((rows) => rows.length), "labels: all points are of one class; add one of the other");
  const products = (i) => vectors.map((z, j) => BigInt(labels[i] * labels[j]) * inner(vectors[i], z));
  const found = nearestToOrigin(products, groups);
  const verdict = verdictOf(found, groups, unit.times(unit), largest(vectors.map((v) => inner(v, v))));
  const total = (rows) => points[0].map((_, j) => rows.reduce((sum, i) => sum + (found.weights.get(i) ?? 0n) * vectors[i][j], 0n));
  const [p, q] = [1, -1].map((y) => total(labels.flatMap((label, row) => (label === y ? [row] : []))));
  const asPoint = (integers) => integers.map((n) => new Fraction(n, found.denominator).times(unit).toNumber());
  if (!verdict.separable) return { ...verdict, meeting: offset ? asPoint(p) : points[0].map(() => 0) };
  const normal = p.map((pj, j) => pj - q[j]);
  const norm2 = inner(normal, normal);
  const middle = offset ? new Fraction(-inner(normal, p.map((pj, j) => pj + q[j])), 2n * found.denominator).times(unit) : Fraction.of(0);
  const overNorm = (value) => value.sign() * value.times(value).over(Fraction.of(norm2)).root();
  return {
    ...verdict,
    w: normal.map((n) => overNorm(Fraction.of(n))),
    b: overNorm(middle),
    nearest: offset ? { positive: asPoint(p), negative: asPoint(q) } : null,
    mostMistakes: offset ? separate(lift(points), labels, { offset: false }).mostMistakes : verdict.mostMistakes,
  };
}

/** Return the points (x, 1).  @param {number[][]} points  @returns {number[][]} */
export const lift = (points) => points.map((x) => [...x, 1]);

/** Check the proof of a verdict without a kernel, in exact arithmetic and without searching.
 * @param {Verdict} verdict  @returns {boolean} */
export function verify(verdict, points, labels) {
  const rows = verdict.weights.map(({ row }) => row);
  const weights = labels.map((_, row) => verdict.weights[rows.indexOf(row)]?.weight ?? new Fraction(0n));
  const exact = points.map((x) => x.map((xj) => Fraction.exactly(xj)));
  const groups = groupsOf(labels, verdict.offset);
  const isConvex =
    weights.every((weight) => weight.sign() >= 0) &&
    groups.every((group) => sum(group.map((row) => weights[row])).equals(Fraction.of(1)));
  const signed = exact.map((x, row) => x.map((xj) => xj.times(Fraction.of(labels[row]))));
  const normal = points[0].map((_, j) => sum(signed.map((z, row) => z[j].times(weights[row]))));
  const along = signed.map((z) => sum(z.map((zj, j) => zj.times(normal[j]))));
  const norm2 = sum(normal.map((wj) => wj.times(wj)));
  const least = sum(groups.map((group) => group.map((row) => along[row]).reduce((a, b) => (a.compare(b) <= 0 ? a : b))));
  const isMargin = norm2.over(Fraction.of(groups.length ** 2)).equals(verdict.margin2);
  // no point of the hull is nearer if all are at least as far along the normal as the normal itself
  const isOptimal = verdict.separable ? norm2.sign() > 0 && least.equals(norm2) : norm2.sign() === 0;
  return isConvex && isMargin && isOptimal;
}

function separateInFeatureSpace(points, labels, kernel) {
  require(kernel.name === "polynomial", "kernel: exact proofs exist for polynomial kernels only");
  const exact = points.map((x) => x.map((xj) => Fraction.exactly(xj)));
  const [gamma, c] = [Fraction.exactly(kernel.gamma), Fraction.exactly(kernel.c)];
  const value = (x, z) => {
    const base = sum(x.map((xj, j) => xj.times(z[j]))).times(gamma).plus(c);
    return new Fraction(base.n ** BigInt(kernel.degree), base.d ** BigInt(kernel.degree));
  };
  const values = exact.map((x) => exact.map((z) => value(x, z)));
  const common = values.flat().reduce((most, { d }) => (d > most ? d : most), 1n); // powers of two: the largest is common
  const gram = values.map((row) => row.map(({ n, d }) => n * (common / d)));
  const groups = groupsOf(labels, false);
  const found = nearestToOrigin((i) => gram[i].map((entry, j) => BigInt(labels[i] * labels[j]) * entry), groups);
  return verdictOf(found, groups, new Fraction(1n, common), largest(gram.map((row, i) => row[i])));
}

function verdictOf({ weights, denominator, square }, groups, scale2, longest2) {
  const support = [...weights.keys()].sort((a, b) => a - b);
  const margin2 = new Fraction(square, denominator ** 2n * BigInt(groups.length ** 2)).times(scale2);
  const radius2 = new Fraction(longest2).times(scale2);
  const separable = square > 0n;
  return {
    separable,
    offset: groups.length > 1,
    w: null,
    b: 0,
    margin: margin2.root(),
    margin2,
    radius: radius2.root(),
    radius2,
    support,
    weights: support.map((row) => ({ row, weight: new Fraction(weights.get(row), denominator) })),
    nearest: null,
    meeting: null,
    mostMistakes: separable ? radius2.over(margin2).floor() : null,
  };
}

/** Return + and − with an offset, otherwise one group of all rows. */
const groupsOf = (labels, offset) =>
  (offset ? [1, -1] : [0]).map((y) => labels.flatMap((label, row) => (!y || label === y ? [row] : [])));

/** Return integer vectors, and the unit in which they are measured. */
function integerPoints(points) {
  const width = points[0].length;
  const { integers, e } = asIntegers(points.flat());
  const vectors = points.map((_, row) => integers.slice(row * width, (row + 1) * width));
  return { vectors, unit: Fraction.exactly({ m: 1n, e }) };
}

const inner = (u, v) => u.reduce((total, uj, j) => total + uj * v[j], 0n);
const largest = (numbers) => numbers.reduce((most, number) => (number > most ? number : most));
