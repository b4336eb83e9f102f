// Averaging step by step: the running sum of the weights, and the members of the voted perceptron.

import { averaged, voted } from "../../engine/averaging.js";
import { trace } from "../../engine/trace.js";
import { counted, real, vector } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { LABELS, classesOf, halfOf, regionsOf, signOf, square } from "../common.js";

export const start = {
  points: [[2, 1], [0, 2], [-0.5, -2], [1.5, -1], [-1.5, 0.5], [0.5, 0.5]], labels: [1, -1, 1, 1, -1, -1],
  offset: false, tie: "mistake", passes: 3, show: "averaged", step: 0,
};

export function compute({ points, labels, offset, tie, passes }) {
  if (!points.length) return { run: null };
  const run = trace(points, labels, { offset, tie, epochs: passes, until: null });
  return { run, separated: run.passes.at(-1)?.mistakes === 0, separable: null };
}

/** Return the running sum, the mean and the committee after the step that a state shows; nulls before the first. */
export function kept(state, { run }) {
  const step = Math.min(state.step, run.steps.length);
  if (!step) return { step, mean: null, committee: null, w: run.startW, b: run.startB };
  const { w, b } = run.steps[step - 1];
  return { step, mean: averaged(run, step), committee: voted(run, step), w, b };
}

function votes({ members }, [x, y]) {
  let sum = 0;
  for (const { w, b, survival } of members) sum += w[0] * x + w[1] * y + b > 0 ? survival : -survival;
  return sum;
}

function paint(pen, state, result) {
  const { points, labels } = state;
  if (!result.run) { pen.grid(); return; }
  const { step, mean, committee, w, b } = kept(state, result);
  if (state.show === "voted" && committee) pen.regions(regionsOf([pen.plane.view.x, pen.plane.view.y], (x) => (votes(committee, x) > 0 ? 1 : 0), 80, 0));
  else pen.halves(...(mean?.w ?? w), mean?.b ?? b);
  pen.grid();
  const most = committee ? Math.max(...committee.members.map(({ survival }) => survival)) : 1;
  committee?.members.forEach((member) => pen.line(...member.w, member.b, { colour: "--old", width: 1 + (3 * member.survival) / most, opacity: 0.5 }));
  pen.line(...w, b, { width: 2 });
  if (mean) {
    pen.line(...mean.w, mean.b, { colour: "--w", width: 3, dash: [10, 4] });
    pen.arrow([0, 0], mean.w, { colour: "--w", width: 3, text: "mean" });
  }
  pen.arrow([0, 0], w, { width: 2, text: w.some(Boolean) ? "w" : "", side: -1 });
  pen.points(points, classesOf(labels), { size: 6 });
  points.forEach((point, row) => pen.text(point, `  ${row + 1}`, { colour: "--quiet" }));
  if (step) pen.ring(result.run.steps[step - 1].x, "now");
}

// each vector with the number of steps that it survived
function paintSurvival(pen, state, result) {
  pen.grid();
  if (!result.run) return;
  const { committee } = kept(state, result);
  committee?.members.forEach(({ survival }, at) => pen.area([[at + 0.6, 0], [at + 0.6, survival], [at + 1.4, survival], [at + 1.4, 0]], { colour: "--w", opacity: 0.8 }));
}

function sentences(state, result) {
  const { run } = result;
  if (!run) return ["Add some points of both classes."];
  const { step, mean, committee, w } = kept(state, result);
  if (!step) return ["Start: w = 0 and the running sum is 0. No step has been made yet."];
  const made = run.steps[step - 1];
  const offset = state.offset ? `, b = ${real(made.b)}` : "";
  return [
    `Step ${step}, pass ${made.pass}: point ${made.row + 1} (${signOf(made.y)}) is ${made.mistake ? "a mistake" : "correct"}. w = ${vector(w)}${offset} is added to the sum: ${vector(mean.sum.w)}${state.offset ? `, ${real(mean.sum.b)}` : ""}. The mean is ${vector(mean.w, 4)}.`,
    `${counted(committee.members.length, "vector")} so far; the longest-lived survived ${counted(Math.max(...committee.members.map(({ survival }) => survival)), "step")}.`,
  ];
}

function tables(state, result) {
  if (!result.run) return [];
  const { step, committee } = kept(state, result);
  const from = Math.max(0, Math.min(step - 6, result.run.steps.length - 12));
  const rows = result.run.steps.slice(from, from + 12).map((made, k) => {
    const { sum } = averaged(result.run, from + k + 1);
    return [from + k + 1, made.row + 1, made.mistake ? "mistake" : "", vector(made.w), ...(state.offset ? [real(made.b)] : []), vector(sum.w)];
  });
  const list = [{ caption: "The running sum (points count from 1)", head: ["step", "point", "", "w", ...(state.offset ? ["b"] : []), "sum of w"], rows, mark: step - 1 - from }];
  if (committee) list.push({ caption: "The vectors of the vote", head: ["number", "w", ...(state.offset ? ["b"] : []), "votes"], rows: committee.members.slice(0, 20).map(({ w, b, survival }, at) => [at + 1, vector(w), ...(state.offset ? [real(b)] : []), survival]) });
  return list;
}

export default {
  start,
  presets: {
    "six points": {}, "001-perceptron": { points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], tie: "negative", passes: 2 },
    "one late outlier": { points: [[1, 2], [2, 1], [2, 2], [-1, -2], [-2, -1], [-1, -1], [2.5, 1.5]], labels: [1, 1, 1, -1, -1, -1, -1], passes: 2 },
  },
  points: { classes: LABELS, most: 60 },
  compute,
  steps: (state, { run }) => run?.steps.length ?? 0,
  planes: [
    { key: "plane", label: "Points, the line of w, and the line of the mean", points: true, paint, view: ({ points }) => square(halfOf(points)) },
    { key: "survival", title: "Votes of each vector", label: "How many steps each vector survived", small: true, equal: false, xLabel: "vector", yLabel: "", paint: paintSurvival, view: (state, { run } = {}) => { const members = run ? voted(run).members : []; return [[0.4, Math.max(3, members.length) + 0.6], [0, Math.max(3, ...members.map(({ survival }) => survival)) * 1.05]]; } },
  ],
  controls: [
    { name: "passes", type: "slider", label: "Passes T", min: 1, max: 10 },
    { name: "offset", type: "toggle", label: "with an offset b" },
    { name: "tie", type: "choice", label: "A score of 0 is", options: [["mistake", "a mistake"], ["negative", "predicted as −"], ["positive", "predicted as +"]] },
    { name: "show", type: "choice", label: "Colour the sides of", options: [["averaged", "the mean"], ["voted", "the vote"]] },
    { name: "key", type: "note", label: () => "Solid: the present w. Long dashes: the mean. Thin lines: earlier vectors, thicker with more votes." },
  ],
  sentences, tables,
  python: ({ points, labels, offset, tie, passes }) => script("import numpy as np", "from rosenblatt import Perceptron, trace", "", assignment("X", points), assignment("y", labels), `settings = dict(offset=${offset ? "True" : "False"}, tie="${tie}", epochs=${passes})`, "steps = trace(X, y, **settings)", "total = np.sum([step.weights for step in steps], axis=0)  # the running sum", "print(total / len(steps))", "voted = Perceptron(keep=\"voted\", order=\"given\", **settings).fit(X, y)", "print(voted.survival_)"),
};

