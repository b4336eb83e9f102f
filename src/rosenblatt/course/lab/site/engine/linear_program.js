/**
 * A separator by linear programming, exactly: maximise m subject to y(w·x + b) ≥ m and |wⱼ| ≤ 1. The points are separable
 * if and only if the maximum is above 0. Dantzig's simplex method with Bland's rule, on integers (Edmonds 1967).
 */
import { asIntegers } from "./exact.js";
import { Fraction } from "./fraction.js";
import { checkExamples } from "./trace.js";

/** @param {number[][]} points  @param {(-1|1)[]} labels  @param {{offset?: boolean}} [settings]
 * @returns {{separable: boolean, w: number[], b: number, m: Fraction, tight: number[], pivots: number}} tight: the rows with
 *   y(w·x + b) = m; w is 0 if no line separates */
export function separatorByLinearProgram(points, labels, { offset = true } = {}) {
  checkExamples(points, labels);
  const [n, d] = [points.length, points[0].length];
  const { integers, e } = asIntegers(points.flat());
  const one = 1n << BigInt(-e); // coordinates, b and m are measured in units of 2^e
  // variables ≥ 0: w⁺, w⁻, b⁺, b⁻, m; rows: m − y(w·x + b) ≤ 0, then ±wⱼ ≤ 1
  const [bPlus, width] = [2 * d, 2 * d + (offset ? 2 : 0) + 1];
  const constraints = points.map((_, row) => {
    const line = new Array(width + 1).fill(0n);
    const y = BigInt(labels[row]);
    for (let j = 0; j < d; j += 1) [line[j], line[d + j]] = [-y * integers[row * d + j], y * integers[row * d + j]];
    if (offset) [line[bPlus], line[bPlus + 1]] = [-y, y];
    line[width - 1] = 1n;
    return line;
  });
  for (let j = 0; j < 2 * d; j += 1) constraints.push(Array.from({ length: width + 1 }, (_, k) => BigInt(k === j || k === width)));
  const { values, pivots } = maximise(constraints, width - 1);
  const w = Array.from({ length: d }, (_, j) => values[j].minus(values[d + j]));
  const b = offset ? values[bPlus].minus(values[bPlus + 1]) : new Fraction(0n);
  const m = values[width - 1];
  const slack = (row) => w.reduce((sum, wj, j) => sum.plus(wj.times(Fraction.of(integers[row * d + j]))), b).times(Fraction.of(labels[row]));
  const inUnits = (value) => value.over(Fraction.of(one));
  return {
    separable: m.sign() > 0,
    w: w.map((wj) => wj.toNumber()),
    b: inUnits(b).toNumber(),
    m: inUnits(m),
    tight: Array.from({ length: n }, (_, row) => row).filter((row) => slack(row).equals(m)),
    pivots,
  };
}

/** Maximise variable `goal` ≥ 0 subject to rows a·z ≤ a₀ with a₀ ≥ 0 (the last entry of a row) and z ≥ 0.
 * @param {bigint[][]} constraints  @param {number} goal  @returns {{values: Fraction[], pivots: number}} */
function maximise(constraints, goal) {
  const width = constraints[0].length - 1;
  // columns: z, then the slack of the row that it was exchanged with; all entries are over the common denominator `scale`
  const rows = [...constraints.map((row) => [...row]), Array.from({ length: width + 1 }, (_, k) => -BigInt(k === goal))];
  const cost = rows[rows.length - 1];
  const inColumn = Array.from({ length: width }, (_, k) => k);
  const inRow = constraints.map((_, i) => width + i);
  let [scale, pivots] = [1n, 0];
  for (;;) {
    let [column, row] = [-1, -1];
    for (let k = 0; k < width; k += 1) if (cost[k] < 0n && (column < 0 || inColumn[k] < inColumn[column])) column = k;
    if (column < 0) break;
    for (let i = 0; i < inRow.length; i += 1) {
      if (rows[i][column] <= 0n) continue;
      const gap = row < 0 ? -1n : rows[i][width] * rows[row][column] - rows[row][width] * rows[i][column];
      if (gap < 0n || (gap === 0n && inRow[i] < inRow[row])) row = i;
    }
    const pivot = rows[row][column]; // there is one: m is bounded, as both classes have a point or |w| ≤ 1
    for (let i = 0; i < rows.length; i += 1) {
      if (i === row) continue;
      const factor = rows[i][column];
      for (let k = 0; k <= width; k += 1) {
        rows[i][k] = k === column ? -factor : (rows[i][k] * pivot - factor * rows[row][k]) / scale;
      }
    }
    rows[row][column] = scale;
    [inColumn[column], inRow[row]] = [inRow[row], inColumn[column]];
    [scale, pivots] = [pivot, pivots + 1];
  }
  const values = Array.from({ length: width }, () => new Fraction(0n));
  inRow.forEach((variable, i) => { if (variable < width) values[variable] = new Fraction(rows[i][width], scale); });
  return { values, pivots };
}
