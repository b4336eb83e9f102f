/** Explicit feature maps of (γ·x·z + c)^d: monomials with weights √multinomial, or all ordered products. */
const todo = () => { throw new Error("not implemented yet"); };

/** φ with one feature for each monomial: φ(x)·φ(z) = (γ·x·z + c)^d.
 * @returns {{names: string[], exponents: number[][], weights: number[], map: (x: number[]) => number[]}} */
export function monomials(nFeatures, { degree = 2, gamma = 1, c = 1 } = {}) { return todo(nFeatures, degree, gamma, c); }
/** All products of `degree` coordinates in every order (the map of the notes); with a constant, x gets it as one more
 * coordinate.  @param {number[]} x  @param {number} degree  @param {number|null} constant  @returns {number[]} */
export function orderedProducts(x, degree = 2, constant = null) { return todo(x, degree, constant); }
/** The polynomial Σ c·∏ xⱼ^eⱼ as text: "x₁² − 2·x₁·x₂ + 1".
 * @param {number[][]} exponents  @param {number[]} coefficients  @returns {string} */
export function polynomialText(exponents, coefficients, names) { return todo(exponents, coefficients, names); }
