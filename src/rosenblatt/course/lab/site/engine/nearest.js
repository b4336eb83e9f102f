/**
 * The point of a convex hull nearest to the origin, in exact arithmetic (Wolfe 1976). It is x = Σ λᵢzᵢ with λ ≥ 0 and
 * Σ λ = 1, and only the products zᵢ·zⱼ are needed. With two groups of points, x = p + q with p and q in the hulls of the
 * groups, and the weights of each group sum to 1.
 *
 *   repeat: take the vertex v with the smallest x·v; stop if x·v ≥ x·x; otherwise add it to the corral and move x to the
 *   point of smallest norm of the affine hull, dropping vertices whose weights would become negative.
 */

import { solveIntegers } from "./elimination.js";

/** @param {(i: number) => bigint[]} products   row i of the matrix zᵢ·zⱼ
 * @param {number[][]} groups   the rows of each group
 * @returns {{weights: Map<number, bigint>, denominator: bigint, square: bigint}} λᵢ = weights.get(i)/denominator for the
 *   rows with λᵢ > 0, and x·x = square/denominator² */
export function nearestToOrigin(products, groups) {
  const cache = new Map();
  const row = (i) => cache.get(i) ?? cache.set(i, products(i)).get(i);
  const between = (u, v) => u.reduce((total, i) => v.reduce((sum, j) => sum + row(i)[j], total), 0n);
  let corral = [groups.map((group) => group[0])];
  let [shares, denominator] = [[1n], 1n];
  for (;;) {
    const along = (j) => corral.reduce((sum, vertex, k) => sum + shares[k] * between(vertex, [j]), 0n);
    const atVertex = (vertex) => vertex.reduce((sum, j) => sum + along(j), 0n);
    const square = corral.reduce((sum, vertex, k) => sum + shares[k] * atVertex(vertex), 0n);
    const next = groups.map((group) => smallest(group, along));
    if (atVertex(next) * denominator >= square) {
      const weights = new Map();
      corral.forEach((vertex, k) => vertex.forEach((i) => weights.set(i, (weights.get(i) ?? 0n) + shares[k])));
      return { weights, denominator, square };
    }
    corral.push(next);
    shares.push(0n);
    for (;;) {
      const goal = affineMinimum(corral.map((u) => corral.map((v) => between(u, v))));
      const total = goal.reduce((sum, share) => sum + share, 0n);
      // the part of the way from the shares to the goal at which the first share becomes 0
      let [part, whole] = [1n, 1n];
      goal.forEach((share, k) => {
        const [from, fall] = [shares[k] * total, shares[k] * total - share * denominator];
        if (share <= 0n && fall > 0n && from * whole < part * fall) [part, whole] = [from, fall];
      });
      shares = shares.map((share, k) => (whole - part) * share * total + part * goal[k] * denominator);
      denominator *= total * whole;
      corral = corral.filter((_, k) => shares[k] > 0n);
      shares = shares.filter((share) => share > 0n);
      [denominator, ...shares] = lowestTerms([denominator, ...shares]);
      if (part === whole) break;
    }
  }
}

/** Return the item with the smallest key; ties go to the first. */
function smallest(items, keyOf) {
  let [best, least] = [items[0], keyOf(items[0])];
  for (const item of items) {
    const key = keyOf(item);
    if (key < least) [best, least] = [item, key];
  }
  return best;
}

/** Return weights proportional to those of the point of smallest norm in the affine hull: the solution of
 * (G + 1·1ᵀ)·v = 1, which is positive definite because the vertices are affinely independent. */
const affineMinimum = (gram) => solveIntegers(gram.map((row) => [...row.map((entry) => entry + 1n), 1n])).numerators;

/** Divide integers by their greatest common divisor.  @param {bigint[]} numbers  @returns {bigint[]} */
function lowestTerms(numbers) {
  let divisor = 0n;
  for (const number of numbers) for (let n = number; n; ) [divisor, n] = [n, divisor % n];
  return numbers.map((number) => number / (divisor < 0n ? -divisor : divisor));
}
