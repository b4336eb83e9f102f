/** Solve linear equations in integers without fractions (Bareiss 1968): every division is exact. */

/** @param {bigint[][]} rows   the rows of A with the right-hand side as the last entry; no leading minor of A is 0
 * @returns {{numerators: bigint[], denominator: bigint}} the solution; the denominator is det A */
export function solveIntegers(rows) {
  const size = rows.length;
  let left = rows;
  let before = 1n;
  for (let k = 0; k < size; k += 1) {
    const [pivot, own] = [left[k][k], left[k]];
    left = left.map((row, i) => (i === k ? own : row.map((entry, j) => (entry * pivot - row[k] * own[j]) / before)));
    before = pivot;
  }
  return { numerators: left.map((row) => row[size]), denominator: before };
}
