// Numbers, vectors and linear equations read exactly from text, and lines compared exactly.

import { Value } from "./value.js";

/** Return the exact sign of w·x + b. */
export function sideOf(w, b, x) {
  return w.reduce((sum, part, at) => sum.plus(Value.of(part).times(x[at])), Value.of(b)).sign();
}

const SIGNS = { "−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "₀": "0", "₁": "1", "₂": "2", "₃": "3" };
const plain = (text) => [...text].map((sign) => SIGNS[sign] ?? sign).join("");

/** Read a number exactly: 2, −0.5, 3/4, 1.5e-3. */
export function readNumber(text) {
  const found = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?(?:\/(\d+(?:\.\d*)?|\.\d+))?$/i.exec(plain(text).replace(/[\s()]/g, ""));
  if (!found) throw new SyntaxError(`“${text.trim()}” is not a number; write it as 2, −0.5 or 3/4`);
  const [, sign, top, power = "0", bottom = "1"] = found;
  if (Value.of(decimal(bottom)).sign() === 0) throw new SyntaxError("a fraction cannot have the denominator 0");
  let value = decimal(top).over(decimal(bottom));
  const shift = new Value(10n ** BigInt(Math.abs(Number(power))));
  value = Number(power) < 0 ? value.over(shift) : value.times(shift);
  return sign === "-" ? value.times(-1) : value;
}

function decimal(text) {
  const [whole, rest = ""] = text.split(".");
  return new Value(BigInt(whole + rest || "0"), 10n ** BigInt(rest.length));
}

/** Read a vector: (2, −1), [2 -1] or 2; −1. */
export function readVector(text, length = null) {
  const parts = plain(text).trim().replace(/^[([]|[)\]]$/g, "").split(/\s*[,;]\s*|\s+/).filter(Boolean);
  if (length !== null && parts.length !== length) throw new SyntaxError(`write ${length} numbers, as in (${Array.from({ length }, (_, k) => k + 1).join(", ")})`);
  return parts.map(readNumber);
}

/**
 * Read a linear equation or inequality in x1 and x2 exactly, in any arrangement: 2x1 + 3x2 − 6 = 0,
 * x2 = −2/3 x1 + 2, 2(x1 − 1) > 3·x2. Return {w: [Value, Value], b: Value, relation}: w·x + b = 0.
 */
export function readEquation(text) {
  const source = plain(text).toLowerCase().replace(/\s+/g, "").replace(/x_\{?([12])\}?/g, "x$1").replace(/\*?([xy])(?![12])/g, (all, name) => `${all.startsWith("*") ? "*" : ""}${name === "x" ? "x1" : "x2"}`);
  const sides = source.replace(/>=|≥/g, "G").replace(/<=|≤/g, "L").split(/([=<>GL])/);
  if (sides.length !== 3) throw new SyntaxError("an equation has exactly one “=”, as in 2x1 + 3x2 − 6 = 0");
  const [left, right] = [readSum(sides[0]), readSum(sides[2])];
  const terms = left.map((part, at) => part.minus(right[at]));
  const relation = { "=": "=", "<": "<", ">": ">", G: "≥", L: "≤" }[sides[1]];
  return { w: [terms[1], terms[2]], b: terms[0], relation };
}

// a sum as [constant, factor of x1, factor of x2]
function readSum(text) {
  let at = 0;
  const trouble = () => new SyntaxError(at >= text.length ? "the equation ends too early" : `“${text.slice(at, at + 8)}” cannot be read; write the equation as 2x1 + 3x2 − 6 = 0`);
  const sum = () => {
    let total = term(takeSign());
    while (text[at] === "+" || text[at] === "-") total = added(total, term(takeSign()));
    return total;
  };
  const takeSign = () => {
    let sign = 1;
    while (text[at] === "+" || text[at] === "-") { if (text[at] === "-") sign = -sign; at += 1; }
    return sign;
  };
  const term = (sign) => {
    let product = factor();
    for (;;) {
      if (text[at] === "*") { at += 1; product = multiplied(product, factor()); }
      else if (text[at] === "/") { at += 1; product = divided(product, factor()); }
      else if (/[\d.x(]/.test(text[at] ?? "")) product = multiplied(product, factor());
      else return product.map((part) => part.times(sign));
    }
  };
  const factor = () => {
    const zero = new Value(0n);
    if (text[at] === "(") {
      at += 1;
      const inner = sum();
      if (text[at] !== ")") throw trouble();
      at += 1;
      return inner;
    }
    const variable = /^x([12])(?!\d)/.exec(text.slice(at));
    if (variable) {
      at += 2;
      return variable[1] === "1" ? [zero, new Value(1n), zero] : [zero, zero, new Value(1n)];
    }
    const number = /^(\d+\.?\d*|\.\d+)/.exec(text.slice(at));
    if (!number) throw trouble();
    at += number[0].length;
    return [decimal(number[0]), zero, zero];
  };
  const result = sum();
  if (at < text.length) throw trouble();
  return result;
}

const added = (one, other) => one.map((part, at) => part.plus(other[at]));
const isConstant = (sum) => sum[1].sign() === 0 && sum[2].sign() === 0;

function multiplied(one, other) {
  if (!isConstant(one) && !isConstant(other)) throw new SyntaxError("a product of two coordinates is not a line");
  const [scalar, sum] = isConstant(one) ? [one[0], other] : [other[0], one];
  return sum.map((part) => part.times(scalar));
}

function divided(sum, by) {
  if (!isConstant(by) || by[0].sign() === 0) throw new SyntaxError("divide only by a number other than 0");
  return sum.map((part) => part.over(by[0]));
}

/**
 * Compare two lines (w, b) exactly: "same", "turned" (same line, w points to the other side), "parallel",
 * "crossing", or "none" if the first is no line.
 */
export function compareLines(one, other) {
  const [p, q] = [one, other].map(({ w, b }) => [...w, b].map((part) => Value.of(part)));
  if (p[0].sign() === 0 && p[1].sign() === 0) return "none";
  const cross = (i, j) => p[i].times(q[j]).minus(p[j].times(q[i])).sign();
  if (cross(0, 1) !== 0) return "crossing";
  if (cross(0, 2) !== 0 || cross(1, 2) !== 0) return "parallel";
  const same = p[0].times(q[0]).plus(p[1].times(q[1])).sign() > 0;
  return same ? "same" : "turned";
}
