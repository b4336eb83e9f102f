// More than two classes: each against the rest, or with shared mistakes; the largest score decides.

import { KERNELS } from "../../engine/kernels.js";
import { keslerPoints, trainClasses } from "../../engine/multiclass.js";
import { separate } from "../../engine/separation.js";
import { classColour } from "../../viewer/marks.js";
import { real, vector, whole } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { halfOf, regionsOf, square } from "../common.js";

const tidy = (points) => points.map((point) => point.map((x) => Number(x.toFixed(2))));
const wheel = (n, radius, spread) => Array.from({ length: n }, (_, k) => {
  const [x, y] = [radius * Math.cos((2 * Math.PI * k) / n + 0.5), radius * Math.sin((2 * Math.PI * k) / n + 0.5)];
  return [[x + spread, y], [x, y + spread], [x - spread, y], [x, y - spread]];
}).flat();
const fours = (n) => Array.from({ length: 4 * n }, (_, at) => Math.floor(at / 4));
const ROW = [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1]];

export const start = {
  points: [[-2, 1.5], [-1.5, 2.2], [-2.6, 2], [-1.2, 1.4], [-2.1, 0.8], [2.2, 1.6], [1.4, 2.1], [2.7, 2.3], [1.6, 1.1], [2.4, 0.7], [0.1, -1.6], [-0.7, -2.2], [0.8, -2.1], [0.2, -2.7], [-0.2, -1.1]],
  labels: [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2],
  method: "one_vs_rest", sharing: "worst", keep: "last", passes: 20, kernel: "gaussian", degree: 2, gamma: 1,
};

const kernelOf = ({ kernel, degree, gamma }) => KERNELS[kernel](kernel === "polynomial" ? { degree, c: 1 } : { gamma });

export function compute(state) {
  const { points, labels, method, sharing, keep, passes } = state;
  const classes = [...new Set(labels)].sort();
  if (classes.length < 2) return { run: null };
  const run = trainClasses(points, labels, { method, sharing, keep, epochs: passes, ...(method === "kernel" ? { kernel: kernelOf(state) } : {}) });
  const found = points.map((point) => run.predict(point));
  const wrong = found.flatMap(({ answer }, row) => (answer !== labels[row] ? [row] : []));
  const tied = found.flatMap((each, row) => (each.tied ? [row] : []));
  const alone = method === "one_vs_rest" && classes.length > 2 ? classes.map((own) => separate(points, labels.map((label) => (label === own ? 1 : -1))).separable) : null;
  const together = classes.length > 2 && points.length <= 24 ? separate(keslerPoints(points, labels), keslerPoints(points, labels).map(() => 1), { offset: false }).separable : null;
  return { run, wrong, tied, alone, together, separated: wrong.length === 0 && tied.length === 0, separable: together, lines: method !== "kernel" };
}

// the class of a place in floating point, for the thousands of places of the picture
function classAt({ run, lines }, x) {
  const { classes, weights } = run;
  const scores = lines ? weights.map(({ w, b }) => w[0] * x[0] + w[1] * x[1] + b) : run.scores(x);
  if (scores.length === 1) return classes[scores[0] > 0 ? 1 : 0];
  let best = 0;
  for (let at = 1; at < scores.length; at += 1) if (scores[at] > scores[best]) best = at;
  return classes[best];
}

function paint(pen, state, result) {
  const { points, labels, method } = state;
  const { run, wrong, tied } = result;
  if (run) pen.regions(regionsOf([pen.plane.view.x, pen.plane.view.y], (x) => classAt(result, x), result.lines ? 110 : 48, 0));
  pen.grid();
  if (run && (method === "one_vs_rest" || run.weights?.length === 1)) paintLines(pen, run);
  pen.points(points, labels, { size: 6 });
  wrong?.forEach((row) => pen.ring(points[row], "wrong"));
  tied?.forEach((row) => pen.ring(points[row], "now"));
}

function paintLines(pen, { weights, classes }) {
  const size = 0.08 * (pen.plane.view.x[1] - pen.plane.view.x[0]);
  weights.forEach(({ w, b }, at) => {
    const length = Math.hypot(...w);
    if (!length) return;
    const colour = weights.length === 1 ? "--ink" : classColour(classes[at]);
    pen.line(...w, b, { colour });
    const foot = w.map((part) => (-b * part) / length ** 2);
    pen.arrow(foot, foot.map((x, k) => x + (size * w[k]) / length), { colour, text: String(weights.length === 1 ? classes[1] : classes[at]) });
  });
}

