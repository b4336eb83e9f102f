/** The rows of a pass. */
const todo = () => { throw new Error("not implemented yet"); };

export const ORDERS = ["given", "shuffled", "first_mistake", "worst_mistake"];
/** The rows of pass number `pass` (from 0) in an order that does not search the rows.
 * @param {"given"|"shuffled"|number[]} order  @param {number} n number of rows  @param {number} seed  @param {number} pass
 * @returns {number[]} */
export function rowsOfPass(order, n, seed, pass) { return todo(order, n, seed, pass); }
/** The next row on which the learner would act, or -1: the first one, or the one with the smallest functional margin.
 * @param {"first_mistake"|"worst_mistake"} order  @param {import("./learner.js").Learner} learner
 * @param {number[][]} points  @param {number[]} labels  @returns {number} */
export function searchRow(order, learner, points, labels) { return todo(order, learner, points, labels); }
