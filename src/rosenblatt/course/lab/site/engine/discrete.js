/**
 * The joint distribution of two discrete variables as a table of exact fractions: marginals P(x) = Σ_y P(x, y), conditionals
 * P(y|x) = P(x, y)/P(x), independence P(x, y) = P(x)·P(y), and for numbers E, Var and Cov(X, Y) = E XY − E X·E Y.
 */
import { require } from "./errors.js";
import { Fraction, sum } from "./fraction.js";

export class Table {
  /** @param {(Fraction|string|number)[][]} cells probabilities, or counts, which are divided by their sum
   * @param {(string|number)[]} rowNames values of X  @param {(string|number)[]} columnNames values of Y */
  constructor(cells, rowNames, columnNames) {
    require(cells.length === rowNames.length, `table: ${cells.length} rows for ${rowNames.length} values`);
    const given = cells.map((row) => row.map(Fraction.of));
    for (const row of given) {
      require(row.length === columnNames.length, `table: a row has ${row.length} cells, expected ${columnNames.length}`);
      require(row.every((cell) => cell.sign() >= 0), "table: a probability is at least 0");
    }
    const total = sum(given.flat());
    require(total.sign() > 0, "table: all cells are 0");
    this.cells = given.map((row) => row.map((cell) => cell.over(total)));
    Object.assign(this, { rowNames, columnNames, total });
  }

  /** Return P(X = x) of every row.  @returns {Fraction[]} */
  rowMarginals() {
    return this.cells.map(sum);
  }

  /** Return P(Y = y) of every column.  @returns {Fraction[]} */
  columnMarginals() {
    return this.columnNames.map((_, j) => sum(this.cells.map((row) => row[j])));
  }

  /** Return P(Y | X = row); null if P(X = row) is 0.  @param {number} row  @returns {Fraction[]|null} */
  givenRow(row) {
    return conditional(this.cells[row]);
  }

  /** Return P(X | Y = column); null if P(Y = column) is 0.  @param {number} column  @returns {Fraction[]|null} */
  givenColumn(column) {
    return conditional(this.cells.map((row) => row[column]));
  }

  /** Return whether every cell is the product of its marginals.  @returns {boolean} */
  isIndependent() {
    const [rows, columns] = [this.rowMarginals(), this.columnMarginals()];
    return this.cells.every((row, i) => row.every((cell, j) => cell.equals(rows[i].times(columns[j]))));
  }

  /** Return the moments of numeric values; the correlation is NaN if a variance is 0.
   * @returns {{meanX: Fraction, meanY: Fraction, varianceX: Fraction, varianceY: Fraction, covariance: Fraction,
   *   correlation: number}} */
  moments() {
    const [xs, ys] = [this.rowNames.map(Fraction.of), this.columnNames.map(Fraction.of)];
    const mean = (f) => sum(this.cells.flatMap((row, i) => row.map((cell, j) => cell.times(f(xs[i], ys[j])))));
    const [meanX, meanY] = [mean((x) => x), mean((_, y) => y)];
    const varianceX = mean((x) => x.times(x)).minus(meanX.times(meanX));
    const varianceY = mean((_, y) => y.times(y)).minus(meanY.times(meanY));
    const covariance = mean((x, y) => x.times(y)).minus(meanX.times(meanY));
    const square = varianceX.times(varianceY);
    const correlation = square.sign() ? covariance.sign() * covariance.times(covariance).over(square).root() : NaN;
    return { meanX, meanY, varianceX, varianceY, covariance, correlation };
  }
}

function conditional(cells) {
  const total = sum(cells);
  return total.sign() ? cells.map((cell) => cell.over(total)) : null;
}
