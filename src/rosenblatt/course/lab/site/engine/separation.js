/**
 * The largest margin, exactly: the line halfway between the nearest points of the two hulls, at right angles to their
 * connection. If the hulls meet, the weights of the common point prove that no line separates.
 *
 * @typedef {Object} Verdict
 * @property {boolean} separable
 * @property {boolean} offset
 * @property {number[]|null} w         of the largest margin, as doubles (length 1)
 * @property {number} b
 * @property {number} margin           the largest margin γ, 0 if not separable
 * @property {import("./fraction.js").Fraction} margin2   γ² exactly
 * @property {number} radius           R, the largest norm of a point, of (x, 1) for `lifted`
 * @property {import("./fraction.js").Fraction} radius2
 * @property {number[]} support        rows that define the margin, or prove that no line separates
 * @property {{row: number, weight: import("./fraction.js").Fraction}[]} weights   convex weights: within each class they
 *   sum to 1 (with an offset), or all together (without)
 * @property {[number[], number[]]|null} nearest   the nearest points of the hulls of − and + (with an offset)
 * @property {number[]|null} meeting   a common point of the hulls; the origin without an offset
 * @property {bigint|null} mostMistakes   ⌊R²/γ²⌋ for the perceptron of this kind from w = 0 (with an offset: lifted)
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {number[][]} points  @param {(-1|1)[]} labels  @param {{offset?: boolean}} [settings]  @returns {Verdict} */
export function separate(points, labels, { offset = true } = {}) { return todo(points, labels, offset); }
/** The points (x, 1).  @returns {number[][]} */
export function lift(points) { return todo(points); }
/** Check the proof of a verdict in exact arithmetic, without using how it was found.
 * @param {Verdict} verdict  @returns {boolean} */
export function verify(verdict, points, labels) { return todo(verdict, points, labels); }
