// XOR and what helps: the line whose run cycles, polynomials and kernels, step by step.

import { KERNELS } from "../../engine/kernels.js";
import { kernelTrace, partsAt } from "../../engine/kernel_trace.js";
import { monomials, orderedProducts, polynomialText } from "../../engine/polynomials.js";
import { separate } from "../../engine/separation.js";
import { cycleText, trace } from "../../engine/trace.js";
import { counted, real, vector, whole } from "../../viewer/numbers.js";
import { assignment, call, script } from "../../shell/python.js";
import { LABELS, asSentence, classesOf, dot, halfOf, isWrong, regionsOf, signOf, square } from "../common.js";

const MOST_STEPS = 2500;
const XOR_LABELS = [-1, 1, 1, -1];
const tidy = (points) => points.map((point) => point.map((x) => Number(x.toFixed(2))));
const around = (n, radius, turn = 0) => Array.from({ length: n }, (_, k) => [radius * Math.cos((2 * Math.PI * (k + turn)) / n), radius * Math.sin((2 * Math.PI * (k + turn)) / n)]);
const halves = (n, first) => Array.from({ length: 2 * n }, (_, k) => (k < n ? first : -first));
const moons = () => [...Array.from({ length: 12 }, (_, k) => [Math.cos((k * Math.PI) / 11) - 0.5, Math.sin((k * Math.PI) / 11) - 0.25]), ...Array.from({ length: 12 }, (_, k) => [0.5 - Math.cos((k * Math.PI) / 11), 0.25 - Math.sin((k * Math.PI) / 11)])];
const spiral = () => [1, -1].flatMap((side) => Array.from({ length: 18 }, (_, k) => [side * (0.35 + 0.09 * k) * Math.cos(0.5 + 0.3 * k), side * (0.35 + 0.09 * k) * Math.sin(0.5 + 0.3 * k)]));

export const start = {
  points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: XOR_LABELS,
  method: "line", degree: 2, c: 0, gamma: 1, tie: "mistake", keep: "last", budget: 0, passes: 50, step: 0,
};

export const kernelOf = ({ method, degree, c, gamma }) => KERNELS[method](method === "polynomial" ? { degree, c } : { gamma });
const limitOf = ({ budget }) => budget || Infinity; // updates of which w is the sum

export function compute(state) {
  const { points, labels, method, tie, passes } = state;
  if (!points.length) return { run: null };
  const both = labels.includes(1) && labels.includes(-1);
  if (method === "line") {
    const run = trace(points, labels, { tie, epochs: null, until: "separated", maxSteps: MOST_STEPS });
    const verdict = both ? separate(points, labels) : null;
    return { run, verdict, separated: run.separated, separable: verdict?.separable ?? null, wrong: run.separated ? [] : points.flatMap((x, row) => (isWrong(labels[row] * (dot(run.w, x) + run.b), labels[row], tie) ? [row] : [])) };
  }
  const kernel = kernelOf(state);
  const run = kernelTrace(points, labels, kernel, { tie, budget: limitOf(state), epochs: passes, until: "separated", maxSteps: MOST_STEPS });
  const verdict = both && isSmall(state) ? separate(points.map((x) => orderedProducts(x, state.degree, state.c ? 1 : null)), labels, { offset: false }) : null;
  return { run, kernel, verdict, separated: run.separated, separable: verdict?.separable ?? null, wrong: run.wrong, polynomial: method === "polynomial" && state.degree <= 4 ? writtenOut(state, run) : null };
}

// the margin in the space of products is computed only where it is quick and the products are exact
const isSmall = ({ method, degree, c, points }) => method === "polynomial" && degree <= 2 && (c === 0 || c === 1) && points.length <= 24;

function writtenOut({ degree, c }, { coefficients, points }) {
  const { powers, weights } = monomials(2, { degree, c });
  const sums = powers.map((power, at) => weights[at] * [...coefficients].reduce((sum, [row, part]) => sum + part * power.reduce((product, j) => product * points[row][j], 1), 0));
  return polynomialText(powers, sums.map((value) => (Math.abs(value) < 1e-12 ? 0 : value)));
}

