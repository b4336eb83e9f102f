// Exact checking of answers. No part of this file needs a page, so tests and teachers run the same code.

import { Value } from "./value.js";
import { compareLines, readEquation, readNumber, readVector, sideOf } from "./exact.js";

/**
 * Check an answer. A question has a `kind`:
 *   choice    options [{text, right, hint}]; the answer is an index, or a sorted list of indices with `many`
 *   number    `answer` is a number, a text such as "2/3", or a function of (state, result)
 *   vector    `answer` is a list of these
 *   equation  `answer` is {w, b}; `side: true` also requires that w points to the right side
 *   scene     check(state, result) returns true or a hint
 *   place     `answer` is a place [x, y] in the plane, `within` the distance that counts as right
 * `hints` of numbers, vectors and equations is a list of [condition(value, state), text]; `hint` is the text for any
 * other mistake. Return {right, hint, unreadable}.
 */
export function check(question, answer, state = {}, result = null) {
  try {
    return CHECKS[question.kind](question, answer, state, result);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return { right: false, hint: error.message, unreadable: true };
    throw error;
  }
}

const wanted = (question, state, result) => (typeof question.answer === "function" ? question.answer(state, result) : question.answer);
const wrong = (hint) => ({ right: false, hint: hint ?? "Not yet." });
const RIGHT = { right: true, hint: "" };

// the hint that fits the mistake
function hintFor(question, value, state, result, otherwise) {
  const fitting = (question.hints ?? []).find(([condition]) => condition(value, state, result));
  return fitting ? fitting[1] : question.hint ?? otherwise;
}

const CHECKS = {
  choice({ options, many }, answer) {
    const chosen = many ? answer : [answer];
    const right = options.map((option, at) => (option.right ? at : -1)).filter((at) => at >= 0);
    if (!chosen.length) return { right: false, hint: "Choose an answer first.", unreadable: true };
    const extra = chosen.find((at) => !right.includes(at));
    if (extra !== undefined) return wrong(options[extra]?.hint);
    const missing = right.find((at) => !chosen.includes(at));
    if (many && missing !== undefined) return wrong(options[missing].missing ?? "What you chose is right, but something is missing.");
    return RIGHT;
  },

  number(question, answer, state, result) {
    const value = readNumber(String(answer));
    const right = Value.of(wanted(question, state, result));
    if (value.equals(right)) return RIGHT;
    const away = Math.abs(value.minus(right).toNumber());
    if (question.within && away <= question.within) return RIGHT;
    const otherwise = right.sign() !== 0 && value.equals(right.times(-1)) ? "The size is right, but not the sign." : away < 1e-2 * Math.abs(right.toNumber()) ? "Close: write the exact number, for example as a fraction." : undefined;
    return wrong(hintFor(question, value, state, result, otherwise));
  },

  vector(question, answer, state, result) {
    const right = wanted(question, state, result).map((part) => Value.of(part));
    const value = readVector(String(answer), right.length);
    const agrees = value.map((part, at) => part.equals(right[at]));
    if (agrees.every(Boolean)) return RIGHT;
    const turned = value.every((part, at) => part.equals(right[at].times(-1)));
    const swapped = right.length === 2 && value[0].equals(right[1]) && value[1].equals(right[0]);
    const otherwise = turned ? "Every sign is opposite." : swapped ? "The two numbers are swapped." : agrees.some(Boolean) ? `Right in ${agrees.filter(Boolean).length} of ${right.length} numbers: look at number ${agrees.indexOf(false) + 1} again.` : undefined;
    return wrong(hintFor(question, value, state, result, otherwise));
  },

  equation(question, answer, state, result) {
    const right = wanted(question, state, result);
    const line = readEquation(String(answer));
    const relation = compareLines(line, right);
    if (relation === "none") return wrong("Both x1 and x2 are missing, so this is no line.");
    if (relation === "same" || (relation === "turned" && !question.side)) return RIGHT;
    if (relation === "turned") return wrong("This is the right line, but its w points to the other side. Multiply the equation by −1.");
    const own = hintFor(question, line, state, result, undefined);
    if (own) return wrong(own);
    if (relation === "parallel") return wrong("The direction is right, but the line must be shifted: check the constant with a point of the line.");
    const through = (question.points ?? []).filter((point) => sideOf(line.w, line.b, point) !== 0);
    if (through.length) return wrong(`The point (${through[0].join(", ").replaceAll("-", "−")}) is on the line in the picture, but it does not satisfy your equation.`);
    return wrong("The direction is not right: w = (factor of x1, factor of x2) must be perpendicular to the line.");
  },

  scene(question, _answer, state, result) {
    const found = question.check(state, result);
    return found === true ? RIGHT : wrong(found || undefined);
  },

  place(question, answer, state, result) {
    const [x, y] = wanted(question, state, result);
    const away = Math.hypot(answer[0] - x, answer[1] - y);
    if (away <= (question.within ?? 0.3)) return RIGHT;
    return wrong(hintFor(question, answer, state, result, undefined));
  },
};

/** Return the right answer as text, for the explanation after the last try. */
export function solutionOf(question, state, result) {
  if (question.solution) return question.solution;
  if (question.kind === "choice") return question.options.filter((option) => option.right).map((option) => option.text).join("; ");
  if (question.kind === "scene") return "";
  const right = wanted(question, state, result);
  if (question.kind === "equation") return equationText(right);
  if (question.kind === "vector" || question.kind === "place") return `(${right.map((part) => Value.of(part)).join(", ")})`;
  return String(Value.of(right));
}

/** Write w·x + b = 0 as an equation. */
export function equationText({ w, b }) {
  const terms = [[w[0], "x₁"], [w[1], "x₂"], [b, ""]].map(([part, name]) => [Value.of(part), name]).filter(([part]) => part.sign() !== 0);
  const text = terms.map(([part, name], at) => {
    const size = part.sign() < 0 ? part.times(-1) : part;
    const number = name && size.equals(1) ? "" : String(size);
    return `${part.sign() < 0 ? (at ? " − " : "−") : at ? " + " : ""}${number}${name}`;
  }).join("");
  return `${text || "0"} = 0`;
}
