// Questions on boundaries drawn by hand.

import { start } from "./scene.js";

const bare = { margins: false, best: false };

export const opening = {
  kind: "choice",
  text: "Two lines both classify all training points correctly. Are they equally good boundaries?",
  options: [
    { text: "Yes: their training error is 0.", hint: "Draw a line that nearly touches a point, then one in the middle. Which one would you trust with a new point?" },
    { text: "Not for new points: a line with more room on both sides is safer.", right: true },
    { text: "The one with the longer w is better.", hint: "The length of w does not change the line." },
  ],
  explain: "The training error does not distinguish them, but the distance to the nearest point, the margin, does.",
};

export const exercises = [
  {
    title: "A good boundary", note: "001", kind: "scene", start: { ...start, ...bare, a: [-3, 3], z: [-3, -3] },
    text: "Draw a line that classifies all points correctly.",
    check: (state, { wrong, isLine }) => (isLine && wrong.length === 0) || (wrong.length === state.points.length ? "Every point is on the wrong side: swap the sides." : `${wrong.length} points are on the wrong side; they are marked.`),
    example: { a: [-3, 3.4], z: [4, -3.2] },
  },
  {
    title: "A bad boundary", note: "001", kind: "scene", start: { ...start, ...bare },
    text: "Draw a line with a training error of **exactly one half**: 7 of the 14 points are wrong.",
    check: (state, { wrong }) => wrong.length === 7 || `${wrong.length} points are wrong now.`,
    example: { a: [3.9, 3.8], z: [3.9, -3], turned: true },
  },
  {
    title: "The widest margin", note: "004", kind: "scene", start: { ...start, ...bare },
    text: "The perceptron stops at any line without mistakes. Draw one that reaches at least **90 %** of the largest possible margin.",
    check: (state, { margin, verdict, wrong }) => {
      if (wrong.length) return "Not all points are correct yet.";
      return margin >= 0.9 * verdict.margin || `Your margin is ${Math.round((100 * margin) / verdict.margin)} % of the largest one. Which points are nearest? Move the line away from them, then turn it.`;
    },
    explain: "The support vector machine computes the line with the largest margin.",
  },
  {
    title: "Compute a training error", note: "002", kind: "number", answer: "3/14",
    text: "A line misclassifies 3 of 14 points. What is its training error $E_n(h)$?",
    hints: [[(value) => value.equals(3), "The error is a mean: divide by the number of points."], [(value) => value.equals("11/14"), "That is the share of correct points."]],
    explain: "$E_n(h) = \\frac{1}{n} \\sum_i [\\, h(x_i) \\ne y_i \\,]$.",
  },
  {
    title: "Points that need an offset", note: "001", kind: "scene", start: { ...start, ...bare, points: [], labels: [], a: [-3, 0], z: [3, 0] },
    text: "Can you think of labelled points that can be separated only with an offset? Place at least two points that a line separates, but **no line through the origin**.",
    check: (state, { verdict }) => {
      if (!verdict) return "Both classes are needed.";
      if (!verdict.separable) return "No line at all separates these points.";
      return !throughOrigin(state) || "A line through the origin also separates them. Think of two points on one ray from the origin.";
    },
    example: { points: [[1, 1], [2, 2]], labels: [-1, 1] },
    explain: "Two points on one ray from the origin, with different labels, are enough: every line through the origin leaves them on the same side.",
  },
  {
    title: "Points that no line separates", note: "001", kind: "scene", start: { ...start, ...bare, points: [], labels: [], a: [-3, 0], z: [3, 0] },
    text: "Can you think of points that even a line with an offset cannot separate? Use at most **four** points, all in different places.",
    check: (state, { verdict }) => {
      if (!verdict) return "Both classes are needed.";
      if (state.points.length > 4) return "Use at most four points.";
      if (new Set(state.points.map(String)).size < state.points.length) return "Two points are at the same place.";
      return !verdict.separable || "Some line separates these points. The segments between the points of each class must meet.";
    },
    example: { points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: [-1, 1, 1, -1] },
    explain: "XOR is the classical example; three points on a line, + − +, also work.",
  },
  {
    title: "The fewest mistakes", note: "003", kind: "scene", start: { ...start, ...bare, points: [...start.points, [2.5, 2.5], [-1, -1.5]], labels: [...start.labels, -1, 1] },
    text: "No line separates these points. Draw a line with the **fewest** mistakes.",
    check: (state, { wrong, fewest }) => wrong.length === fewest || `Your line misclassifies ${wrong.length} points; fewer are possible.`,
    example: { a: [-3, 3.4], z: [4, -3.2] },
    explain: "For points in the plane all lines can be tried. With many features, finding the fewest mistakes is NP-hard.",
  },
];

function throughOrigin({ points, labels }) {
  // all y·x in an open half plane: some point is the first in the order of angles
  const rows = points.map(([x, y], row) => [labels[row] * x, labels[row] * y]);
  if (rows.some(([x, y]) => !x && !y)) return false;
  return rows.some((first) => rows.every((row) => {
    const cross = first[0] * row[1] - first[1] * row[0];
    return cross > 0 || (cross === 0 && first[0] * row[0] + first[1] * row[1] > 0);
  }));
}
