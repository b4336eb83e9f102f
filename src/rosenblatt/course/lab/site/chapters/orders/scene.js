// Order, averaging, voting: the same points in many orders, and four ways to return weights.

import { averaged, pocket, voted, wrongRows } from "../../engine/averaging.js";
import { trace } from "../../engine/trace.js";
import { real } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { LABELS, classesOf, dot, halfOf, regionsOf, square } from "../common.js";

const KEEPERS = [["last", "last w"], ["averaged", "averaged"], ["voted", "voted"], ["pocket", "pocket"]];

export const start = {
  points: [[0.9, 2.9], [2.6, 1.1], [0.8, -1.2], [0.5, 0.3], [-1.1, -1.3], [0.4, 2.2], [-0.5, -1.6], [-1.4, 1], [2.1, 1.5], [0.4, -0.9], [0.8, 1.9], [0.2, -0.6], [1.7, -1.2], [0.5, -1.3], [1.5, 2.8], [-0.5, 1.6], [1.4, -1.7], [-2.1, -2.1], [-1.8, -1], [-0.2, 0.8], [2.7, 2.9], [1.4, 0.9], [0.9, -1.7], [-3.8, -2.2], [-2.6, -2.3], [1.2, -1.4], [-0.7, -0.3], [0.2, 2], [-0.8, 2.9], [1.4, 1.4], [2.8, 2.7], [-2.1, -0.7], [0.5, 0.9], [2.2, -0.8], [-0.6, -0.8], [1.5, 2.8]],
  labels: [1, 1, -1, -1, -1, 1, -1, 1, 1, -1, 1, -1, -1, 1, 1, 1, -1, -1, -1, 1, 1, 1, -1, -1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1],
  order: "shuffled", offset: true, init: "zeros", epochs: 5, orders: 20, lines: "last", run: 19,
};

// a score of 0 answers −, as predict does
const wrongOf = (score, points, labels) => wrongRows(score, points, labels, "negative").length;

export function compute({ points, labels, order, offset, init, epochs, orders, run: chosen, lines }) {
  if (!points.length) return { runs: [] };
  const settings = { offset, init, epochs, until: null };
  const byClass = points.map((_, row) => row).sort((one, other) => labels[other] - labels[one] || one - other);
  const runOf = (number) => trace(points, labels, { ...settings, order: order === "by class" ? byClass : order, randomState: number });
  const lineOf = (run, keep) => (keep === "averaged" ? averaged(run) : keep === "pocket" ? pocket(run) : run);
  const all = order === "shuffled" ? orders : 1;
  const runs = Array.from({ length: all }, (_, number) => {
    const run = runOf(number);
    const { w, b } = lineOf(run, lines);
    const mean = lines === "averaged" ? averaged(run) : null;
    const wrong = wrongOf(mean ? mean.score : (x) => dot(w, x) + b, points, labels);
    return { number, w, b, mistakes: run.mistakes, wrong, margin: marginOf(w, b, points, labels) };
  });
  const at = Math.min(chosen, all - 1);
  const own = runOf(at);
  const committee = voted(own);
  const kept = { last: own, averaged: averaged(own), pocket: pocket(own) };
  const wrong = {
    last: wrongOf((x) => dot(own.w, x) + own.b, points, labels), averaged: wrongOf(kept.averaged.score, points, labels),
    voted: wrongOf(committee.votes, points, labels), pocket: wrongOf((x) => dot(kept.pocket.w, x) + kept.pocket.b, points, labels),
  };
  return { runs, at, own, kept, committee, wrong, different: new Set(runs.map(({ w, b }) => [...w, b].join())).size, separated: runs.every((run) => run.wrong === 0), separable: null };
}

function marginOf(w, b, points, labels) {
  const length = Math.hypot(...w);
  return length ? Math.min(...points.map((point, row) => (labels[row] * (dot(w, point) + b)) / length)) : 0;
}

const COLOURS = { last: "--ink", averaged: "--w", pocket: "--add" };

function paint(pen, state, result) {
  const { points, labels } = state;
  if (!result.runs.length) { pen.grid(); return; }
  if (state.lines === "voted" || state.shade) pen.regions(regionsOf([pen.plane.view.x, pen.plane.view.y], (x) => (votesFast(result.committee, x) > 0 ? 1 : 0), 72, 0));
  else pen.halves(...result.kept[state.lines === "voted" ? "last" : state.lines].w, result.kept[state.lines].b, { opacity: 0.06 });
  pen.grid();
  for (const { number, w, b } of result.runs) if (number !== result.at) pen.line(...w, b, { width: 1, opacity: 0.45, colour: "--old" });
  for (const [keep, { w, b }] of Object.entries(result.kept)) pen.line(...w, b, { colour: COLOURS[keep], width: keep === state.lines ? 3 : 2, dash: keep === "last" ? null : keep === "averaged" ? [10, 4] : [3, 3] });
  pen.points(points, classesOf(labels), { size: 5 });
}

// the votes in floating point, for the thousands of places of the picture
function votesFast({ members }, [x, y]) {
  let sum = 0;
  for (const { w, b, survival } of members) sum += w[0] * x + w[1] * y + b > 0 ? survival : -survival;
  return sum;
}

