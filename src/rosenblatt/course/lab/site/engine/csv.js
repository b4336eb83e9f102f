/**
 * Read a csv file as the package does: character set, dialect (delimiter, quotes, header, decimal comma), columns.
 *
 * @typedef {Object} Table
 * @property {string[]} names
 * @property {boolean} header    whether the first row holds the names
 * @property {{kind: "number"|"text"|"date", values: (number|string|null)[]}[]} columns   null: missing
 * @property {number} nRows
 * @property {string} delimiter  "," ";" "\t" "|" or " "
 * @property {boolean} decimalComma
 * @property {string[]} notes    what was repaired or left out, with line numbers; show them to the reader
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {Uint8Array|string} data  @param {{name?: string, delimiter?: string|null, header?: boolean|null,
 *   encoding?: string|null, decimalComma?: boolean|null}} [settings]  @returns {Table} throws BadInput with what it
 *   cannot read */
export function readCsv(data, settings = {}) { return todo(data, settings); }
