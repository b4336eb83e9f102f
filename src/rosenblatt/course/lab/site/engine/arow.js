/**
 * AROW: a Gaussian over w with mean w and covariance Σ. If m = y w·x ≤ 1, with v = xᵀΣx and β = 1/(v + r):
 * w ← w + (1 − m)·β·y·Σx,  Σ ← Σ − β·(Σx)(Σx)ᵀ, from w = 0 and Σ = I (Crammer, Kulesza & Dredze 2009).
 */
const todo = () => { throw new Error("not implemented yet"); };

/** The ellipse {x : xᵀΣ⁻¹x = 1} of a symmetric 2×2 matrix: half axes (the larger first) and the angle of the first.
 * @param {number} s11  @param {number} s12  @param {number} s22
 * @returns {{axes: [number, number], angle: number}} */
export function ellipse(s11, s12, s22) { return todo(s11, s12, s22); }