function paintChart(pen, { points }, { runs, at }) {
  pen.grid();
  runs.forEach(({ number, wrong }) => pen.area([[number + 0.6, 0], [number + 0.6, wrong], [number + 1.4, wrong], [number + 1.4, 0]], { colour: number === at ? "--w" : "--old", opacity: number === at ? 1 : 0.5 }));
  if (points.length) pen.curve([[0.5, points.length / 2], [runs.length + 1, points.length / 2]], { colour: "--wrong", dash: true, width: 1 });
}

function sentences({ lines, order, points }, { runs, wrong, different, at }) {
  if (!runs.length) return ["Add some points of both classes."];
  const span = (values) => { const [low, high] = [Math.min(...values), Math.max(...values)]; return low === high ? `always ${low}` : `${low} to ${high}`; };
  const name = KEEPERS.find(([key]) => key === lines)[1];
  return [
    order === "shuffled" ? `${runs.length} orders of the same ${points.length} points end in ${different} different lines (${name}), which misclassify ${span(runs.map((run) => run.wrong))} points.` : `One order of the same ${points.length} points.`,
    `Order ${at + 1}: the last w misclassifies ${wrong.last}, the averaged ${wrong.averaged}, the voted ${wrong.voted}, the pocket ${wrong.pocket}.`,
  ];
}

export default {
  start,
  presets: {
    "overlapping classes": {},
    "separable classes": { points: [[1, 2.5], [2.5, 1], [2, 3], [3, 2.5], [0.5, 3.5], [3.5, 0.5], [2.2, 2], [-1, -0.5], [0.5, -1.5], [-2, 0.5], [-1.5, -2], [0, -0.5], [1, -2.5], [-2.5, -1]], labels: [1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], run: 0, epochs: 10 },
    "three points of note 001": { points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], offset: false, run: 0 },
  },
  points: { classes: LABELS, most: 100 },
  compute,
  planes: [
    { key: "plane", label: "Points and the lines of many orders", points: true, paint, view: ({ points }) => square(halfOf(points)) },
    {
      key: "chart", title: "Misclassified points in each order (click one)", label: "Misclassified points in each order", small: true, equal: false, xLabel: "order", yLabel: "", paint: paintChart,
      view: ({ points, order, orders }) => [[0.3, (order === "shuffled" ? orders : 1) + 0.7], [0, Math.max(1, points.length * 0.6)]],
      onPress: ([x], { order, orders }) => ({ run: Math.max(0, Math.min(order === "shuffled" ? orders - 1 : 0, Math.round(x) - 1)) }), pressLabel: "order", pressDoes: "Enter shows this order",
    },
  ],
  controls: [
    { group: "Orders", name: "order", type: "choice", label: "Order", options: [["shuffled", "shuffled"], ["given", "as given"], ["by class", "all +, then all −"]] },
    { group: "Orders", name: "orders", type: "slider", label: "Orders", min: 2, max: 40, when: ({ order }) => order === "shuffled", set: (orders, { run }) => ({ orders, run: Math.min(run, orders - 1) }) },
    { group: "Orders", name: "run", type: "slider", label: "Shown order", min: 0, max: 39, maxOf: ({ orders }) => orders - 1, when: ({ order }) => order === "shuffled", shown: (run) => String(run + 1) },
    { group: "Weights", name: "lines", type: "choice", label: "Thin lines show", options: KEEPERS.filter(([key]) => key !== "voted") },
    { group: "Weights", name: "epochs", type: "slider", label: "Passes", min: 1, max: 20 },
    { group: "Weights", name: "offset", type: "toggle", label: "with an offset b" },
    { group: "Weights", name: "init", type: "choice", label: "Start", options: [["zeros", "w = 0"], ["unit", "the unit vector"]] },
    { group: "Weights", name: "key", type: "note", label: () => "In the shown order: solid the last w, long dashes the averaged, short dashes the pocket." },
  ],
  sentences,
  tables: ({ points }, { runs, wrong, committee }) => (runs.length ? [
    { caption: "The shown order", head: ["weights", "misclassified", "share"], rows: KEEPERS.map(([key, name]) => [name, wrong[key], real(wrong[key] / points.length, 3)]) },
    { caption: "The longest-lived vectors of the vote", head: ["vector", "survived steps"], rows: [...committee.members].map((member, at) => ({ ...member, at })).sort((one, other) => other.survival - one.survival).slice(0, 6).map(({ at, survival }) => [`number ${at + 1}`, survival]) },
  ] : []),
  python: ({ points, labels, order, offset, init, epochs, orders, run }) => script(
    "from rosenblatt import Perceptron, over_orders", "", assignment("X", points), assignment("y", labels),
    `settings = dict(offset=${offset ? "True" : "False"}, init="${init}", epochs=${epochs})`,
    order === "shuffled" ? `print(over_orders(Perceptron(**settings), X, y, orders=${orders}))` : null,
    `order = ${order === "by class" ? "sorted(range(len(y)), key=lambda row: -y[row])" : JSON.stringify(order)}`,
    "for keep in [\"last\", \"averaged\", \"voted\", \"pocket\"]:",
    `    model = Perceptron(keep=keep, order=order, random_state=${run}, **settings).fit(X, y)`,
    "    print(keep, (model.predict(X) != y).sum())"),
};
