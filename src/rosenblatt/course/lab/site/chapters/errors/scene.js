// Training and test error after each pass, by the last, the averaged and the voted weights.

import { averaged } from "../../engine/averaging.js";
import { errorsByPass } from "../../engine/errors_by_pass.js";
import { Random } from "../../engine/random.js";
import { trace } from "../../engine/trace.js";
import { real } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { LABELS, classesOf, halfOf, rounded, square } from "../common.js";

const TEST = 300;

/** Return `n` points of two clouds whose distance is `apart`, with a share of wrong labels. */
export function draw(n, apart, flipped, ...seeds) {
  const random = new Random(...seeds);
  const labels = Array.from({ length: n }, (_, at) => (at % 2 ? -1 : 1));
  const points = labels.map((label) => [rounded((label * apart) / 2 + random.normal()), rounded((label * apart) / 4 + random.normal())]);
  return { points, labels: labels.map((label) => (random.uniform() < flipped ? -label : label)) };
}

const drawn = (part, state) => { const { n, apart, flipped, seed } = { ...state, ...part }; return { ...part, ...draw(n, apart, flipped, seed) }; };

export const start = { ...draw(40, 2, 0.05, 3), n: 40, apart: 2, flipped: 0.05, seed: 3, passes: 20, order: "shuffled", fresh: false, step: 0 };

export function compute({ points, labels, apart, flipped, seed, passes, order }) {
  if (!points.length) return { errors: [] };
  const test = draw(TEST, apart, flipped, seed, 1);
  const settings = { epochs: passes, order, randomState: seed, until: null };
  const errors = errorsByPass({ points, labels }, test, settings);
  const run = trace(points, labels, settings);
  return { errors, test, run, separated: run.passes.at(-1).mistakes === 0, separable: null };
}

const stepsOf = ({ run }, pass) => run.passes.slice(0, pass).reduce((sum, { examplesSeen }) => sum + examplesSeen, 0);

function paint(pen, { points, labels, step, fresh }, result) {
  if (!result.errors.length) { pen.grid(); return; }
  const pass = Math.min(step, result.errors.length);
  const steps = stepsOf(result, pass);
  const last = steps ? result.run.steps[steps - 1] : { w: result.run.startW, b: result.run.startB };
  const mean = steps ? averaged(result.run, steps) : last;
  pen.halves(...mean.w, mean.b);
  pen.grid();
  if (fresh) pen.points(result.test.points, classesOf(result.test.labels), { faded: true, size: 3 });
  pen.points(points, classesOf(labels), { size: 5 });
  pen.line(...last.w, last.b);
  pen.line(...mean.w, mean.b, { colour: "--w", width: 3, dash: [10, 4] });
}

const CURVES = [["last", "--ink", null], ["averaged", "--w", [10, 4]], ["voted", "--add", [3, 3]]];

const paintErrors = (which) => (pen, { step }, { errors }) => {
  pen.grid();
  for (const [name, colour, dash] of CURVES) {
    pen.curve(errors.map((each) => [each.pass, each[which][name]]), { colour, dash });
  }
  let free = -Infinity; // labels at the ends of the curves, one above the other
  const [low, high] = pen.plane.view.y;
  const ends = CURVES.map(([name, colour]) => ({ name, colour, at: errors.at(-1)?.[which][name] })).filter(({ at }) => at !== undefined);
  for (const { name, colour, at } of ends.sort((a, b) => a.at - b.at)) {
    free = Math.max(at, free);
    pen.text([errors.at(-1).pass, free], name, { align: "right", colour });
    free += 0.11 * (high - low);
  }
  if (step) pen.segment([step, 0], [step, 1], { colour: "--old", width: 1, dash: true });
};

const errorView = (which) => ({ passes }, { errors = [] } = {}) => [[0.5, passes + 0.5], [0, Math.max(0.1, ...errors.flatMap((each) => Object.values(each[which]))) * 1.08]];
const percent = (share) => `${real(100 * share, 3)} %`;

function sentences({ step, points }, { errors }) {
  if (!errors.length) return ["Add some points of both classes."];
  const pass = Math.min(step, errors.length);
  const at = errors[(pass || errors.length) - 1];
  const line = (which) => CURVES.map(([name]) => `${name} ${percent(at[which][name])}`).join(", ");
  return [`After pass ${at.pass}: test error ${line("test")}.`, `Training error on ${points.length} points: ${line("train")}. The ${TEST} test points were not used for learning.`];
}

export default {
  start,
  presets: { "overlapping clouds": {}, "clouds far apart": { apart: 5, flipped: 0, ...draw(40, 5, 0, 3) }, "many wrong labels": { flipped: 0.2, ...draw(40, 2, 0.2, 3) }, "few points": { n: 10, ...draw(10, 2, 0.05, 3) } },
  points: { classes: LABELS, most: 120 },
  compute,
  steps: (state, { errors }) => errors.length,
  planes: [
    { key: "plane", label: "Training points, the line of the last and of the averaged weights", points: true, paint, view: ({ points }) => square(halfOf(points)) },
    { key: "test", title: "Test error by pass", label: "Test error by pass", small: true, equal: false, xLabel: "pass", yLabel: "", paint: paintErrors("test"), view: errorView("test") },
    { key: "train", title: "Training error by pass", label: "Training error by pass", small: true, equal: false, xLabel: "pass", yLabel: "", paint: paintErrors("train"), view: errorView("train") },
  ],
  controls: [
    { group: "Learning", name: "passes", type: "slider", label: "Passes", min: 1, max: 40 },
    { group: "Learning", name: "order", type: "choice", label: "Order", options: [["shuffled", "shuffled"], ["given", "as given"]] },
    { group: "Points", name: "n", type: "slider", label: "Training points", min: 4, max: 120, step: 2, set: (n, state) => drawn({ n }, state) },
    { group: "Points", name: "apart", type: "slider", label: "Distance of the clouds", min: 0, max: 6, step: 0.25, set: (apart, state) => drawn({ apart }, state), shown: (x) => real(x) },
    { group: "Points", name: "flipped", type: "slider", label: "Wrong labels", min: 0, max: 0.4, step: 0.05, set: (flipped, state) => drawn({ flipped }, state), shown: percent },
    { group: "Points", name: "seed", type: "number", label: "Seed", min: 0, max: 9999, step: 1, set: (seed, state) => drawn({ seed }, state) },
    { group: "Points", name: "fresh", type: "toggle", label: "show the test points" },
  ],
  sentences,
  tables: (state, { errors }) => (errors.length ? [{ caption: "Errors by pass", head: ["pass", "test: last", "averaged", "voted", "training: last", "averaged", "voted"], rows: errors.map(({ pass, train, test }) => [pass, ...CURVES.map(([name]) => percent(test[name])), ...CURVES.map(([name]) => percent(train[name]))]), mark: state.step - 1 }] : []),
  python: ({ points, labels, passes, order, seed }) => script("from rosenblatt import Perceptron", "", assignment("X", points), assignment("y", labels), `for keep in ["last", "averaged", "voted"]:`, `    model = Perceptron(keep=keep, epochs=${passes}, order="${order}", random_state=${seed}).fit(X, y)`, "    print(keep, 1 - model.score(X, y))"),
};