function sentences({ method, passes }, { run, wrong, tied, alone, together }) {
  if (!run) return ["Add points of at least two classes."];
  const ended = run.converged ? `converges after ${run.passes} ${run.passes === 1 ? "pass" : "passes"}` : `has not converged after ${passes} passes`;
  const lines = [`Training ${ended}, with ${whole(run.mistakes)} mistakes. ${wrong.length} of the points ${wrong.length === 1 ? "is" : "are"} misclassified${tied.length ? `, and ${tied.length} have a tie for the largest score` : ""}.`];
  const not = alone?.flatMap((separable, at) => (separable ? [] : [run.classes[at]])) ?? [];
  if (method === "one_vs_rest" && not.length) lines.push(`No line separates class ${not.join(" or class ")} from the rest (proved).`);
  if (together !== null) lines.push(together ? "Some linear scores give every point its class (proved by Kesler's construction)." : "No linear scores give every point its class (proved).");
  return lines;
}

function tables({ labels }, { run, alone, lines }) {
  if (!run) return [];
  const one = lines && run.weights.length === 1;
  const rows = run.classes.map((name, at) => [String(name), whole(run.mistakesPerClass[one ? 0 : at] ?? 0), ...(lines && !one ? [vector(run.weights[at].w, 3), real(run.weights[at].b, 3)] : []), ...(alone ? [alone[at] ? "yes" : "no"] : [])]);
  const counts = run.classes.map((name) => labels.filter((label) => label === name).length);
  return [
    { caption: "Classes", head: ["class", "mistakes", ...(lines && !one ? ["w", "b"] : []), ...(alone ? ["a line separates it"] : [])], rows },
    { caption: "True class and prediction", head: ["true", ...run.classes.map(String), "points"], rows: run.confusion.map((row, at) => [String(run.classes[at]), ...row, counts[at]]) },
  ];
}

function python({ points, labels, method, sharing, keep, passes, kernel, degree, gamma }) {
  const data = [assignment("X", points), assignment("y", labels)];
  const common = `keep="${keep}", epochs=${passes}, until="separated", order="given"`;
  if (method === "kernel") {
    const text = kernel === "gaussian" ? `Gaussian(gamma=${gamma})` : `Polynomial(degree=${degree}, gamma=1, coef0=1)`;
    return script("from rosenblatt import KernelPerceptron", `from rosenblatt.kernels import ${text.split("(")[0]}`, "", ...data, `model = KernelPerceptron(kernel=${text}, ${common}).fit(X, y)`, "print(model.predict(X))");
  }
  return script("from rosenblatt import Perceptron", "", ...data, `model = Perceptron(multiclass="${method}"${method === "ultraconservative" ? `, ultraconservative="${sharing}"` : ""}, ${common}).fit(X, y)`, "print(model.coef_, model.intercept_, model.predict(X))");
}

export default {
  start,
  presets: {
    "three clouds": {}, "three in a row": { points: ROW, labels: [0, 0, 1, 1, 2, 2] }, "five in a circle": { points: tidy(wheel(5, 2, 0.45)), labels: fours(5) },
    "one inside": { points: tidy([...wheel(3, 2, 0.5), ...wheel(1, 0, 0.3)]), labels: fours(4) }, "on both sides": { points: [...ROW, [-0.5, -2], [0.5, -2]], labels: [0, 0, 1, 1, 0, 0, 2, 2] },
  },
  points: { classes: [0, 1, 2, 3, 4, 5].map((label) => ({ label, mark: label, name: String(label) })), most: 60 },
  compute,
  planes: [{ key: "plane", label: "Points of several classes and the region of each prediction", points: true, paint, view: ({ points }) => square(halfOf(points, [], 2)) }],
  controls: [
    { name: "method", type: "choice", label: "Method", options: [["one_vs_rest", "one-vs-rest"], ["ultraconservative", "shared mistakes"], ["kernel", "one-vs-rest, kernel"]] },
    { name: "sharing", type: "choice", label: "x is subtracted from", options: [["worst", "the highest rival"], ["uniform", "all rivals, equally"], ["proportional", "all rivals, by lead"]], when: ({ method }) => method === "ultraconservative" },
    { name: "kernel", type: "choice", label: "K(x, z)", options: [["gaussian", "exp(−γ‖x − z‖²)"], ["polynomial", "(x·z + 1)ᵈ"]], when: ({ method }) => method === "kernel" },
    { name: "degree", type: "slider", label: "Degree d", min: 1, max: 6, when: ({ method, kernel }) => method === "kernel" && kernel === "polynomial" },
    { name: "gamma", type: "slider", label: "γ", min: -1.3, max: 1, step: 0.05, to: (place) => Number((10 ** place).toPrecision(2)), from: Math.log10, shown: (gamma) => real(gamma, 2), when: ({ method, kernel }) => method === "kernel" && kernel === "gaussian" },
    { name: "keep", type: "choice", label: "Weights used", options: [["last", "last w"], ["averaged", "averaged w"]] },
    { name: "passes", type: "slider", label: "Most passes", min: 1, max: 100 },
  ],
  sentences, tables, python,
};

