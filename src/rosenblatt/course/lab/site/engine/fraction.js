/** Rational numbers n/d on BigInt, in lowest terms with d > 0. */
import { BadInput, require } from "./errors.js";
import { bitLength, exact, nearest } from "./exact.js";

const NUMBER = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?\s*$/i;

export class Fraction {
  /** @param {bigint} n  @param {bigint} d not 0 */
  constructor(n, d = 1n) {
    require(d !== 0n, "a fraction cannot have the denominator 0");
    const divisor = greatestCommonDivisor(n, d) * (d < 0n ? -1n : 1n);
    this.n = n / divisor;
    this.d = d / divisor;
  }

  /** Parse "2/5", "−0.4" or 1e-3. A number becomes the shortest decimal that prints as it, so 0.4 is 2/5.
   * @param {string|number|bigint|Fraction} value  @returns {Fraction} */
  static of(value) {
    if (value instanceof Fraction) return value;
    if (typeof value === "bigint") return new Fraction(value);
    const text = String(value).replace("−", "-");
    const [upper, lower, ...more] = text.split("/");
    if (lower !== undefined && !more.length) return Fraction.of(upper).over(Fraction.of(lower));
    const [, sign, whole, decimals = "", power = "0"] = NUMBER.exec(text) ?? [];
    if (whole === undefined || !(whole + decimals)) {
      throw new BadInput(`expected a number or a fraction such as 2/5, got ${JSON.stringify(value)}`);
    }
    const n = BigInt(whole + decimals) * (sign === "-" ? -1n : 1n);
    const places = decimals.length - Number(power);
    return places > 0 ? new Fraction(n, 10n ** BigInt(places)) : new Fraction(n * 10n ** BigInt(-places));
  }

  /** Return the binary value of a double: 0.4 is 3602879701896397/9007199254740992.
   * @param {number|import("./exact.js").Exact} x  @returns {Fraction} */
  static exactly(x) {
    const { m, e } = typeof x === "number" ? exact(x) : x;
    return e < 0 ? new Fraction(m, 1n << BigInt(-e)) : new Fraction(m << BigInt(e));
  }

  plus(other) { return new Fraction(this.n * other.d + other.n * this.d, this.d * other.d); }
  minus(other) { return new Fraction(this.n * other.d - other.n * this.d, this.d * other.d); }
  times(other) { return new Fraction(this.n * other.n, this.d * other.d); }
  over(other) { return new Fraction(this.n * other.d, this.d * other.n); }
  negate() { return new Fraction(-this.n, this.d); }

  /** @returns {-1|0|1} */
  sign() { return this.n > 0n ? 1 : this.n < 0n ? -1 : 0; }
  /** @returns {-1|0|1} */
  compare(other) { return this.minus(other).sign(); }
  equals(other) { return this.n === other.n && this.d === other.d; }

  /** Return the largest integer that is not above this number.  @returns {bigint} */
  floor() { return this.n / this.d - (this.n < 0n && this.n % this.d ? 1n : 0n); }

  /** Return the nearest double.  @returns {number} */
  toNumber() {
    if (!this.n) return 0;
    const k = Math.max(0, 66 - bitLength(this.n < 0n ? -this.n : this.n) + bitLength(this.d));
    const scaled = this.n << BigInt(k);
    return nearest({ m: 2n * (scaled / this.d) + (scaled % this.d ? (this.n < 0n ? -1n : 1n) : 0n), e: -k - 1 });
  }

  /** Return the double nearest to the square root.  @returns {number} */
  root() {
    require(this.n >= 0n, "the square root of a negative number");
    if (!this.n) return 0;
    const k = Math.max(0, 66 - Math.floor((bitLength(this.n) - bitLength(this.d)) / 2));
    const square = this.n << BigInt(2 * k);
    const root = integerRoot(square / this.d);
    return nearest({ m: 2n * root + (root * root * this.d === square ? 0n : 1n), e: -k - 1 });
  }

  toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
}

/** Return the sum of fractions.  @param {Fraction[]} terms  @returns {Fraction} */
export const sum = (terms) => terms.reduce((total, term) => total.plus(term), new Fraction(0n));

function greatestCommonDivisor(a, b) {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y) [x, y] = [y, x % y];
  return x;
}

/** Return ⌊√n⌋ by Newton's method.  @param {bigint} n  @returns {bigint} */
function integerRoot(n) {
  if (n < 2n) return n;
  let root = 1n << BigInt(Math.ceil(bitLength(n) / 2));
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
