/**
 * Explicit feature maps of the kernel (γ·x·z + c)^d. Monomials: φ(x) = √weight·∏ xⱼ^eⱼ with weight = multinomial·γ^s·c^(d−s)
 * for the degree s of the monomial, so that φ(x)·φ(z) = (γ·x·z + c)^d. Ordered products: every product of d coordinates in
 * every order, the map into n^d features of the notes.
 */
import { Fraction } from "./fraction.js";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const digitsIn = (alphabet, n) => [...String(n)].map((digit) => alphabet[Number(digit)]).join("");

/** Return φ with one feature for each monomial, in rising degree.
 * @param {number} nFeatures  @param {{degree?: number, gamma?: number, c?: number}} [kernel]
 * @returns {{names: string[], powers: number[][], weights: number[], map: (x: number[]) => number[]}} powers: the features
 *   that are multiplied */
export function monomials(nFeatures, { degree = 2, gamma = 1, c = 1 } = {}) {
  let powers = [[]];
  const all = [[]];
  for (let size = 1; size <= degree; size += 1) {
    powers = powers.flatMap((power) =>
      Array.from({ length: nFeatures }, (_, j) => [...power, j]).filter((next) => size === 1 || next[size - 1] >= next[size - 2]),
    );
    all.push(...powers);
  }
  const kept = c ? all : powers;
  const weights = kept.map((power) => {
    const [g, rest] = [Fraction.exactly(gamma), Fraction.exactly(c)];
    return multinomial(power, degree).times(raised(g, power.length)).times(raised(rest, degree - power.length)).toNumber();
  });
  const roots = weights.map(Math.sqrt);
  const map = (x) => kept.map((power, k) => power.reduce((product, j) => product * x[j], 1) * roots[k]);
  return { names: kept.map((power) => productText(power) || "1"), powers: kept, weights, map };
}

/** Return all products of `degree` coordinates in every order; a constant is one more coordinate of x.
 * @param {number[]} x  @param {number} [degree]  @param {number|null} [constant]  @returns {number[]} */
export function orderedProducts(x, degree = 2, constant = null) {
  const coordinates = constant === null ? x : [...x, constant];
  let products = coordinates;
  for (let k = 1; k < degree; k += 1) products = products.flatMap((left) => coordinates.map((right) => left * right));
  return products;
}

/** Return the polynomial w·φ as text, terms of highest degree first: "0.5·x₁² − x₁·x₂ + 2".
 * @param {number[][]} powers  @param {number[]} coefficients of the monomials without their weights  @returns {string} */
export function polynomialText(powers, coefficients) {
  const order = powers
    .map((power, k) => ({ power, coefficient: coefficients[k] }))
    .filter(({ coefficient }) => coefficient)
    .sort((a, b) => b.power.length - a.power.length || compareLists(a.power, b.power));
  const terms = order.map(({ power, coefficient }) => {
    const [size, product] = [String(Number(Math.abs(coefficient).toPrecision(6))), productText(power)];
    return `${coefficient < 0 ? " − " : " + "}${!product ? size : size === "1" ? product : `${size}·${product}`}`;
  });
  return terms.join("").replace(/^ \+ /, "").replace(/^ − /, "−") || "0";
}

function productText(power) {
  const counts = new Map();
  for (const j of power) counts.set(j, (counts.get(j) ?? 0) + 1);
  return [...counts].map(([j, count]) => `x${digitsIn(SUBSCRIPTS, j + 1)}${count > 1 ? digitsIn(SUPERSCRIPTS, count) : ""}`).join("·");
}

/** degree!/((degree − s)!·∏ eⱼ!) for a monomial of degree s. */
function multinomial(power, degree) {
  const factorial = (n) => (n < 2 ? 1n : BigInt(n) * factorial(n - 1));
  const repeats = [...new Set(power)].map((j) => factorial(power.filter((k) => k === j).length));
  return new Fraction(factorial(degree), repeats.reduce((a, b) => a * b, factorial(degree - power.length)));
}

const raised = (base, power) => new Fraction(base.n ** BigInt(power), base.d ** BigInt(power));
const compareLists = (a, b) => a.reduce((found, entry, k) => found || entry - b[k], 0);
