/**
 * The kind of a column, from all of its cells, as the package decides it: numbers if at least half of the cells are numbers
 * and the others no more than typing errors would explain; numbers with separators, a currency or % ("1.234,5 €"); codes with
 * leading zeros are text; dates.
 */
const SPELLINGS = ["", "?", "na", "n/a", "#n/a", "nan", "null", "n.a.", "<na>"];
const AMONG_NUMBERS = new Set([...SPELLINGS, "-", "--", ".", "none", "unknown"]);
const ALWAYS = new Set(["", "?", "NA", "na", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "n.a.", "N.A.", "<NA>"]);
const PLAIN = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;
const BEFORE = "^\\s*([-+−]?[$€£¥]?|[$€£¥]\\s*[-+−]?)\\s*";
const BEHIND = "\\s*(%|€|\\$|£|¥|EUR|USD|GBP|CHF)?\\s*$";
const NOTATIONS = [
  [new RegExp(`${BEFORE}(\\d{1,3}([,' \u00a0]\\d{3})+(\\.\\d+)?|\\d+(\\.\\d+)?)${BEHIND}`), /[^0-9.+-]/g],
  [new RegExp(`${BEFORE}(\\d{1,3}([.' \u00a0]\\d{3})+(,\\d+)?|\\d+(,\\d+)?)${BEHIND}`), /[^0-9,+-]/g],
];
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const TIME = "([ T]\\d{1,2}:\\d\\d(:\\d\\d)?(\\.\\d+)?( ?[AP]M)?(Z|[+-]\\d\\d:?\\d\\d)?)?$";
const [YEAR, DAY, PART] = ["[12]\\d{3}", "(0?[1-9]|[12]\\d|3[01])", "(0?[1-9]|1[0-2])"];
const DATES = [
  `${YEAR}-${PART}-${DAY}`, `${YEAR}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])`, `${DAY}\\.${PART}\\.(${YEAR}|\\d\\d)`, `${YEAR}/${PART}/${DAY}`,
  `${PART}/${DAY}/(${YEAR}|\\d\\d)`, `${DAY}/${PART}/(${YEAR}|\\d\\d)`, `${DAY}-${PART}-${YEAR}`, `${PART}-${DAY}-${YEAR}`,
  `${DAY}[- ]${MONTH}[- ](${YEAR}|\\d\\d)`, `${MONTH} ${DAY},? ${YEAR}`,
].map((day) => new RegExp(`^${day}${TIME}`, "i"));

/** Return the finite number in a cell, or null.  @param {string} cell  @returns {number|null} */
export function numberIn(cell) {
  const number = PLAIN.test(cell) ? Number(cell) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** Return whether a cell is an infinite number, or one beyond the doubles; it is read as a missing value. */
export const isInfinite = (cell) => /^\s*[-+]?inf(inity)?\s*$/i.test(cell) || (PLAIN.test(cell) && !Number.isFinite(Number(cell)));

/** Return whether a cell among numbers spells a missing value. */
export const isMissing = (cell) => AMONG_NUMBERS.has(cell.trim().toLowerCase());

/** Return the kind of a column, its values (null: missing), and the rows whose cells are not of this kind.
 * @param {string[]} cells
 * @returns {{kind: "number"|"text"|"date"|"empty", values: (number|string|null)[], bad: number[], decimalComma: boolean}} */
export function columnOf(cells) {
  const known = cells.filter((cell) => !isMissing(cell));
  const asText = (kind) => ({ kind, values: cells.map((cell) => (ALWAYS.has(cell) ? null : cell)), bad: [], decimalComma: false });
  if (!known.length) return { ...asText("empty"), values: cells.map(() => null) };
  const notation = notationOf(known);
  if (notation) return asNumbers(cells, (cell) => readNotation(cell, notation), notation === NOTATIONS[1]);
  const words = known.filter((cell) => numberIn(cell) === null && !isInfinite(cell));
  const share = 1 - words.length / known.length;
  const isMixed = words.length > 5 && share < 0.99;
  const mayBeDate = share < 0.5 || known.every((cell) => cell.length === 8);
  if (mayBeDate && DATES.some((date) => known.filter((cell) => date.test(cell)).length >= 0.95 * known.length)) return asText("date");
  return share < 0.5 || isMixed || arePadded(known) ? asText("text") : asNumbers(cells, numberIn, false);
}

function asNumbers(cells, read, decimalComma) {
  const values = cells.map(read);
  const bad = cells.map((_, row) => row).filter((row) => values[row] === null && !isMissing(cells[row]));
  return { kind: "number", values, bad, decimalComma };
}

/** Return the notation of cells with separators or units; null for plain numbers and for words. */
function notationOf(known) {
  if (known.every((cell) => PLAIN.test(cell))) return null;
  return NOTATIONS.find(([pattern]) => known.filter((cell) => pattern.test(cell)).length >= 0.99 * known.length) ?? null;
}

function readNotation(cell, [pattern, others]) {
  if (!pattern.test(cell)) return numberIn(cell);
  return Number(cell.replace("−", "-").replace(others, "").replace(",", "."));
}

/** Whether digits are codes: all of the same length, and some begin with 0. */
function arePadded(known) {
  const zeros = known.filter((cell) => /^0\d+$/.test(cell)).length;
  return zeros > 0.01 * known.length && known.every((cell) => /^\d{2,}$/.test(cell) && cell.length === known[0].length);
}
