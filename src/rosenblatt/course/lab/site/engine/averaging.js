/**
 * Which weights a run returns: the mean over all steps, a committee of all weight vectors, or the pocket vector.
 * The mean is (t·w − u)/t with u = Σ delta·(steps before the update)·x (Daumé's form), so t·w − u is the running sum.
 *
 * All functions take a run of `trace` and the number of steps to use (all by default).
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {import("./trace.js").Run} run  @param {number} [t]
 * @returns {{sum: {w: number[], b: number}, w: number[], b: number, score: (x: number[]) => number}} the running sum
 * w₁ + … + w_t, the mean, and the score of a point by the mean, with the exact sign */
export function averaged(run, t) { return todo(run, t); }
/** @returns {{members: {w: number[], b: number, survival: number}[], votes: (x: number[]) => number}} every weight vector
 * with the number of steps that it survived (the first has the start), and Σ survival·sign(w·x + b), where the sign of
 * 0 is −1, or +1 for tie "positive" */
export function voted(run, t) { return todo(run, t); }
/** @returns {{w: number[], b: number, runLength: number, errors: number, step: number}} Gallant's pocket with ratchet:
 * the vector with the longest run of correct predictions that also made fewer errors on all points; `step` is the
 * number of steps after which it was put in the pocket */
export function pocket(run, t) { return todo(run, t); }
/** Rows that a score function answers wrongly; 0 is wrong for tie "mistake".
 * @param {(x: number[]) => number} score  @returns {number[]} */
export function wrongRows(score, points, labels, tie = "mistake") { return todo(score, points, labels, tie); }
