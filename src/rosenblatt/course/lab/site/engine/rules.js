/**
 * Rules of the form: if m = y(w·x + b) is at most `threshold`, w ← w + coefficient·y·x.
 *
 *   rosenblatt            m ≤ 0 (a mistake):  rate
 *   margin                m ≤ tau:            rate
 *   passive_aggressive    m ≤ 1:              loss/‖x‖²              with loss = 1 − m
 *   passive_aggressive_1  m ≤ 1:              min(C, loss/‖x‖²)
 *   passive_aggressive_2  m ≤ 1:              loss/(‖x‖² + 1/(2C))
 *   arow                  m ≤ 1:              see `arow.js`
 *
 * Rosenblatt (1958); Krauth & Mézard (1987); Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006).
 *
 * @typedef {Object} Rule
 * @property {string} name
 * @property {number} threshold   0: only on mistakes
 * @property {(margin: number, x2: number) => number} coefficient   x2 = ‖x‖² (+ 1 with an offset)
 * @property {{rate: number, threshold: number}|null} claims   for `bound.js`; null: it has no bound of this form
 * @property {import("./arow.js").Memory} [memory]   for rules that keep Σ
 */
import { arow } from "./arow.js";
import { BadInput, require } from "./errors.js";

/** The names of all rules, with the default of each parameter. */
export const RULES = {
  rosenblatt: { rate: 1 },
  margin: { tau: 1, rate: 1 },
  passive_aggressive: {},
  passive_aggressive_1: { C: 1 },
  passive_aggressive_2: { C: 1 },
  arow: { r: 1, covariance: "full" },
};

const loss = (margin) => Math.max(0, 1 - margin);
const aggressive = (coefficient) => ({
  threshold: 1,
  coefficient: (margin, x2) => (x2 > 0 ? coefficient(loss(margin), x2) : 0),
  claims: null,
});
const MAKERS = {
  rosenblatt: ({ rate }) => ({ threshold: 0, coefficient: () => rate, claims: { rate, threshold: 0 } }),
  margin: ({ tau, rate }) => ({ threshold: tau, coefficient: () => rate, claims: { rate, threshold: tau } }),
  passive_aggressive: () => aggressive((left, x2) => left / x2),
  passive_aggressive_1: ({ C }) => aggressive((left, x2) => Math.min(C, left / x2)),
  passive_aggressive_2: ({ C }) => aggressive((left, x2) => left / (x2 + 1 / (2 * C))),
  arow,
};

/** Return a rule.  @param {string|{name: string}} rule a name, or a name with parameters: {name: "margin", tau: 0.5}
 * @returns {Rule} */
export function makeRule(rule) {
  const { name, ...given } = typeof rule === "string" ? { name: rule } : rule;
  if (!(name in RULES)) throw new BadInput(`rule: expected one of ${Object.keys(RULES).join(", ")}, got ${name}`);
  const parameters = { ...RULES[name], ...given };
  for (const [key, value] of Object.entries(parameters)) {
    require(key in RULES[name], `${key}: the rule ${name} has no such parameter`);
    const least = key === "tau" ? 0 : Number.MIN_VALUE;
    require(typeof value === "string" || value >= least, `${key}: expected a number above 0, got ${value}`);
  }
  return { name, ...parameters, ...MAKERS[name](parameters) };
}
