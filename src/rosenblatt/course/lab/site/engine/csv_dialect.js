/**
 * The dialect of delimited text: delimiter, quote, lines before the table, header line. The delimiter is the candidate under
 * which most rows have the same number of cells and most cells contain no other delimiter (CleverCSV: van den Burg, Nazábal
 * & Sutton 2019), with the constants of the package.
 *
 * @typedef {{cells: string[], line: number, raw: string, isOpen: boolean}} Row   isOpen: a quote is not closed
 * @typedef {{delimiter: string, quote: string}} Marks   quote "": a quote is an ordinary character
 */
import { isMissing, numberIn } from "./csv_columns.js";

const CANDIDATES = { ";": 1, ",": 1, "\t": 1, "|": 1, " ": 0.6, "^": 0.5, ":": 0.5 };
const NO_DELIMITER = "\x1f";
const ONE_CELL = /^([^,;\t|"]*|\s*[-+]?[$€£]?\d+([.,' ]\d{3})*([.,]\d+)?\s*[%€$£]?\s*)$/;
const MOMENT = /^[-\d]*[T ]?\d+:\d\d(:\d\d)?([.,]\d+)?\w*$/;
const LABEL_NAMES = ["label", "labels", "class", "target", "kind", "category", "species", "outcome", "sentiment"];
const [ROWS_COMPARED, CELLS_COMPARED, LETTERS_COMPARED] = [200, 5000, 1 << 18];

const isNumber = (cell) => numberIn(cell) !== null;
const isWord = (cell) => !isNumber(cell) && !isMissing(cell);
const share = (cells, test) => cells.filter(test).length / Math.max(1, cells.length);

/** Split text into rows of cells; blank lines are left out, and a quoted cell may contain line ends.
 * @param {string} text lines end with \n  @param {Marks} marks  @param {number} [most]  @returns {Row[]} */
export function rowsOf(text, { delimiter, quote }, most = Infinity) {
  const rows = [];
  let [at, line] = [0, 1];
  while (at < text.length && rows.length < most) {
    const next = text.indexOf("\n", at);
    let end = next < 0 ? text.length : next;
    let raw = text.slice(at, end);
    let [cells, isOpen] = [null, false];
    if (!quote || !raw.includes(quote)) {
      cells = (delimiter === " " ? raw.trim().split(/[ \t]+/) : raw.split(delimiter)).map((cell) => cell.trim());
    } else {
      const found = quotedRow(text, at, delimiter, quote);
      isOpen = !found;
      cells = found?.cells ?? [raw];
      if (found) [end, raw] = [found.end, text.slice(at, found.end)];
    }
    if (raw.trim()) rows.push({ cells, line, raw, isOpen });
    line += 1 + (raw.match(/\n/g)?.length ?? 0);
    at = end + 1;
  }
  return rows;
}

/** Return the cells of the row that begins at a position, or null if a quote is not closed by one that ends a cell. */
function quotedRow(text, at, delimiter, quote) {
  const cells = [];
  const isBlank = (letter) => letter === " " || letter === "\t";
  const endsCell = (letter) => letter === undefined || letter === "\n" || letter === delimiter || (delimiter === " " && isBlank(letter));
  for (let place = at; ; ) {
    while (delimiter === " " && isBlank(text[place])) place += 1;
    let closed = place;
    if (text[place] === quote) {
      closed = text.indexOf(quote, place + 1) + 1;
      while (closed && text[closed] === quote) closed = text.indexOf(quote, closed + 1) + 1;
      if (!closed || (text.slice(place, closed).includes("\n") && !endsCell(text[closed]))) return null;
    }
    let end = closed;
    while (!endsCell(text[end])) end += 1;
    cells.push(unquote(text.slice(place, end).trim(), quote));
    if (end >= text.length || text[end] === "\n") return { cells, end };
    place = end + 1;
  }
}

function unquote(cell, quote) {
  const last = cell.lastIndexOf(quote);
  if (!cell.startsWith(quote) || last < 1) return cell;
  return cell.slice(1, last).replaceAll(quote + quote, quote) + cell.slice(last + 1);
}

/** Return the marks of a text, its rows from the header or first row on, their usual width, and whether there is a header.
 * @param {string} text  @param {{delimiter?: string|null, header?: boolean|null}} [given]
 * @returns {Marks & {rows: Row[], width: number, names: string[]|null}} */
export function findDialect(text, { delimiter = null, header = null } = {}) {
  const piece = text.slice(0, text.lastIndexOf("\n", LETTERS_COMPARED) + 1);
  const head = text.length > LETTERS_COMPARED && piece.split("\n", 4).length > 3 ? piece : text;
  const declared = /^\s*sep=(.)\n/.exec(text)?.[1];
  const known = delimiter ?? declared;
  const candidates = known ? [known] : Object.keys(CANDIDATES).filter((each) => head.includes(each));
  if (!known && candidates.includes("\t") && !candidates.includes(" ") && candidates.length > 1) candidates.push(" ");
  const one = readAs(head, NO_DELIMITER);
  const tops = candidates.map((each) => readAs(head, each));
  let top = tops.reduce((best, each) => (each.score > best.score ? each : best), { score: 0 });
  if (top.score === 0) top = known ? tops[0] : one;
  if (top.delimiter === ":" && one.table.slice(1).every(({ cells }) => MOMENT.test(cells[0]))) top = one;
  const rows = rowsOf(text, top).slice(top.before);
  const first = firstOf(top);
  const others = top.table.slice(1).map(({ cells }) => cells);
  const hasNames = header ?? (isHeader(first, others) || areNames(first, others) || standsApart(first, others));
  return { ...top, rows: hasNames ? rows.slice(1) : rows, names: hasNames ? distinctNames(first) : null };
}

/** Divide the first rows by a delimiter and score the result. */
function readAs(text, delimiter) {
  let quote = areApostrophes(text, delimiter) ? "'" : '"';
  if (quote === '"' && (delimiter === "\t" || delimiter === NO_DELIMITER) && !areClosed(text, delimiter)) quote = "";
  const rows = rowsOf(text, { delimiter, quote }, ROWS_COMPARED);
  let remarks = rows.map(({ raw }) => raw.trimStart().startsWith("#"));
  if (2 * remarks.filter(Boolean).length >= rows.length) remarks = remarks.map(() => false);
  rows.forEach((row, k) => {
    if (remarks[k]) row.cells = rowsOf(row.raw.replace(/^[# ]+/, ""), { delimiter, quote })[0]?.cells ?? [""]; // it may be the header
  });
  const table = rows.filter((_, k) => !remarks[k]);
  const { width, count } = usualWidth(table, delimiter);
  const before = linesBefore(rows, remarks, width);
  const after = remarks.slice(before).filter((isRemark) => !isRemark).length;
  const regular = count / Math.max(1, after, count);
  const alike = rows.slice(before).filter(({ cells }) => cells.length === width).flatMap(({ cells }) => cells).slice(0, CELLS_COMPARED);
  const known = share(alike, (cell) => ONE_CELL.test(cell));
  const isRegular = regular >= (delimiter === " " ? 0.9 : 0.5);
  const score = isRegular ? ((CANDIDATES[delimiter] ?? 1) * regular * known * (width - 1)) / width : 0;
  const kept = rows.filter((_, k) => k === before || (k > before && !remarks[k]));
  return { delimiter, quote, width, score, before, table: kept };
}

function usualWidth(table, delimiter) {
  const counts = new Map();
  for (const { cells } of table) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const most = (entries) => entries.reduce((a, b) => (b[1] > a[1] || (b[1] === a[1] && b[0] > a[0]) ? b : a));
  let [width, count] = most([...counts]);
  if (width === 1 && counts.size > 1 && delimiter !== " ") { // lines before a short table
    const [wider, n] = most([...counts].filter(([size]) => size > 1));
    if (table.slice(-n).every(({ cells }) => cells.length === wider)) [width, count] = [wider, n];
  }
  return { width, count };
}

/** Return the number of lines before the table: comments, "sep=;", and titles with few cells. */
function linesBefore(rows, remarks, width) {
  const first = Math.max(0, rows.findIndex(({ cells }, k) => cells.length === width && !remarks[k]));
  const isHeaderRemark = first && remarks[first - 1] && rows[first - 1].cells.length === width;
  if (isHeaderRemark && rows[first].cells.some(isNumber)) return first - 1;
  const lead = rows.slice(0, first).map((_, k) => k).filter((k) => !remarks[k]);
  if (!lead.length) return first;
  const last = rows[lead[lead.length - 1]].cells;
  const lacksOneName = last.length === width - 1 && (width > 2 || !/[\s=]/.test(last[0].trim()));
  if (lacksOneName && last.every(isWord)) return lead[lead.length - 1];
  const areTitles = lead.every((k) => 2 * rows[k].cells.filter(isNumber).length < rows[k].cells.length && rows[k].cells.length <= width);
  return areTitles && rows.length > first + 1 ? first : lead[0];
}

/** Return the cells of the first row; a header may lack the name of the first or the last column. */
function firstOf({ table, width }) {
  const first = table[0].cells;
  if (first.length === width - 1 && first.length && first.every(isWord)) {
    const isEmpty = table.slice(1).every(({ cells }) => cells.length !== width || !cells[width - 1].trim());
    return isEmpty ? [...first, ""] : ["", ...first];
  }
  return first.length === width ? first : new Array(width).fill("");
}

/** Whether the first row has a word above a number, or numbers the columns, and no other number. */
function isHeader(first, others) {
  if (first.some((cell) => isNumber(cell) && !/^\d+$/.test(cell))) return false;
  const aboveNumber = first.some((cell, j) => isWord(cell) && isNumber(others.find((row) => j < row.length && !isMissing(row[j]))?.[j] ?? ""));
  const numbered = first.map((cell, j) => [cell, j]).filter(([cell]) => /^\d+$/.test(cell));
  const countsColumns = numbered.length >= 3 && numbered.every(([cell, j]) => cell === String(j));
  return aboveNumber || (countsColumns && others.flat().some((cell) => isNumber(cell) && !/^\d+$/.test(cell)));
}

/** Whether the first row of a table of words has short, distinct names, one of them above texts or a usual name of labels. */
function areNames(first, others) {
  const rows = others.filter((row) => row.length === first.length);
  const words = (cell) => cell.split(/\s+/).filter(Boolean).length;
  if (new Set(first).size < first.length || first.some((cell) => words(cell) > 2) || !first.every(isWord)) return false;
  if (!rows.length) return others.length === 0 && first.length > 1;
  return first.some((cell, j) => {
    const below = rows.map((row) => row[j]);
    const areTexts = below.reduce((total, text) => total + words(text), 0) >= 3 * below.length;
    return areTexts || (LABEL_NAMES.includes(cell.toLowerCase()) && !below.includes(cell));
  });
}

/** Whether the last cell of the first row of a table of words occurs in no other row, while those of other rows repeat. */
function standsApart(first, others) {
  if (others.length < 4 || share(others.flat(), isNumber) > 0) return false;
  const labels = others.map((row) => row[row.length - 1]);
  return !labels.includes(first[first.length - 1]) && 2 * new Set(labels).size <= labels.length;
}

/** Return names as pandas gives them: a, a.1, and "Unnamed: 2" for an empty name. */
function distinctNames(names) {
  const times = new Map();
  return names.map((given, j) => {
    const name = given || `Unnamed: ${j}`;
    let made = name;
    while (times.get(name) && names.includes((made = `${name}.${times.get(name)}`))) times.set(name, times.get(name) + 1);
    times.set(name, (times.get(name) ?? 0) + 1);
    return made;
  });
}

const escaped = (letter) => letter.replace(/[|^]/g, "\\$&");

/** Whether cells are enclosed in apostrophes, which then contain delimiters or blanks. */
function areApostrophes(text, delimiter) {
  const start = `(?:^|${escaped(delimiter)})`;
  if (new RegExp(`${start}"`, "m").test(text)) return false;
  const opened = text.match(new RegExp(`${start}'`, "gm"))?.length ?? 0;
  const closed = text.match(new RegExp(`${start}'[^'\\n]+'(?=${escaped(delimiter)}|$)`, "gm"))?.length ?? 0;
  return opened > 1 && closed === opened;
}

/** Whether every quote that opens a cell is closed, on its line or in a row with as many cells as the first. */
function areClosed(text, delimiter) {
  if (!text.includes('"')) return true;
  const rows = rowsOf(text, { delimiter, quote: '"' });
  return rows.every(({ cells, raw, isOpen }) => !isOpen && (!raw.includes("\n") || cells.length === rows[0].cells.length));
}
