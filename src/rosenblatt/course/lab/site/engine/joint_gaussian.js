/** The joint Gaussian of two numbers. */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {[number, number]} mean  @param {[[number, number], [number, number]]} covariance
 * @returns {{mean: number[], covariance: number[][], correlation: number, isPositiveDefinite: boolean,
 *   density: (x: number[]) => number, logLikelihood: (points: number[][]) => number,
 *   conditional: (x1: number) => {mean: number, variance: number}, independent: () => Object,
 *   ellipse: {axes: [number, number], angle: number}}} */
export function jointGaussian(mean, covariance) { return todo(mean, covariance); }
/** Maximum likelihood (divide by n).  @param {number[][]} points */
export function fitJointGaussian(points) { return todo(points); }
