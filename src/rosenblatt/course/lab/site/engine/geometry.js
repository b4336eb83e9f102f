/** Norms, angles, projections and distances. */
const todo = () => { throw new Error("not implemented yet"); };

export const inner = (x, z) => todo(x, z);
export const l1Norm = (x) => todo(x);
export const l2Norm = (x) => todo(x);
export const add = (x, z) => todo(x, z);
export const scale = (factor, x) => todo(factor, x);
/** x·z/(‖x‖‖z‖) */
export const cosine = (x, z) => todo(x, z);
/** The angle in radians. */
export const angle = (x, z) => todo(x, z);
/** The projection of x on the line through the origin along v. */
export const projectOnVector = (x, v) => todo(x, v);
/** The point of the hyperplane w·x + b = 0 nearest to x. */
export const project = (x, w, b = 0) => todo(x, w, b);
/** (w·x + b)/‖w‖ */
export const signedDistance = (x, w, b = 0) => todo(x, w, b);
/** Whether a symmetric matrix is positive definite (all pivots positive, decided exactly). */
export const isPositiveDefinite = (matrix) => todo(matrix);
