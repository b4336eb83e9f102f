/** The joint distribution of two discrete variables as a table of fractions. */
const todo = () => { throw new Error("not implemented yet"); };

export class Table {
  /** @param {(Fraction|string|number)[][]} cells probabilities (or counts, which are divided by their sum)
   * @param {(string|number)[]} rowNames values of X  @param {(string|number)[]} columnNames values of Y */
  constructor(cells, rowNames, columnNames) { todo(cells, rowNames, columnNames); }
  /** P(X = x) of every row.  @returns {Fraction[]} */
  rowMarginals() { return todo(); }
  /** P(Y = y) of every column.  @returns {Fraction[]} */
  columnMarginals() { return todo(); }
  /** P(Y | X = row).  @returns {Fraction[]} */
  givenRow(row) { return todo(row); }
  /** P(X | Y = column).  @returns {Fraction[]} */
  givenColumn(column) { return todo(column); }
  /** Whether every cell is the product of its marginals.  @returns {boolean} */
  isIndependent() { return todo(); }
  /** E X, E Y, Var X, Var Y, Cov(X, Y) as fractions and the correlation as a double; for numeric names. */
  moments() { return todo(); }
}
