// Realizable or not: points labelled by a hidden line, with or without wrong labels, and the mistakes over time.

import { Random } from "../../engine/random.js";
import { separate } from "../../engine/separation.js";
import { trace } from "../../engine/trace.js";
import { counted, real, whole } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { fewestErrors } from "../boundaries/scene.js";
import { LABELS, classesOf, dot, halfOf, rounded, square } from "../common.js";

/** Return `n` points labelled by a hidden line, at least `gap` from it, of which `wrong` labels are changed. */
export function draw({ n, gap, wrong, seed }) {
  const random = new Random(seed);
  const angle = random.uniform(0, 2 * Math.PI);
  const [w, b] = [[Math.cos(angle), Math.sin(angle)], random.uniform(-0.5, 0.5)];
  const points = [];
  while (points.length < n) {
    const x = [rounded(random.uniform(-3, 3)), rounded(random.uniform(-3, 3))];
    if (Math.abs(dot(w, x) + b) >= gap) points.push(x);
  }
  const rows = random.shuffle(points.map((_, row) => row)).slice(0, wrong);
  return { points, labels: points.map((x, row) => (dot(w, x) + b > 0 ? 1 : -1) * (rows.includes(row) ? -1 : 1)) };
}

const KNOBS = { n: 30, gap: 0.2, wrong: 0, seed: 3 };
const drawn = (part, state) => ({ ...part, ...draw({ ...state, ...part }) });

export const start = { ...KNOBS, ...draw(KNOBS), passes: 20, step: 0 };

export function compute({ points, labels, passes }) {
  if (!labels.includes(1) || !labels.includes(-1)) return { run: null };
  const run = trace(points, labels, { epochs: passes, until: null });
  const verdict = separate(points, labels);
  let made = 0;
  const mistakes = run.passes.map((pass) => (made += pass.mistakes));
  return { run, verdict, mistakes, fewest: verdict.separable ? 0 : fewestErrors(points, labels), separable: verdict.separable, separated: run.passes.at(-1).mistakes === 0 };
}

// the weights after a pass
function after({ run }, pass) {
  const steps = run.passes.slice(0, pass).reduce((sum, { examplesSeen }) => sum + examplesSeen, 0);
  return steps ? run.steps[steps - 1] : { w: run.startW, b: run.startB };
}

function paint(pen, { points, labels, step }, result) {
  if (!result.run) { pen.grid(); pen.points(points, classesOf(labels), { size: 6 }); return; }
  const { w, b } = after(result, step);
  pen.halves(...w, b);
  pen.grid();
  if (result.separable) pen.line(...result.verdict.w, result.verdict.b, { colour: "--proof", dash: true });
  pen.line(...w, b);
  pen.points(points, classesOf(labels), { size: 6 });
  points.forEach((x, row) => { if (labels[row] * (dot(w, x) + b) <= 0) pen.ring(x, "wrong"); });
}

function paintMistakes(pen, { step }, { mistakes, separable, verdict, run }) {
  pen.grid();
  if (!run) return;
  if (separable) {
    const bound = Number(verdict.mostMistakes);
    pen.curve([[0, bound], [mistakes.length, bound]], { colour: "--proof", dash: true });
  }
  pen.curve([[0, 0], ...mistakes.map((made, at) => [at + 1, made])], { colour: "--wrong", width: 2.5 });
  if (step) pen.ring([step, mistakes[step - 1]], "support");
}

function sentences({ step, passes }, { run, mistakes, separable, verdict, fewest, separated }) {
  if (!run) return ["Both classes are needed."];
  const pass = Math.min(step, mistakes.length);
  const now = pass ? `After pass ${pass}: ${counted(mistakes[pass - 1], "mistake")} in all, ${run.passes[pass - 1].mistakes} in this pass.` : "Before the first pass.";
  if (!separable) return [now, `Not realizable: no line separates these points (proved). The best line misclassifies ${fewest}, and the perceptron makes ${whole(mistakes.at(-1))} mistakes in ${passes} passes, with no end.`];
  const first = run.passes.findIndex((each) => each.mistakes === 0);
  return [now, `Realizable: some line separates the points (dashed, margin ${real(verdict.margin, 3)}). ${separated ? `The perceptron makes no mistake from pass ${first + 1} on` : "The perceptron is not done yet"}; the bound allows ${whole(Number(verdict.mostMistakes))} mistakes in all.`];
}

export default {
  start,
  presets: { "realizable": {}, "one wrong label": { wrong: 1, ...draw({ ...KNOBS, wrong: 1 }) }, "five wrong labels": { wrong: 5, ...draw({ ...KNOBS, wrong: 5 }) }, "a wide gap": { gap: 1, ...draw({ ...KNOBS, gap: 1 }) } },
  points: { classes: LABELS, most: 60 },
  compute,
  steps: (state, { run }) => run?.passes.length ?? 0,
  planes: [
    { key: "plane", label: "Points and the line after a pass", points: true, paint, view: ({ points }) => square(halfOf(points)) },
    { key: "mistakes", title: "Mistakes in all, by pass", label: "Mistakes in all by pass", small: true, equal: false, xLabel: "pass", yLabel: "", paint: paintMistakes, view: ({ passes }, { mistakes = [1] } = {}) => [[0, passes], [0, Math.max(3, 1.3 * mistakes.at(-1))]] },
  ],
  controls: [
    { name: "passes", type: "slider", label: "Passes", min: 1, max: 60 },
    { group: "Points", name: "wrong", type: "slider", label: "Wrong labels", min: 0, max: 15, set: (wrong, state) => drawn({ wrong }, state) },
    { group: "Points", name: "gap", type: "slider", label: "Gap", min: 0.05, max: 1.2, step: 0.05, set: (gap, state) => drawn({ gap }, state), shown: (x) => real(x, 2) },
    { group: "Points", name: "n", type: "slider", label: "Number", min: 4, max: 60, set: (n, state) => drawn({ n, wrong: Math.min(state.wrong, n) }, state) },
    { group: "Points", name: "seed", type: "number", label: "Seed", min: 0, max: 9999, step: 1, set: (seed, state) => drawn({ seed }, state) },
  ],
  sentences,
  tables: () => [],
  python: ({ points, labels, passes }) => script("from rosenblatt import separate, trace", "", assignment("X", points), assignment("y", labels), "print(separate(X, y))", `steps = trace(X, y, epochs=${passes})`, "print(steps.mistakes)"),
};
