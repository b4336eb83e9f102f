// Questions on perceptron, linear program and support vector machine.

import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "The classes are separable. Does the perceptron find the line with the largest margin?",
  options: [
    { text: "Yes: it stops when the margin is largest.", hint: "It stops at the first line without mistakes." },
    { text: "Usually not.", right: true },
    { text: "Yes, if the points are shuffled.", hint: "Try other orders: the line changes, and the margin too." },
  ],
  explain: "The perceptron does not optimise the margin. The support vector machine does.",
};

export const exercises = [
  { title: "Inequalities", note: "000", kind: "number", answer: 50, text: "A linear program for a halfspace that is consistent with $m = 50$ training examples: how many inequalities does it have?", hints: [[(value) => value.equals(100), "One for each example."]], explain: "$w \\cdot x \\ge \\theta$ for each positive and $w \\cdot x < \\theta$ for each negative example." },
  { title: "Why not always a linear program?", note: "000", kind: "choice", text: "Why does note 000 prefer the perceptron?", options: [{ text: "The linear program may fail although a line exists.", hint: "It always finds one if there is one." }, { text: "A linear program is expensive for many examples and features.", right: true }, { text: "The perceptron has a larger margin.", hint: "Compare the margins in the table for several examples." }], explain: "Each step of the perceptron costs one inner product." },
  {
    title: "A lucky order", note: "004", kind: "scene", start: { ...start }, text: "Keep the points. Find an order in which the perceptron reaches at least **75 %** of the largest margin.",
    check: (state, { found }) => {
      if (JSON.stringify([state.points, state.labels]) !== JSON.stringify([start.points, start.labels])) return "Keep the ten points.";
      const share = found[0].margin / found[2].margin;
      return share >= 0.75 || `It reaches ${Math.round(100 * share)} %. Shuffle with other seeds.`;
    },
    example: { order: "shuffled", seed: 1 }, explain: "The order decides which of the many separating lines is found.",
  },
  { title: "Which points matter?", note: "004", kind: "choice", text: "A point of class + that is far from the boundary is moved a little. Which line can change?", options: [{ text: "The line of the support vector machine.", hint: "It depends only on the ringed points." }, { text: "The line of the perceptron.", right: true }], explain: "If the point is ever a mistake, its coordinates enter the perceptron's $w$. The largest margin depends only on the support points." },
  { title: "Not separable", note: "004", kind: "choice", start: { ...start, points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: [-1, 1, 1, -1] }, text: "The classes are not separable. What do the three methods do?", options: [{ text: "All three find the line with the fewest mistakes.", hint: "That problem is NP-hard in general." }, { text: "The perceptron never stops; the other two report that there is no line.", right: true }, { text: "All three run for ever.", hint: "A linear program stops: it is infeasible." }], explain: "A linear program proves that no line exists. (The usual support vector machine allows some mistakes, with a penalty.)" },
];
