/**
 * Kernels (γ·x·z + c)^d and exp(−γ‖x − z‖²). Sums run over the features in rising order, with one rounding each, and
 * powers are repeated products: a polynomial kernel has the bits of the package.
 *
 * @typedef {{name: "polynomial"|"gaussian", formula: string, gamma: number, degree?: number, c?: number,
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

/** @returns {Kernel} */
export function gaussianKernel({ gamma = 1 } = {}) {
  require(gamma > 0, `gamma: expected a number above 0, got ${gamma}`);
  const value = (x, z) => {
    let square = 0;
    for (let j = 0; j < x.length; j += 1) square += (x[j] - z[j]) * (x[j] - z[j]);
    return Math.exp(-gamma * square);
  };
  return { name: "gaussian", formula: `exp(−${gamma === 1 ? "" : gamma}‖x − z‖²)`, gamma, value };
}
