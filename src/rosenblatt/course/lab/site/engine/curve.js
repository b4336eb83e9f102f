/**
 * Polynomial curves: minimise Σ (p(x) − y)² + λ·‖coefficients‖² (the constant included), by Householder QR.
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {number[]} xs  @param {number[]} ys  @param {{degree: number, l2?: number}} settings
 * @returns {{coefficients: number[], trainingError: number, predict: (x: number) => number}} coefficients of 1, x, x² …;
 * trainingError is Σ (p(x) − y)² */
export function fitCurve(xs, ys, { degree, l2 = 0 }) { return todo(xs, ys, degree, l2); }
/** Root mean squared error.  @returns {number} */
export function rootMeanSquare(curve, xs, ys) { return todo(curve, xs, ys); }
/** Choose λ by cross-validation.  @returns {{l2: number, heldOut: {l2: number, error: number}[]}} */
export function chooseL2(xs, ys, { degree, candidates, folds = 10, randomState = 0 }) { return todo(xs, ys, degree, candidates, folds, randomState); }
