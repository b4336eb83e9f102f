/**
 * The joint Gaussian of two numbers: density exp(−½(x − μ)ᵀΣ⁻¹(x − μ))/(2π√det Σ). Maximum likelihood: the mean, and the
 * mean of (x − μ)(x − μ)ᵀ. Given x₁, x₂ is Gaussian with mean μ₂ + σ₁₂/σ₁₁·(x₁ − μ₁) and variance σ₂₂ − σ₁₂²/σ₁₁.
 */
import { ellipse } from "./arow.js";
import { exactSum } from "./distributions.js";
import { require } from "./errors.js";
import { isPositiveDefinite } from "./geometry.js";

/** @param {number[]} mean  @param {number[][]} covariance symmetric and positive definite
 * @returns {{mean: number[], covariance: number[][], correlation: number, density: (x: number[]) => number,
 *   logLikelihood: (points: number[][]) => number, conditional: (x1: number) => {mean: number, variance: number},
 *   independent: () => Object, ellipse: {axes: [number, number], angle: number}}} */
export function jointGaussian(mean, covariance) {
  const [[s11, s12], [s21, s22]] = covariance;
  require(s12 === s21, `covariance: not symmetric: ${s12} and ${s21}`);
  require(isPositiveDefinite(covariance), "covariance: not positive definite: zᵀΣz must be above 0 for every z other than 0");
  // Cholesky: Σ = LLᵀ with L = ((l11, 0), (l21, l22))
  const [l11, l21] = [Math.sqrt(s11), s12 / Math.sqrt(s11)];
  const l22 = Math.sqrt(s22 - l21 * l21);
  const logDensity = ([x1, x2]) => {
    const z1 = (x1 - mean[0]) / l11;
    const z2 = (x2 - mean[1] - l21 * z1) / l22;
    return -(z1 * z1 + z2 * z2) / 2 - Math.log(l11) - Math.log(l22) - Math.log(2 * Math.PI);
  };
  return {
    mean, covariance,
    correlation: s12 / Math.sqrt(s11) / Math.sqrt(s22),
    density: (x) => Math.exp(logDensity(x)),
    logLikelihood: (points) => exactSum(points.map(logDensity)),
    conditional: (x1) => ({ mean: mean[1] + (s12 / s11) * (x1 - mean[0]), variance: l22 * l22 }),
    independent: () => jointGaussian(mean, [[s11, 0], [0, s22]]),
    ellipse: ellipse(s11, s12, s22),
  };
}

/** Return the joint Gaussian under which the points are most likely.  @param {number[][]} points */
export function fitJointGaussian(points) {
  require(points.length > 2, `points: ${points.length}; a joint Gaussian needs at least three`);
  const mean = [0, 1].map((j) => exactSum(points.map((x) => x[j])) / points.length);
  const moment = (j, k) => exactSum(points.map((x) => (x[j] - mean[j]) * (x[k] - mean[k]))) / points.length;
  const covariance = [[moment(0, 0), moment(0, 1)], [moment(0, 1), moment(1, 1)]];
  const isFlat = covariance[0][0] * covariance[1][1] * (1 - 1e-12) <= covariance[0][1] ** 2;
  require(!isFlat && isPositiveDefinite(covariance), "points: all are on a line, so the likelihood grows without bound; add one beside it");
  return jointGaussian(mean, covariance);
}
