/**
 * Novikoff's bound. Each mistake increases w·w* by at least rate·γ and ‖w‖² by at most rate²R² + 2·rate·τ, so
 * t·rate·γ + w₀·w* ≤ √(‖w₀‖² + t·(rate²R² + 2·rate·τ)); from w₀ = 0 and with τ = 0, t ≤ (R/γ)².
 */
const todo = () => { throw new Error("not implemented yet"); };

/** The largest t that the inequality allows.
 * @param {{radius: number, margin: number, rate?: number, threshold?: number, startAlong?: number, startNorm2?: number}}
 * numbers  @returns {number} */
export function mostUpdates(numbers) { return todo(numbers); }
/** Both claims at every update of a run, against the separator (w*, b*) of any length; with an offset they are about
 * the points (x, 1).
 * @param {import("./trace.js").Run} run  @param {number[]} star  @param {number} [starB]
 * @returns {{margin: number, radius: number, bound: number, holds: boolean, leastProgress: number, mostGrowth: number,
 *   updates: {step: number, progress: number, growth: number, along: number, norm: number}[]}} along = w·w*, norm = ‖w‖
 *   after the update */
export function checkClaims(run, star, starB = 0) { return todo(run, star, starB); }
