// Every step is also a sentence, for the eye and for screen readers.

import { counted, real, vector, whole } from "./numbers.js";

/** Whether an answer with this agreement is wrong; `tie` says what a score of 0 means. */
export function isWrong(agreement, label, tie) {
  if (agreement !== 0) return agreement < 0;
  return tie === "mistake" || (tie === "negative" ? label > 0 : label < 0);
}

/** "Step 4 of 12, pass 2: point 0 (+) at (2, 1) has agreement −1: a mistake. w becomes (2, −1) …" */
export function stepSentence(head, state) {
  if (state.step === 0) return `Start: ${weightsAre(head, state)}. No point has been looked at yet.`;
  const said = [`${lookedAt(head, state)} ${whatCameOfIt(head, state)}`];
  const cycle = cycleSentence(head, state.step);
  if (cycle) said.push(cycle);
  if (state.step === head.n_steps) said.push(`End of the run: ${ended(head.ending)}`);
  return said.join(" ");
}

/** What the picture shows, for who cannot see it. */
export function pictureSentence(head, state, nWrong) {
  const all = head.labels.length;
  const positive = head.labels.filter((label) => label > 0).length;
  const sides = `${whole(positive)} of class + and ${whole(all - positive)} of class −`;
  const result = nWrong === 0 ? "all of them right" : `${whole(nWrong)} of them wrong`;
  const line = state.weights.some((weight) => weight !== 0)
    ? `The line of ${weightsAre(head, state)} gets ${result}.`
    : "The weights are 0, so there is no line yet.";
  return `Picture of ${counted(all, "point")}, ${sides}. ${line}`;
}

/** The sign of a class. */
export function signOf(label) {
  return label > 0 ? "+" : "−";
}

/** A name of bearable length: they come from files of strangers. */
export function shortName(name) {
  const letters = Array.from(name);
  return letters.length > 40 ? `${letters.slice(0, 38).join("")}…` : name;
}

function lookedAt(head, state) {
  const { step, epoch, index, agreement } = state;
  const point = `point ${index} (${signOf(head.labels[index])}) at ${vector(head.points[index])}`;
  return `Step ${whole(step)} of ${whole(head.n_steps)}, pass ${whole(epoch)}: ${point} has agreement `
    + `${real(agreement)}:`;
}

function whatCameOfIt(head, state) {
  const tie = state.agreement === 0 ? "a tie, which counts as " : "";
  const judged = `${tie}${state.mistake ? "a mistake" : "right"}`;
  const idle = state.mistake ? "and the rule changes nothing" : "nothing changes";
  if (!state.updated) return `${judged}, ${idle}.`;
  const still = isWrong(state.agreementAfter, head.labels[state.index], head.tie) ? ", still wrong" : "";
  const why = state.mistake ? judged : `${judged}, but the rule ${head.rule.replaceAll("_", " ")} goes on`;
  return `${why}. ${weightsBecome(head, state)}; agreement now ${real(state.agreementAfter)}${still}.`;
}

function weightsBecome(head, state) {
  const w = `w becomes ${vector(state.weights)}`;
  if (!head.offset) return w;
  const stays = state.offset === state.before.offset;
  return `${w}, b ${stays ? "stays" : "becomes"} ${real(state.offset)}`;
}

function weightsAre(head, state) {
  return `w = ${vector(state.weights)}${head.offset ? `, b = ${real(state.offset)}` : ""}`;
}

function cycleSentence({ cycle }, step) {
  if (!cycle || step < cycle.start) return "";
  if (step === cycle.start) return "Here the cycle begins: this state will come again.";
  const again = step > cycle.start && (step - cycle.start) % cycle.period === 0;
  return again ? `The state after step ${whole(cycle.start)} has come again.` : "";
}

function ended(sentence) {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
