/**
 * Exact arithmetic on doubles. Every finite double is m·2^e with integers m and e, so sums and products of doubles are
 * numbers of the same form, computed here on BigInt without rounding.
 *
 * @typedef {{m: bigint, e: number}} Exact   m·2^e
 */
import { require } from "./errors.js";

const view = new DataView(new ArrayBuffer(8));
const LEADING = 1n << 52n;
const SMALLEST = 5e-324;

/** Return a finite double as m·2^e.  @param {number} x  @returns {Exact} */
export function exact(x) {
  require(Number.isFinite(x), `expected a finite number, got ${x}`);
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & (LEADING - 1n);
  const m = exponent ? fraction | LEADING : fraction;
  return { m: bits >> 63n ? -m : m, e: (exponent || 1) - 1075 };
}

/** Return the sum.  @param {...Exact} terms  @returns {Exact} */
export function plus(...terms) {
  let e = 0;
  for (const term of terms) if (term.m && term.e < e) e = term.e;
  let m = 0n;
  for (const term of terms) if (term.m) m += term.m << BigInt(term.e - e);
  return { m, e };
}

/** Return the product.  @param {Exact} a  @param {Exact} b  @returns {Exact} */
export const times = (a, b) => ({ m: a.m * b.m, e: a.e + b.e });

/** Return −a.  @param {Exact} a  @returns {Exact} */
export const minus = (a) => ({ m: -a.m, e: a.e });

/** Return the sign of a.  @param {Exact} a  @returns {-1|0|1} */
export const signOf = (a) => (a.m > 0n ? 1 : a.m < 0n ? -1 : 0);

/** Return u·v.  @param {number[]} u  @param {number[]} v  @returns {Exact} */
export const dot = (u, v) => plus(...u.map((uj, j) => times(exact(uj), exact(v[j]))));

/** Return the number of bits of an integer above 0.  @param {bigint} m  @returns {number} */
export function bitLength(m) {
  const digits = m.toString(16);
  return 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
}

/** Return the double nearest to a (ties to even); 0 only if a is 0.  @param {Exact} a  @returns {number} */
export function nearest({ m, e }) {
  if (!m) return 0;
  const size = m < 0n ? -m : m;
  const last = Math.max(bitLength(size) + e - 53, -1074); // exponent of the last bit of the result
  let kept = size << BigInt(Math.max(0, e - last));
  if (last > e) {
    const shift = BigInt(last - e);
    kept = size >> shift;
    const twice = (size - (kept << shift)) << 1n;
    if (twice > 1n << shift || (twice === 1n << shift && kept & 1n)) kept += 1n;
  }
  const value = (Number(kept) * 2 ** Math.min(last, 1023)) * (last > 1023 ? Infinity : 1) || SMALLEST;
  return m < 0n ? -value : value;
}

/** Return integers proportional to doubles, and the common exponent: xⱼ = integersⱼ·2^e.
 * @param {number[]} numbers  @returns {{integers: bigint[], e: number}} */
export function asIntegers(numbers) {
  const parts = numbers.map(exact);
  const e = Math.min(0, ...parts.filter((part) => part.m).map((part) => part.e));
  const integers = parts.map((part) => (part.m ? part.m << BigInt(part.e - e) : 0n));
  return { integers, e };
}
