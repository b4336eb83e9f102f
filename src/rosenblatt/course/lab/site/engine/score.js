/**
 * w·x + b with the right sign. The fast sum decides if it exceeds the bound on its rounding error,
 * |s − w̃·x̃| ≤ γ‖w̃‖‖x̃‖ with γ = (d + 8)·1.5·2⁻⁵³; otherwise the exact sum does.
 */
import { dot, nearest } from "./exact.js";

export const ROUNDING = 1.5 * 2 ** -53;
const SMALL = 1e-270; // exceeds any loss of a squared norm by underflow
const UNDERFLOW = 1e-290; // a smaller square may come from a product that underflowed

/** Return the sum in floating point, a bound on its error, and ‖x̃‖² = ‖x‖² + 1.
 * @param {number[]} w  @param {number} b  @param {number[]} x
 * @returns {{value: number, bound: number, x2: number}} */
export function fastScore(w, b, x) {
  let value = 0;
  let w2 = b * b;
  let x2 = 1;
  for (let j = 0; j < x.length; j += 1) {
    value += w[j] * x[j];
    w2 += w[j] * w[j];
    x2 += x[j] * x[j];
  }
  value += b;
  const gamma = (x.length + 8) * ROUNDING;
  return { value, bound: Math.sqrt(gamma * gamma * (w2 + SMALL) * (x2 + SMALL) + UNDERFLOW), x2 };
}

/** Return w·x + b without rounding.
 * @param {number[]} w  @param {number} b  @param {number[]} x  @returns {import("./exact.js").Exact} */
export const exactScore = (w, b, x) => dot([...w, b], [...x, 1]);

/** Return a value with the exact sign of w·x + b; if the fast sum is uncertain, the double nearest to the exact sum.
 * @param {number[]} w  @param {number} b  @param {number[]} x  @returns {{value: number, wasExact: boolean}} */
export function score(w, b, x) {
  const { value, bound } = fastScore(w, b, x);
  if (Math.abs(value) > bound && Number.isFinite(value)) return { value, wasExact: false };
  return { value: nearest(exactScore(w, b, x)), wasExact: true };
}
