/**
 * Read a csv file as the package does: character set, dialect (`csv_dialect.js`), kinds of columns (`csv_columns.js`). Rows
 * that cannot be read are left out, and each is named in the notes.
 *
 * @typedef {Object} Table
 * @property {string[]} names    "0", "1", … without a header
 * @property {boolean} header
 * @property {{kind: "number"|"text"|"date"|"empty", values: (number|string|null)[], isCounter: boolean}[]} columns   null:
 *   missing; isCounter: whole numbers that grow by 1 from row to row, which a picture need not show
 * @property {number} nRows
 * @property {string} delimiter
 * @property {boolean} decimalComma
 * @property {string[]} notes    what was left out, with line numbers from 1
 */
import { columnOf, isInfinite } from "./csv_columns.js";
import { findDialect } from "./csv_dialect.js";
import { BadInput, require } from "./errors.js";

const PACKED = { "1f8b": "gzip", "504b0304": "zip", "425a68": "bzip2", fd377a58: "xz", "28b52ffd": "zstd" };
const MARKS = { efbbbf: "utf-8", fffe: "utf-16le", feff: "utf-16be" };
const LARGEST = 20_000_000; // bytes: the page would stand still for seconds
const SHOWN = 5;

/** @param {Uint8Array|string} data  @param {{name?: string, delimiter?: string|null, header?: boolean|null,
 *   encoding?: string|null}} [settings] null: found in the file; encoding: a label of TextDecoder such as "windows-1252"
 * @returns {Table} throws BadInput with what it cannot read */
export function readCsv(data, { name = "the file", delimiter = null, header = null, encoding = null } = {}) {
  require(data.length > 0, `${name}: the file is empty; give one with at least one row`);
  require(data.length <= LARGEST, `${name}: ${data.length} bytes are more than the ${LARGEST} that this page reads`);
  const decoded = typeof data === "string" ? { text: data, notes: [] } : decode(data, name, encoding);
  const text = decoded.text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  require(text.trim(), `${name}: there are no rows, only blank lines; give a file with rows`);
  const { rows, width, names, ...dialect } = findDialect(text, { delimiter, header });
  const { notes } = decoded;
  const isComment = ({ raw, cells }) => raw.startsWith("#") && cells.length !== width;
  const whole = rows.filter((row) => {
    if (isComment(row)) return false;
    if (row.isOpen) notes.push(`line ${row.line} is left out: a quote is not closed`);
    else if (row.cells.length !== width) notes.push(`line ${row.line} is left out: ${row.cells.length} cells, expected ${width}`);
    return !row.isOpen && row.cells.length === width;
  });
  require(whole.length > 0, `${name}: there are no rows, only a header line; give a file with rows`);
  const titles = names ?? Array.from({ length: width }, (_, j) => String(j));
  const columns = titles.map((_, j) => columnOf(whole.map(({ cells }) => cells[j])));
  const bad = new Set();
  columns.forEach((column, j) => {
    for (const row of column.bad) {
      const found = `column ${titles[j]} holds ${whole[row].cells[j]}`;
      if (isInfinite(whole[row].cells[j])) notes.push(`line ${whole[row].line}: ${found}, read as a missing value`);
      else if (!bad.has(row)) notes.push(`line ${whole[row].line} is left out: ${found}, expected a number`);
      if (!isInfinite(whole[row].cells[j])) bad.add(row);
    }
  });
  return {
    names: titles,
    header: names !== null,
    columns: columns.map(({ kind, values }) => ({
      kind,
      values: bad.size ? values.filter((_, row) => !bad.has(row)) : values,
      isCounter: kind === "number" && values.length > 2 && values.every((value, row) => Number.isInteger(value) && (!row || value - values[row - 1] === 1)),
    })),
    nRows: whole.length - bad.size,
    delimiter: dialect.delimiter,
    decimalComma: columns.some((column) => column.decimalComma),
    notes: notes.length > SHOWN ? [...notes.slice(0, SHOWN), `… and ${notes.length - SHOWN} more`] : notes,
  };
}

/** Decode bytes in the encoding that the reader says or that their mark names; otherwise as UTF-8, or if they are not, as
 * Windows-1252, as the package does.  @returns {{text: string, notes: string[]}} */
function decode(bytes, name, encoding) {
  const start = [...bytes.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const found = (table) => Object.entries(table).find(([mark]) => start.startsWith(mark))?.[1];
  const packed = found(PACKED);
  require(!packed, `${name}: is compressed (${packed}), and this page takes plain text; decompress it`);
  const tried = [encoding, found(MARKS), "utf-8", "windows-1252"].filter(Boolean).slice(0, encoding ? 1 : undefined);
  for (const label of tried) {
    try {
      const text = new TextDecoder(label, { fatal: true }).decode(bytes);
      return { text, notes: label === "windows-1252" && !encoding ? ["the file is not UTF-8; it is read as Windows-1252"] : [] };
    } catch (error) {
      if (error instanceof RangeError) throw new BadInput(`${name}: ${label} is not an encoding that this browser knows`);
    }
  }
  throw new BadInput(`${name}: is not ${tried[0]} text; choose another encoding, or save it as UTF-8`);
}
