/**
 * A verdict as a proof file of the package: `rosenblatt.verify("proof.json", X, y)` checks it in exact arithmetic.
 * Separable: the separator and the convex combination, whose margins are the doubles below and above the largest margin.
 * Otherwise: the combination that cancels.
 */
import { exact } from "./exact.js";
import { Fraction, sum } from "./fraction.js";

/** @param {number[][]} points  @param {(-1|1)[]} labels  @param {import("./separation.js").Verdict} verdict without a kernel
 * @returns {Promise<string>} JSON; needs crypto.subtle, so a page from https, localhost or disk */
export async function proofFile(points, labels, verdict) {
  const rows = verdict.weights.map(({ row }) => row);
  const weights = asWholes(verdict.weights.map(({ weight }) => weight)).map(hex);
  const parts = [{ kind: "gordan", rows, weights }];
  if (verdict.separable) {
    const side = (y) => points[0].map((_, j) => sum(verdict.weights.map(({ row, weight }) => weight.times(Fraction.of(labels[row] === y ? 1 : 0)).times(Fraction.exactly(points[row][j])))));
    const [p, q] = [side(1), side(-1)];
    const w = p.map((pj, j) => pj.minus(q[j]));
    const twiceB = verdict.offset ? sum(w.map((wj, j) => wj.times(p[j].plus(q[j])))).times(Fraction.of(-1)) : Fraction.of(0);
    const [b, ...whole] = asWholes([twiceB, ...w.map((wj) => wj.plus(wj))]);
    const [below, above] = around(verdict.margin2);
    parts.splice(0, 1, { kind: "separator", w: whole.map(hex), b: hex(b), margin: asDouble(below) }, { kind: "combination", rows, weights, margin: asDouble(above) });
  }
  const head = { format: "rosenblatt-proof", version: 2, offset: verdict.offset, n_rows: points.length, n_features: points[0].length, classes: [-1, 1] };
  return `${JSON.stringify({ ...head, digest: await digestOf(points, labels), question: [], parts })}\n`;
}

/** Return integers in the same proportions. */
function asWholes(fractions) {
  const common = fractions.reduce((product, { d }) => product * d, 1n);
  return fractions.map(({ n, d }) => n * (common / d));
}

const hex = (integer) => `${integer < 0n ? "-" : ""}0x${(integer < 0n ? -integer : integer).toString(16)}`;
const asDouble = (x) => `${hex(exact(x).m)}p${exact(x).e}`;

/** Return the largest double whose square is at most a fraction, and the smallest whose square is at least it. */
function around(square) {
  const root = square.root();
  const side = Fraction.exactly(root).times(Fraction.exactly(root)).compare(square);
  return [side > 0 ? neighbour(root, -1n) : root, side < 0 ? neighbour(root, 1n) : root];
}

function neighbour(x, step) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigUint64(0, view.getBigUint64(0) + step);
  return view.getFloat64(0);
}

/** Return the digest of the data: of the labels, and of the counts, columns and values of the entries that are not 0. */
async function digestOf(points, labels) {
  const entries = points.map((x) => x.flatMap((value, column) => (value ? [{ column, value }] : [])));
  const isFull = (row) => entries[row].length === points[row].length;
  const parts = [
    new BigUint64Array(entries.map((row) => BigInt(row.length))),
    new BigUint64Array(entries.flatMap((row, at) => (isFull(at) ? [] : row.map(({ column }) => BigInt(column))))),
    new Float64Array(entries.flatMap((row) => row.map(({ value }) => value))),
  ];
  const hash = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const size = `${points.length} rows, ${points[0].length} features`;
  const hashAll = (text, ...rest) => hash(Uint8Array.from([...new TextEncoder().encode(text), ...rest.flatMap((part) => [...part])]));
  const block = await hashAll(`${size};`, labels.map((y) => y & 255), ...(await Promise.all(parts.map(hash))));
  const digest = await hashAll(`${size}, in blocks;`, block);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
