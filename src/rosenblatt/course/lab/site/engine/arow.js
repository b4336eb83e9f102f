/**
 * AROW: a Gaussian over w with mean w and covariance Σ. If m = y w·x ≤ 1, with v = xᵀΣx and β = 1/(v + r):
 *
 *   w ← w + (1 − m)·β·y·Σx,   Σ ← Σ − β·(Σx)(Σx)ᵀ,   from w = 0 and Σ = I
 *
 * covariance "diagonal" drops the other entries of Σ after each step. Crammer, Kulesza & Dredze (2009).
 *
 * @typedef {number[][]} Sigma   symmetric, with the row and column of the offset last
 * @typedef {Object} Memory
 * @property {(size: number) => Sigma} start
 * @property {(sigma: Sigma, x: number[]) => number[]} direction   Σx, which replaces x in the update
 * @property {(sigma: Sigma, direction: number[], variance: number) => Sigma} after   Σ after an update
 */
import { inner } from "./geometry.js";

const LEFT = 2 ** -52; // a step leaves at least this part of a variance, so that rounding cannot make it 0

export function arow({ r, covariance }) {
  return {
    threshold: 1,
    coefficient: (margin, variance) => Math.max(0, 1 - margin) * (1 / (variance + r)),
    claims: null,
    memory: {
      start: (size) => Array.from({ length: size }, (_, j) => Array.from({ length: size }, (_, k) => Number(j === k))),
      direction: (sigma, x) => sigma.map((row) => inner(row, x)),
      after: (sigma, direction, variance) => {
        const along = direction.map((dj) => dj * Math.sqrt(1 / (variance + r))); // both factors: Σ stays symmetric
        const next = (entry, j, k) => (j === k ? Math.max(entry - along[j] ** 2, LEFT * entry) : entry - along[j] * along[k]);
        return sigma.map((row, j) => row.map((entry, k) => (j !== k && covariance === "diagonal" ? 0 : next(entry, j, k))));
      },
    },
  };
}

/** Return the ellipse {x : xᵀΣ⁻¹x = 1} of a 2×2 covariance: its half axes, the longer first, and the angle of that one.
 * @returns {{axes: [number, number], angle: number}} */
export function ellipse(s11, s12, s22) {
  const middle = (s11 + s22) / 2;
  const apart = Math.hypot((s11 - s22) / 2, s12);
  const axes = [middle + apart, middle - apart].map((variance) => Math.sqrt(Math.max(0, variance)));
  return { axes, angle: Math.atan2(2 * s12, s11 - s22) / 2 };
}
