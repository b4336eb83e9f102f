// Questions on more than two classes.

import { start } from "./scene.js";

const ROW = { points: [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1]], labels: [0, 0, 1, 1, 2, 2] };

export const opening = {
  kind: "choice",
  text: "Three classes stand in a row: left, middle, right. Can linear scores, with the largest score as the prediction, give every point its class?",
  options: [
    { text: "No: no line separates the middle class from the other two.", hint: "The middle class need not be separated by a line: its score only has to be the largest." },
    { text: "Yes.", right: true },
    { text: "Only with a kernel.", hint: "Load *three in a row* with *shared mistakes*." },
  ],
  explain: "The score of the middle class can be constant, and those of the others can rise to the left and to the right. One-vs-rest, however, never stops making mistakes.",
};

export const exercises = [
  {
    title: "Predict by scores", note: "004", kind: "choice",
    text: "The scores of three classes at a point are $-3$, $-1$ and $-2$. What does the classifier predict?",
    options: [
      { text: "No class, because no score is positive.", hint: "The prediction is the class with the largest score." },
      { text: "Class 2, with the score −1.", right: true },
      { text: "Class 1, with the largest absolute value.", hint: "−3 is the smallest score." },
    ],
    explain: "$h(x) = \\operatorname{argmax}_l w_l \\cdot x$. Note 004 writes $\\max$, which would be the score itself.",
  },
  {
    title: "How many perceptrons?", note: "004", kind: "number", answer: 10, text: "Handwritten digits have 10 classes. How many perceptrons does one-vs-rest train?", hints: [[(value) => value.equals(45), "That is one for each pair of classes."], [(value) => value.equals(9), "One for each class."]], explain: "One for each class: $l$ against not $l$.",
  },
  {
    title: "A shared mistake", note: "004", kind: "vector", answer: [1, -1],
    text: "A point $x = (2, 1)$ of class 1 is a mistake; the highest rival is class 2, with $w_2 = (3, 0)$. What is $w_2$ after the update?",
    hints: [[([x, y]) => x.equals(5) && y.equals(1), "x is added to the weights of its own class and subtracted from those of the rival."]], explain: "$(3, 0) - (2, 1)$. And $x$ is added to $w_1$.",
  },
  {
    title: "Three in a row", note: "004", kind: "scene", start: { ...start, ...ROW },
    text: "With one-vs-rest the middle class is never learned. Change the training (not the points, and without a kernel) so that **all points are correct**, without ties.",
    check: (state, { separated }) => {
      if (JSON.stringify([state.points, state.labels]) !== JSON.stringify([ROW.points, ROW.labels])) return "Keep the six points.";
      if (state.method === "kernel") return "It works without a kernel, too.";
      return separated || "Some points are still wrong or tied. Should each perceptron be trained alone?";
    },
    example: { method: "ultraconservative" },
    explain: "Shared mistakes train the scores together.",
  },
  {
    title: "A class on both sides", note: "004", kind: "choice", start: { ...start, points: [...ROW.points, [-0.5, -2], [0.5, -2]], labels: [0, 0, 1, 1, 0, 0, 2, 2] },
    text: "Class 0 lies on both sides of class 1. Why can linear scores not give every point its class?",
    options: [
      { text: "Because there are more than two classes.", hint: "Three in a row works." },
      { text: "Because the region where one linear score is the largest is convex.", right: true },
      { text: "Because class 2 is in the way.", hint: "Delete the points of class 2 and try again." },
    ],
    explain: "Between two points of class 0 every point would belong to class 0. A kernel helps.",
  },
  {
    title: "A surrounded class", note: "004", kind: "scene", start: { ...start, method: "ultraconservative", passes: 100 },
    text: "Build four classes, with at least two points each, in which one class is **surrounded** by the three others, and linear scores still get all points right.",
    check: ({ labels, method }, { separated, together }) => {
      const classes = new Set(labels);
      if (method === "kernel") return "Use linear scores.";
      if (classes.size < 4 || [...classes].some((name) => labels.filter((label) => label === name).length < 2)) return "Four classes with at least two points each are needed.";
      if (together === false) return "No linear scores are right for these points.";
      return separated || "Not all points are right yet: more passes?";
    },
  },
];
