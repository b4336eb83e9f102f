/** Distributions of one number, with the likelihood of data and its maximum. */
const todo = () => { throw new Error("not implemented yet"); };

/** P(1) = p.  @returns {{p: number, mean: number, variance: number, logLikelihood: (data: number[]) => number}} */
export function bernoulli(p) { return todo(p); }
/** Density 1/(b − a) on [a, b]. @returns {{a: number, b: number, mean: number, variance: number,
 *   density: (x: number) => number, cumulative: (x: number) => number, logLikelihood: (data: number[]) => number}} */
export function uniform(a, b) { return todo(a, b); }
/** @returns {{mean: number, variance: number, density: (x: number) => number, cumulative: (x: number) => number,
 *   logLikelihood: (data: number[]) => number}} */
export function gaussian(mean, variance) { return todo(mean, variance); }
/** The distribution of maximum likelihood.  @param {"bernoulli"|"uniform"|"gaussian"} kind  @param {number[]} data */
export function fitDistribution(kind, data) { return todo(kind, data); }
/** Chebyshev: P(|X − μ| ≥ kσ) ≤ 1/k².  @param {number} k  @returns {number} */
export function chebyshev(k) { return todo(k); }
