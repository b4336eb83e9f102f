/** The rows of a pass: in the given order, shuffled as the package shuffles, listed, or found by a search. */
import { BadInput, require } from "./errors.js";
import { nearest } from "./exact.js";
import { Random } from "./random.js";
import { exactScore } from "./score.js";

export const ORDERS = ["given", "shuffled", "first_mistake", "worst_mistake"];
export const isSearch = (order) => order === "first_mistake" || order === "worst_mistake";

/** Throw an error unless this is an order of n rows. */
export function checkOrder(order, n) {
  if (Array.isArray(order)) {
    for (const row of order) {
      require(Number.isInteger(row) && row >= 0 && row < n, `order: there is no row ${row}; the rows are 0 … ${n - 1}`);
    }
    require(order.length > 0, "order: the list of rows is empty");
  } else if (!ORDERS.includes(order)) {
    throw new BadInput(`order: expected one of ${ORDERS.join(", ")} or a list of rows, got ${order}`);
  }
}

/** Return the rows of pass number `pass` (from 0); with a search, all rows in order.
 * @param {string|number[]} order  @param {number} n number of rows  @param {number} seed see `runSeed`
 * @param {number} pass  @returns {number[]} */
export function rowsOfPass(order, n, seed, pass) {
  if (Array.isArray(order)) return order;
  const rows = Array.from({ length: n }, (_, row) => row);
  return order === "shuffled" ? new Random(seed, pass).shuffle(rows) : rows;
}

/** Yield the rows of a pass of a learner, which learns from each row before the next one is requested. With a search,
 * these are rows on which the rule acts; when none is left, the remaining steps visit the rows in order. */
export function* visit(order, learner, points, labels, seed, pass) {
  const rows = rowsOfPass(order, points.length, seed, pass);
  for (const [k, row] of rows.entries()) {
    const found = isSearch(order) ? searchRow(order, learner, points, labels) : row;
    if (found < 0) {
      yield* rows.slice(k);
      return;
    }
    yield found;
  }
}

/** Return the row on which the learner acts: the first, or the one with the smallest functional margin (rounded to a
 * double; ties go to the first). −1: there is none.  @returns {number} */
export function searchRow(order, learner, points, labels) {
  let [found, smallest] = [-1, Infinity];
  for (const [row, x] of points.entries()) {
    if (!learner.decide(x, labels[row]).acts) continue;
    if (order === "first_mistake") return row;
    const margin = labels[row] * nearest(exactScore(learner.w, learner.b, x));
    if (found < 0 || margin < smallest) [found, smallest] = [row, margin];
  }
  return found;
}
