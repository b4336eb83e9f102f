/** Rational numbers n/d on BigInt, in lowest terms with d > 0. */
const todo = () => { throw new Error("not implemented yet"); };

export class Fraction {
  /** @param {bigint} n  @param {bigint} d */
  constructor(n, d = 1n) { todo(n, d); }
  /** Parse "2/5", "-0.4", "1e-3" or 0.4 (a number becomes the shortest decimal that prints as it: 2/5).
   * @param {string|number|bigint|Fraction} value  @returns {Fraction} */
  static of(value) { return todo(value); }
  /** The exact binary value of a double: 0.4 is 3602879701896397/9007199254740992.  @param {number} x */
  static exactly(x) { return todo(x); }
  plus(other) { return todo(other); }
  minus(other) { return todo(other); }
  times(other) { return todo(other); }
  over(other) { return todo(other); }
  negate() { return todo(); }
  /** @returns {-1|0|1} */
  compare(other) { return todo(other); }
  equals(other) { return todo(other); }
  /** @returns {-1|0|1} */
  sign() { return todo(); }
  /** @returns {bigint} the largest integer that is not above it */
  floor() { return todo(); }
  /** @returns {number} the nearest double */
  toNumber() { return todo(); }
  /** @returns {number} the square root, correctly rounded */
  root() { return todo(); }
  /** @returns {string} "2/5", or "3" for a whole number */
  toString() { return todo(); }
}
