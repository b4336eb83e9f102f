/**
 * Exact arithmetic on doubles. Every finite double is m·2^e with integers m and e, so sums and products of doubles are
 * numbers of the same form, computed here on BigInt without rounding.
 *
 * @typedef {{m: bigint, e: number}} Exact   m·2^e
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {number} x a finite double  @returns {Exact} */
export const exact = (x) => todo(x);
/** @param {...Exact} terms  @returns {Exact} their sum */
export const plus = (...terms) => todo(terms);
/** @param {...Exact} factors  @returns {Exact} their product */
export const times = (...factors) => todo(factors);
/** @param {Exact} a  @returns {Exact} −a */
export const minus = (a) => todo(a);
/** @param {Exact} a  @returns {-1|0|1} */
export const signOf = (a) => todo(a);
/** @param {Exact} a  @returns {number} the double nearest to a (ties to even); 0 only if a is 0 */
export const nearest = (a) => todo(a);
/** @param {number[]} u  @param {number[]} v  @returns {Exact} u·v */
export const dot = (u, v) => todo(u, v);
