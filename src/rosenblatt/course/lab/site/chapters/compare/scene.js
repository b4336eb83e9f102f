// Perceptron, linear program and support vector machine on the same points.

import { compareSeparators } from "../../engine/comparison.js";
import { separate } from "../../engine/separation.js";
import { real, vector } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { LABELS, classesOf, halfOf, square } from "../common.js";

const NAMES = { perceptron: "perceptron", linear_program: "linear program", largest_margin: "support vector machine" };
const STYLES = { perceptron: { colour: "--ink" }, linear_program: { colour: "--add", dash: [3, 3] }, largest_margin: { colour: "--proof", dash: [10, 4], width: 3 } };

export const start = {
  points: [[1, 2.5], [2.5, 1], [2, 3], [3, 2.5], [0.5, 3.5], [-1, -0.5], [0.5, -1.5], [-2, 0.5], [-1.5, -2], [0, -0.5]],
  labels: [1, 1, 1, 1, 1, -1, -1, -1, -1, -1], order: "given", seed: 0, bands: true,
};

export function compute({ points, labels, order, seed }) {
  if (!labels.includes(1) || !labels.includes(-1)) return { found: [] };
  const verdict = separate(points, labels);
  const found = compareSeparators(points, labels, { order, randomState: seed, maxSteps: 4000 });
  return { found, verdict, separable: verdict.separable, separated: verdict.separable };
}

function paint(pen, { points, labels, bands }, { found, verdict }) {
  const perceptron = found.find(({ name }) => name === "perceptron");
  if (perceptron?.w) pen.halves(...perceptron.w, perceptron.b, { opacity: 0.05 });
  pen.grid();
  for (const { name, w, b, margin } of found) {
    if (!w) continue;
    if (bands && margin > 0) pen.band(...w, b, margin, { colour: STYLES[name].colour, opacity: 0.12 });
    pen.line(...w, b, STYLES[name]);
  }
  pen.points(points, classesOf(labels), { size: 6 });
  if (verdict?.separable) verdict.support.forEach((row) => pen.ring(points[row], "support"));
  found.find(({ name }) => name === "perceptron")?.wrong.forEach((row) => pen.ring(points[row], "wrong"));
}

function sentences(state, { found, separable }) {
  if (!found.length) return ["Both classes are needed."];
  const margin = (name) => found.find((each) => each.name === name).margin;
  if (!separable) return ["No line separates these points (proved): the linear program and the support vector machine (with a hard margin) find none, and the perceptron never stops.", `Perceptron: ${found[0].note}.`];
  const share = margin("perceptron") / margin("largest_margin");
  return [`All three lines separate the points. The perceptron's margin is ${real(margin("perceptron"), 4)}, that of the linear program ${real(margin("linear_program"), 4)}, and the largest possible one ${real(margin("largest_margin"), 4)}.`, `The perceptron reaches ${real(100 * share, 3)} % of the largest margin, after ${found[0].note}.`];
}

export default {
  start,
  presets: {
    "ten points": {}, "a narrow gap": { points: [[0, 1], [2, 1.2], [-2, 1.1], [0, 0.6], [2, 0.4], [-2, 0.5]], labels: [1, 1, 1, -1, -1, -1] },
    "XOR": { points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: [-1, 1, 1, -1] }, "one point far away": { points: [[1, 1], [2, 0.5], [9, 1], [-1, -1], [-2, 0], [0, -1.5]], labels: [1, 1, 1, -1, -1, -1] },
  },
  points: { classes: LABELS, most: 60 },
  compute,
  planes: [{ key: "plane", label: "Points and the lines of three methods", points: true, paint, view: ({ points }) => square(halfOf(points)) }],
  controls: [
    { name: "order", type: "choice", label: "Order of the perceptron", options: [["given", "as given"], ["shuffled", "shuffled"], ["worst_mistake", "the worst mistake"]] },
    { name: "seed", type: "number", label: "Shuffle seed", min: 0, max: 9999, step: 1, when: ({ order }) => order === "shuffled" },
    { name: "bands", type: "toggle", label: "show the margins" },
    { name: "key", type: "note", label: () => "Solid: perceptron. Dots: linear program. Long dashes: support vector machine; its support points are ringed." },
  ],
  sentences,
  tables: (state, { found }) => (found.length ? [{ caption: "Three methods", head: ["method", "w", "b", "margin", "needed"], rows: found.map(({ name, w, b, margin, note }) => [NAMES[name], w ? vector(w, 4) : "–", w ? real(b, 4) : "–", Number.isFinite(margin) ? real(margin, 4) : "–", note]) }] : []),
  python: ({ points, labels, order, seed }) => script("from rosenblatt import halfspace_by_lp, separate, trace", "", assignment("X", points), assignment("y", labels), `print(trace(X, y, epochs=None, until="separated", max_steps=4000, order="${order}"${order === "shuffled" ? `, random_state=${seed}` : ""}))`, "print(halfspace_by_lp(X, y))", "print(separate(X, y))"),
};