function paint(pen, state, result) {
  const { points, labels } = state;
  if (!result.run) { pen.grid(); return; }
  const step = Math.min(state.step, result.run.steps.length);
  const made = step ? result.run.steps[step - 1] : null;
  if (state.method === "line") paintLine(pen, state, result, step);
  else {
    const parts = [...partsAt(result.run.steps, step, { keep: state.keep, budget: limitOf(state) })];
    const score = (x) => parts.reduce((sum, [row, part]) => sum + part * result.kernel.value(points[row], x), 0);
    if (parts.length) pen.regions(regionsOf([pen.plane.view.x, pen.plane.view.y], (x) => (score(x) > 0 ? 1 : 0), 88, 0));
    pen.grid();
    pen.points(points, classesOf(labels), { size: 6 });
    parts.forEach(([row, part]) => part && pen.ring(points[row], "support"));
    points.forEach((x, row) => { if (isWrong(labels[row] * score(x), labels[row], state.tie)) pen.ring(x, "wrong"); });
  }
  if (made) pen.ring(points[made.row], "now");
}

function paintLine(pen, { points, labels, tie }, { run }, step) {
  const { w, b } = step ? run.steps[step - 1] : { w: run.startW, b: run.startB };
  pen.halves(...w, b);
  pen.grid();
  if (run.cycle && step >= run.cycle.start) {
    const seen = new Set();
    run.steps.slice(run.cycle.start, run.cycle.start + run.cycle.period).forEach((other) => {
      const key = [...other.w, other.b].join();
      if (!seen.has(key)) pen.line(...other.w, other.b, { dash: true, width: 1.5, colour: "--old" });
      seen.add(key);
    });
  }
  pen.line(...w, b);
  pen.arrow([0, 0], w, { colour: "--w", width: 3, text: w.some(Boolean) ? "w" : "" });
  pen.points(points, classesOf(labels), { size: 6 });
  points.forEach((x, row) => { if (isWrong(labels[row] * (dot(w, x) + b), labels[row], tie)) pen.ring(x, "wrong"); });
}

function stepText(state, { run }) {
  const step = Math.min(state.step, run.steps.length);
  if (!step) return "Start: w = 0. No step has been made yet.";
  const made = run.steps[step - 1];
  const tie = made.margin === 0 ? "a tie, which counts as " : "";
  const outcome = made.updated ? `${tie}a mistake; its functional margin becomes ${real(made.marginAfter, 4)}` : `${tie}correct, nothing changes`;
  const size = state.method === "line" ? `w = ${vector(made.w)}, b = ${real(made.b)}` : `w is now a sum over ${counted(made.support, "point")}`;
  return `Step ${whole(step)}, pass ${made.pass}: point ${made.row + 1} (${signOf(made.y)}) at ${vector(state.points[made.row])} has functional margin ${real(made.margin, 4)}: ${outcome}; ${size}.`;
}

function sentences(state, result) {
  const { run, verdict, wrong, polynomial, kernel } = result;
  if (!run) return ["Add some points of both classes."];
  const end = run.separated ? `The run ends after ${counted(run.mistakes, "mistake")}.` : run.cycle ? asSentence(cycleText(run.cycle, state.method === "line" ? null : state.passes)) : `After ${whole(run.steps.length)} steps and ${whole(run.mistakes)} mistakes, ${counted(wrong.length, "point")} misclassified.`;
  const space = state.method === "line" ? "line" : "hyperplane through the origin of the space of products";
  const proof = !verdict ? "" : verdict.separable ? (state.method === "line" ? "" : ` The margin in the space of products is ${real(verdict.margin, 4)}${!state.budget || state.budget >= verdict.mostMistakes ? `: at most ${verdict.mostMistakes} mistakes` : ""}.`) : ` No ${space} separates the points (proved).`;
  const p = polynomial && state.keep === "last" && polynomial.length < 120 ? [`p(x) = ${polynomial}`] : [];
  return [stepText(state, result), `${kernel ? `K(x, z) = ${kernel.formula.replace(/\^(\d)/, (_, d) => "⁰¹²³⁴⁵⁶⁷⁸"[d])}. ` : ""}${end}${proof}`, ...p];
}

