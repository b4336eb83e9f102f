// Questions on realizable and non-realizable data.

import { yesOrNo } from "../common.js";
import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "One of 30 labels is wrong, in the middle of the other class. The perceptron makes pass after pass. What happens to its mistakes?",
  options: [
    { text: "One mistake in each pass: the wrong point.", hint: "Each update on the wrong point moves the line, and other points become mistakes. Load *one wrong label*." },
    { text: "They go on for ever, and each pass has several.", right: true },
    { text: "They stop after a while.", hint: "A pass without mistakes would mean that the line separates the points." },
  ],
  explain: "Without a separating line every pass has at least one mistake, and the perceptron does not look for the line with the fewest.",
};

export const exercises = [
  { title: "When is convergence guaranteed?", note: "001", kind: "choice", text: "Are there any cases in which the perceptron is guaranteed to converge?", options: [{ text: "Yes: whenever the points are linearly separable.", right: true }, { text: "Yes: whenever there are more points than features.", hint: "XOR has four points and two features." }, { text: "No.", hint: "Think of the mistake bound." }], explain: "Then $\\gamma > 0$ for some $w^*$, and the bound $(R/\\gamma)^2$ is finite." },
  { title: "Build a realizable set", note: "001", kind: "scene", start: { ...start, wrong: 5, points: start.points, labels: start.labels.map((label, row) => (row === 2 ? -label : label)) }, text: "This set is not realizable. Change **labels or points** until some line separates it; at least 25 points must remain.", check: ({ points }, { separable }) => points.length < 25 ? "At least 25 points must remain." : separable === true || "No line separates the points yet. Which point is on the wrong side of the dashed idea?", example: { points: start.points, labels: start.labels } },
  { title: "What does one pass without mistakes mean?", note: "004", kind: "choice", text: "A whole pass over the training points has no mistake. What follows?", options: [{ text: "The weights will never change again.", right: true }, { text: "Another pass may have mistakes.", hint: "The weights change only at a mistake, and none happened." }, { text: "The test error is 0.", hint: "Only the training points were visited." }], explain: "So the run has converged." },
  { title: "The fewest mistakes", note: "003", kind: "choice", text: "The goal $\\min_h \\sum_i [h(x_i) \\ne y_i]$ is NP-hard in general, even for lines in many dimensions. When does it become easy?", options: [{ text: "If the data are realizable.", right: true }, { text: "If there are few mistakes.", hint: "No: already one unavoidable mistake can make it hard." }, { text: "If the perceptron runs long enough.", hint: "On data that are not realizable, it never stops." }], explain: "A linear program, or the perceptron, finds a separating line if there is one." },
  { title: "More noise, more mistakes?", note: "003", kind: "scene", start: { ...start, passes: 20 }, text: "Choose a number of wrong labels with which the perceptron makes **more than 100 mistakes** in 20 passes.", check: ({ passes }, { mistakes }) => passes !== 20 ? "Keep 20 passes." : mistakes.at(-1) > 100 || `It makes ${mistakes.at(-1)} mistakes.`, example: { wrong: 8, labels: start.labels.map((label, row) => (row % 4 ? label : -label)) } },
  { title: "How to model P(y = 1 | x)?", note: "003", kind: "choice", text: "Note 003 makes the simplest assumption about $P(y = 1 \\mid x)$. Which one?", options: [{ text: "It is 1 if w·x ≥ 0, and 0 otherwise.", right: true }, { text: "It is 1/2 everywhere.", hint: "Then nothing could be learned." }, { text: "It is a Gaussian around w.", hint: "That would be a generative model." }], explain: "This is the assumption of linear separability: no label is random." },
];

/** Ask whether the next pass will have a mistake. */
export function predict({ step }, { run }) {
  const next = run?.passes[step];
  if (!next) return null;
  const has = next.mistakes > 0;
  return yesOrNo(`Will pass ${step + 1} have a mistake?`, has, { yes: "The line now separates all points.", no: "Look at the rings: some points are on the wrong side." }, has ? `${next.mistakes} of them.` : "From now on nothing changes.");
}
