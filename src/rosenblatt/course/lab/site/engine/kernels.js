/**
 * Kernels K(x, z): (γ·x·z + c)^d and exp(−γ‖x − z‖²), computed as the package does: term by term in rising order.
 *
 * @typedef {{name: "polynomial"|"gaussian", formula: string, value: (x: number[], z: number[]) => number,
 *   degree?: number, gamma: number, c?: number}} Kernel
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @returns {Kernel} */
export function polynomialKernel({ degree = 3, gamma = 1, c = 1 } = {}) { return todo(degree, gamma, c); }
/** @returns {Kernel} */
export function gaussianKernel({ gamma = 1 } = {}) { return todo(gamma); }