function python(state) {
  const { points, labels, method, degree, c, gamma, tie, passes, budget } = state;
  const data = [assignment("X", points), assignment("y", labels)];
  if (method === "line") return script("from rosenblatt import separate, trace", "", ...data, call("steps = trace", ["X", "y"], { tie, epochs: null, until: "separated", max_steps: MOST_STEPS }), "print(steps)", "print(separate(X, y))");
  const kernel = method === "polynomial" ? `Polynomial(degree=${degree}, gamma=1, coef0=${c})` : `${method[0].toUpperCase()}${method.slice(1)}(gamma=${gamma})`;
  if (budget) {
    return script("from rosenblatt import KernelPerceptron", "from rosenblatt.budgets import Oldest", `from rosenblatt.kernels import ${kernel.split("(")[0]}`, "", ...data,
      call("model = KernelPerceptron", [`kernel=${kernel}`, `budget=Oldest(${budget})`], { keep: "last", tie, order: "given", epochs: passes, until: "separated" }), "model.fit(X, y)", "print(model.mistakes_, model.support_)");
  }
  return script("from rosenblatt import trace", `from rosenblatt.kernels import ${kernel.split("(")[0]}`, "", ...data, call("steps = trace", ["X", "y", `kernel=${kernel}`], { tie, offset: false, epochs: passes, until: "separated" }), "print(steps)");
}

const isPower = ({ method }) => method === "polynomial";

export default {
  start,
  presets: {
    "XOR on {−1, 1}²": {}, "XOR on {0, 1}²": { points: [[0, 0], [0, 1], [1, 0], [1, 1]] },
    "XOR with (x·z)²": { method: "polynomial" }, "XOR on {0, 1}² with (x·z + 1)²": { points: [[0, 0], [0, 1], [1, 0], [1, 1]], method: "polynomial", c: 1 },
    "circles": { points: tidy([...around(12, 0.6), ...around(12, 1.2, 0.5)]), labels: halves(12, 1), method: "polynomial", c: 1 },
    "two moons": { points: tidy(moons()), labels: halves(12, 1), method: "gaussian", gamma: 2 },
    "a spiral": { points: tidy(spiral()), labels: halves(18, 1), method: "gaussian", gamma: 3 },
    "a spiral on a budget": { points: tidy(spiral()), labels: halves(18, 1), method: "laplacian", gamma: 3, budget: 10 },
  },
  points: { classes: LABELS, most: 100 },
  compute,
  steps: (state, { run }) => run?.steps.length ?? 0,
  planes: [{ key: "plane", label: "Points of two classes and the region of each prediction", points: true, paint, view: ({ points }) => square(halfOf(points, [], 1.3)) }],
  controls: [
    { group: "Model", name: "method", type: "choice", label: "Method", options: [["line", "a line"], ["polynomial", "kernel (x·z + c)ᵈ"], ["gaussian", "Gaussian kernel"], ["laplacian", "Laplacian kernel"]] },
    { group: "Model", name: "degree", type: "slider", label: "Degree d", min: 1, max: 8, when: isPower },
    { group: "Model", name: "c", type: "slider", label: "c", min: 0, max: 4, step: 0.25, when: isPower, shown: (c) => real(c) },
    { group: "Model", name: "gamma", type: "slider", label: "γ", min: -1.3, max: 1, step: 0.05, when: ({ method }) => method === "gaussian" || method === "laplacian", to: (place) => Number((10 ** place).toPrecision(2)), from: Math.log10, shown: (gamma) => real(gamma, 2) },
    { group: "Model", name: "budget", type: "slider", label: "Budget: last updates", min: 0, max: 40, when: ({ method }) => method !== "line", shown: (budget) => (budget ? `${budget}` : "no limit") },
    { group: "Model", name: "tie", type: "choice", label: "A score of 0 is", options: [["mistake", "a mistake"], ["negative", "predicted as −"], ["positive", "predicted as +"]] },
    { group: "Model", name: "keep", type: "choice", label: "Picture shows", options: [["last", "last w"], ["averaged", "averaged w"]], when: ({ method, budget }) => method !== "line" && !budget },
    { group: "Model", name: "passes", type: "slider", label: "Most passes", min: 1, max: 50, when: ({ method }) => method !== "line" },
    { group: "Steps", name: "end", type: "action", label: "Show the end of the run", do: () => ({ step: MOST_STEPS }) },
  ],
  sentences,
  tables: (state, { run, kernel }) => (kernel && run ? [{ caption: "w as a sum over points", head: ["point", "x", "coefficient"], rows: [...run.coefficients].slice(0, 12).map(([row, part]) => [row + 1, vector(state.points[row]), real(part)]) }] : []),
  python,
};
