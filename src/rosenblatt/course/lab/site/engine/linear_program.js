/**
 * A separator by linear programming, exactly: maximise m subject to y(w·x + b) ≥ m and |wⱼ| ≤ 1 (simplex with Bland's
 * rule on BigInt).
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @returns {{separable: boolean, w: number[], b: number, m: import("./fraction.js").Fraction, tight: number[]}} tight: the
 * rows with y(w·x + b) = m */
export function separatorByLinearProgram(points, labels, { offset = true } = {}) { return todo(points, labels, offset); }
