/**
 * Rules that add coefficient·y·x to w when y(w·x + b) is at most a threshold.
 *
 * @typedef {Object} Rule
 * @property {string} name
 * @property {number} threshold   0: on mistakes only
 * @property {(margin: number, x2: number) => number} coefficient   x2 = ‖x‖² (+ 1 with an offset)
 * @property {{rate: number, threshold: number}|null} claims   for `bound.js`; null: no bound of this form
 */
const todo = () => { throw new Error("not implemented yet"); };

/** Names: "rosenblatt" {rate}, "margin" {tau, rate}, "passive_aggressive", "passive_aggressive_1" {C},
 * "passive_aggressive_2" {C}; AROW is "arow" {r} and has a memory (`arow.js`).
 * @param {string|{name: string}} rule a name, or a name with its parameters: {name: "margin", tau: 0.5}
 * @returns {Rule} */
export function makeRule(rule) { return todo(rule); }
/** The names of all rules, with the default of each parameter. */
export const RULES = {};
