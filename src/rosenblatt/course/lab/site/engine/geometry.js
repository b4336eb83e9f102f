/**
 * Norms, angles, projections and distances: ‖x‖₁ = Σ|xⱼ|, ‖x‖₂ = √(x·x), cos = x·z/(‖x‖‖z‖), the projection
 * (x·v)v/‖v‖² on a vector, and the signed distance (w·x + b)/‖w‖ from a hyperplane.
 */
import { require } from "./errors.js";
import { Fraction } from "./fraction.js";

/** Return x·z.  @param {number[]} x  @param {number[]} z  @returns {number} */
export function inner(x, z) {
  let total = 0;
  for (let j = 0; j < x.length; j += 1) total += x[j] * z[j];
  return total;
}

export const l1Norm = (x) => x.reduce((total, xj) => total + Math.abs(xj), 0);
export const l2Norm = (x) => Math.hypot(...x);
export const add = (x, z) => x.map((xj, j) => xj + z[j]);
export const subtract = (x, z) => x.map((xj, j) => xj - z[j]);
export const scale = (factor, x) => x.map((xj) => factor * xj);

/** Return the vector of length 1 in the direction of v.  @param {number[]} v  @returns {number[]} */
export function unit(v) {
  const largest = Math.max(0, ...v.map(Math.abs));
  require(largest > 0, "the zero vector has no direction; give one with an entry that is not 0");
  const scaled = v.map((vj) => vj / largest); // the squares neither overflow nor underflow
  return scale(1 / l2Norm(scaled), scaled);
}

/** Return the cosine of the angle between two vectors, between −1 and 1. */
export const cosine = (x, z) => Math.max(-1, Math.min(1, inner(unit(x), unit(z))));

/** Return the angle in radians; for nearly parallel vectors it is more accurate than acos of the cosine (Kahan). */
export function angle(x, z) {
  const [u, v] = [unit(x), unit(z)];
  return 2 * Math.atan2(l2Norm(subtract(u, v)), l2Norm(add(u, v)));
}

/** Return the projection of x on the line through the origin along v. */
export function projectOnVector(x, v) {
  const along = unit(v);
  return scale(inner(x, along), along);
}

/** Return (w·x + b)/‖w‖. */
export function signedDistance(x, w, b = 0) {
  require(w.some((wj) => wj !== 0), "w: the zero vector is not at right angles to a line");
  return (inner(x, w) + b) / l2Norm(w);
}

/** Return the point of the hyperplane w·x + b = 0 that is nearest to x. */
export const project = (x, w, b = 0) => subtract(x, scale(signedDistance(x, w, b), unit(w)));

/** Return whether a symmetric matrix is positive definite: all pivots of exact elimination are positive.
 * @param {number[][]} matrix  @returns {boolean} */
export function isPositiveDefinite(matrix) {
  const rows = matrix.map((row) => row.map((entry) => Fraction.exactly(entry)));
  for (let k = 0; k < rows.length; k += 1) {
    if (rows[k][k].sign() <= 0) return false;
    for (let i = k + 1; i < rows.length; i += 1) {
      const factor = rows[i][k].over(rows[k][k]);
      rows[i] = rows[i].map((entry, j) => entry.minus(factor.times(rows[k][j])));
    }
  }
  return true;
}
