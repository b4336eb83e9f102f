/**
 * Kernels (γ·x·z + c)^d, exp(−γ‖x − z‖²) and exp(−γ‖x − z‖₁). Sums run over the features in rising order, with one rounding each, and
 * powers are repeated products: a polynomial kernel has the bits of the package.
 *
 * @typedef {{name: "polynomial"|"gaussian"|"laplacian", formula: string, gamma: number, degree?: number, c?: number,
 *   value: (x: number[], z: number[]) => number}} Kernel
 */
import { require } from "./errors.js";
import { inner } from "./geometry.js";

/** @returns {Kernel} */
export function polynomialKernel({ degree = 3, gamma = 1, c = 1 } = {}) {
  require(Number.isInteger(degree) && degree >= 1, `degree: expected a whole number of at least 1, got ${degree}`);
  require(gamma > 0 && c >= 0, `kernel: expected γ > 0 and c ≥ 0, got γ = ${gamma} and c = ${c}`);
  const value = (x, z) => {
    const base = gamma * inner(x, z) + c;
    let power = base;
    for (let k = 1; k < degree; k += 1) power *= base;
    return power;
  };
  const product = `${gamma === 1 ? "" : gamma}x·z`;
  return { name: "polynomial", formula: `(${product}${c ? ` + ${c}` : ""})^${degree}`, degree, gamma, c, value };
}

/** Return a maker of kernels exp(−γ·Σ part(xⱼ − zⱼ)). */
const exponential = (name, norm, part) => ({ gamma = 1 } = {}) => {
  require(gamma > 0, `gamma: expected a number above 0, got ${gamma}`);
  const value = (x, z) => {
    let sum = 0;
    for (let j = 0; j < x.length; j += 1) sum += part(x[j] - z[j]);
    return Math.exp(-gamma * sum);
  };
  return { name, formula: `exp(−${gamma === 1 ? "" : gamma}${norm})`, gamma, value };
};

/** The makers of kernels by name.  @type {Object<string, (parameters?: object) => Kernel>} */
export const KERNELS = {
  polynomial: polynomialKernel,
  gaussian: exponential("gaussian", "‖x − z‖²", (difference) => difference * difference),
  laplacian: exponential("laplacian", "‖x − z‖₁", Math.abs),
};
