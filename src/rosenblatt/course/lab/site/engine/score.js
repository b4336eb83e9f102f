/**
 * w·x + b with the right sign. The fast sum decides if it exceeds the bound on its rounding error,
 * |s − w̃·x̃| ≤ γ‖w̃‖‖x̃‖ with γ = (d + 8)·1.5·2⁻⁵³; otherwise the exact sum does.
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {number[]} w  @param {number} b  @param {number[]} x
 * @returns {{value: number, bound: number}} the sum in floating point, and a bound on its error */
export function fastScore(w, b, x) { return todo(w, b, x); }

/** @param {number[]} w  @param {number} b  @param {number[]} x
 * @returns {{value: number, wasExact: boolean}} a value with the exact sign of w·x + b (0 only if it is 0); if the fast
 * sum was uncertain, the double nearest to the exact sum */
export function score(w, b, x) { return todo(w, b, x); }
