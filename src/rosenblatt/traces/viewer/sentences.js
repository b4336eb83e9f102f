// Each step as a sentence, for readers and for screen readers.

import { counted, real, vector, whole } from "./numbers.js";

const MOST_VALUES = 6; // features of a point in its sentence

/** Return whether a point with this functional margin is drawn as wrong; `tie` defines sign(0). */
export function isWrong(agreement, label, tie) {
  if (agreement !== 0) return agreement < 0;
  return tie === "mistake" || (tie === "negative" ? label > 0 : label < 0);
}

/** "Step 4 of 12, pass 2: point 0 (+) at (2, 1) has functional margin −1: a mistake. …" */
export function stepSentence(head, state) {
  if (state.step === 0) return `Start: ${weightsAre(head, state)}. No step has been made yet.`;
  const sentences = [`${visitSentence(head, state)} ${outcomeSentence(head, state)}`];
  const cycle = cycleSentence(head, state.step);
  if (cycle) sentences.push(cycle);
  if (state.step === head.n_steps) sentences.push(`End of the run: ${ended(head.ending)}`);
  return sentences.join(" ");
}

/** Describe the picture for screen readers. */
export function pictureSentence(head, state, { wrong }) {
  const all = head.labels.length;
  const positive = head.labels.filter((label) => label > 0).length;
  const sides = `${whole(positive)} of class + and ${whole(all - positive)} of class −`;
  return `Picture of ${counted(all, "point")}, ${sides}. ${lineSentence(head, state, wrong)}`;
}

/** Return the number of support rows of w in a kernel run. */
export function supportSize({ weights }) {
  return weights.filter((weight) => weight !== 0).length;
}

/** Return the sign of a class. */
export function signOf(label) {
  return label > 0 ? "+" : "−";
}

/** Shorten a name, because names come from arbitrary files. */
export function shortName(name) {
  const letters = Array.from(name);
  return letters.length > 40 ? `${letters.slice(0, 38).join("")}…` : name;
}

/** "Point 3, class + (ham): length = 2, width = 1. Its functional margin is now −1: misclassified." */
export function pointSentence(head, row, agreement) {
  const name = head.classes[head.labels[row] > 0 ? 1 : 0];
  const named = arePlain(head.classes) ? "" : ` (${shortName(name)})`;
  const judged = isWrong(agreement, head.labels[row], head.tie) ? "misclassified" : "correct";
  const tie = agreement === 0 ? "a tie, which counts as " : "";
  return `Point ${row + 1}, class ${signOf(head.labels[row])}${named}: ${valuesOf(head, row)}. `
    + `Its functional margin is now ${real(agreement)}: ${tie}${judged}.`;
}

/** Return whether the names of the two classes are −1 and +1, which add nothing to the signs. */
export function arePlain(classes) {
  return classes.every((name) => /^[+\-−]?1(\.0)?$/.test(name));
}

/** Return the symbol of a feature, such as x₁. */
export function lowered(j, letter) {
  const number = String(j + 1);
  return letter + Array.from(number, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
}

function valuesOf(head, row) {
  const shown = head.points[row].slice(0, MOST_VALUES).map((value, j) => {
    const name = head.features ? shortName(head.features[j]) : lowered(j, "x");
    return `${name} = ${real(value)}`;
  });
  const more = head.n_features - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${whole(more)} more` : "");
}

function lineSentence(head, state, wrong) {
  if (head.kernel) return curveSentence(head, state, wrong);
  if (state.weights.every((weight) => weight === 0)) return "The weights are 0, so there is no line yet.";
  if (wrong === null) return `The line is given by ${weightsAre(head, state)}.`;
  return `The line ${weightsAre(head, state)} ${resultOf(wrong)}.`;
}

function curveSentence(head, state, wrong) {
  if (state.weights.every((weight) => weight === 0)) return "w is 0, so there is no curve yet.";
  const result = wrong === null ? "has not been evaluated yet" : resultOf(wrong);
  return `The curve where the score is 0 ${result}; ${weightsAre(head, state)}.`;
}

function resultOf(wrong) {
  return wrong.length ? `misclassifies ${whole(wrong.length)} of them` : "classifies all of them correctly";
}

function visitSentence(head, state) {
  const { step, epoch, index, agreement } = state;
  const point = `point ${index + 1} of ${whole(head.points.length)} (${signOf(head.labels[index])}) at ${vector(head.points[index])}`;
  return `Step ${whole(step)} of ${whole(head.n_steps)}, pass ${whole(epoch)}: ${point} has functional `
    + `margin ${real(agreement)}:`;
}

function outcomeSentence(head, state) {
  const tie = state.agreement === 0 ? "a tie, which counts as " : "";
  const judged = `${tie}${state.mistake ? "a mistake" : "correct"}`;
  const idle = state.mistake ? "and the rule changes nothing" : "nothing changes";
  if (!state.updated) return `${judged}, ${idle}.`;
  const isStill = isWrong(state.agreementAfter, head.labels[state.index], head.tie);
  const still = isStill ? ", still misclassified" : "";
  const rule = head.rule.replaceAll("_", " ");
  const why = state.mistake ? judged : `${judged}, but the rule ${rule} still updates`;
  const now = real(state.agreementAfter);
  return `${why}. ${weightsBecome(head, state)}; functional margin now ${now}${still}.`;
}

function weightsBecome(head, state) {
  if (head.kernel) {
    const coefficient = state.weights[head.kernel.support.indexOf(state.index)];
    return `Its coefficient becomes ${real(coefficient)}; ${weightsAre(head, state)}`;
  }
  const w = `w becomes ${vector(state.weights)}`;
  if (!head.offset) return w;
  const stays = state.offset === state.before.offset;
  return `${w}, b ${stays ? "stays" : "becomes"} ${real(state.offset)}`;
}

function weightsAre(head, state) {
  if (head.kernel) {
    const carrying = supportSize(state);
    return carrying === 0 ? "w = 0" : `w is a sum over ${counted(carrying, "point")}`;
  }
  return `w = ${vector(state.weights)}${head.offset ? `, b = ${real(state.offset)}` : ""}`;
}

function cycleSentence({ cycle }, step) {
  if (!cycle || step < cycle.start) return "";
  if (step === cycle.start) return "The cycle begins here: this state will occur again.";
  const again = step > cycle.start && (step - cycle.start) % cycle.period === 0;
  return again ? `The state after step ${whole(cycle.start)} has occurred again.` : "";
}

function ended(sentence) {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
