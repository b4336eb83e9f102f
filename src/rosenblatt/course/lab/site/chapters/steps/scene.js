// Step by step: a run over points on the page, or a worked example of the notes.

import { checkClaims } from "../../engine/bound.js";
import { separate, lift } from "../../engine/separation.js";
import { cycleText, trace } from "../../engine/trace.js";
import { counted, real, vector, whole } from "../../viewer/numbers.js";
import { assignment, call, script } from "../../shell/python.js";
import { LABELS, asSentence, classesOf, halfOf, isWrong, signOf, square } from "../common.js";
import { PRESETS } from "./presets.js";

const MOST_NUMBERED = 60; // points with their number in the picture
const MOST_STEPS = 5000; // recorded steps; Python has no such limit

export const start = {
  points: [[1, 2], [2.5, 1], [2, 3], [-1, 1.5], [0.5, -0.5], [1.5, -1], [-1.5, -1], [-0.5, 0.5]],
  labels: [1, 1, 1, -1, -1, 1, -1, -1],
  offset: true, tie: "mistake", order: "given", listed: [], seed: 0, init: "zeros", w0: [1, 1], b0: 0, passes: 0,
  star: false, step: 0,
};

/** Return the settings of `trace` for a state. */
export function settingsOf(state) {
  const { offset, tie, order, listed, seed, init, w0, b0, passes } = state;
  const rows = listed.filter((row) => row >= 1 && row <= state.points.length).map((row) => row - 1);
  return {
    offset, tie,
    order: order === "listed" ? (rows.length ? rows : state.points.map((_, row) => row)) : order,
    randomState: seed,
    init: init === "w0" ? (offset ? { w: w0, b: b0 } : w0) : init,
    epochs: passes || null,
    until: passes ? null : "separated",
  };
}

export function compute(state) {
  const { points, labels, offset } = state;
  if (!points.length) return { run: null };
  const run = trace(points, labels, { ...settingsOf(state), maxSteps: MOST_STEPS });
  const both = labels.includes(1) && labels.includes(-1);
  const lifted = offset ? lift(points) : points;
  const verdict = both ? separate(lifted, labels, { offset: false }) : null;
  const claims = verdict?.separable ? checkClaims(run, offset ? verdict.w.slice(0, 2) : verdict.w, offset ? verdict.w[2] : 0) : null;
  return { run, verdict, claims, separated: run.separated, separable: verdict ? verdict.separable : both ? null : true };
}

/** Return (w, b) before and after the step that a state shows. */
export function around(state, { run }) {
  const step = Math.min(state.step, run.steps.length);
  const at = (number) => (number > 0 ? run.steps[number - 1] : { w: run.startW, b: run.startB });
  return { step, before: at(step - 1), now: at(step), made: step ? run.steps[step - 1] : null };
}

function paint(pen, state, result) {
  const { points, labels, tie } = state;
  if (!result.run) { pen.grid(); return; }
  const { before, now, made } = around(state, result);
  pen.halves(...now.w, now.b);
  pen.grid();
  const { verdict } = result;
  if (state.star && verdict?.separable) {
    const [a, b, c = 0] = verdict.w;
    pen.line(a, b, c, { colour: "--proof", dash: true });
  }
  if (made?.updated) {
    pen.line(...before.w, before.b, { colour: "--old", dash: true });
    pen.arrow([0, 0], before.w, { colour: "--old", dash: true, width: 2, text: "old w", side: -1 });
    pen.arrow(before.w, now.w, { colour: "--add", text: made.y > 0 ? "+x" : "−x" });
  }
  pen.line(...now.w, now.b);
  pen.arrow([0, 0], now.w, { colour: "--w", width: 3, text: now.w.some(Boolean) ? "w" : "" });
  pen.points(points, classesOf(labels), { size: 6 });
  pen.rings(points.filter((x, row) => isWrong(labels[row] * (now.w[0] * x[0] + now.w[1] * x[1] + now.b), labels[row], tie)), "wrong");
  if (points.length <= MOST_NUMBERED) points.forEach((point, row) => pen.text(point, `  ${row + 1}`, { colour: "--quiet" }));
  if (made) pen.ring(made.x, "now");
}

/** Return the number of updates among the steps that a state shows; updates count their steps from 0. */
export function updatesShown({ step }, { updates }) {
  return updates.filter((update) => update.step < step).length;
}

// the two claims of the mistake bound, over the number of updates
function paintClaims(pen, state, { run, claims }) {
  pen.grid();
  if (!claims?.updates.length) return;
  const most = Math.max(claims.updates.length, 1);
  const ts = Array.from({ length: 61 }, (_, k) => (k / 60) * most * 1.05);
  pen.curve(ts.map((t) => [t, Math.sqrt(t) * claims.radius]), { colour: "--old", dash: true });
  pen.curve(ts.map((t) => [t, t * claims.margin]), { colour: "--proof", dash: true });
  const origin = run.startW.some(Boolean) ? [] : [[0, 0]];
  pen.curve([...origin, ...claims.updates.map(({ norm }, at) => [at + 1, norm])], { colour: "--ink" });
  pen.curve([...origin, ...claims.updates.map(({ along }, at) => [at + 1, along])], { colour: "--w" });
  const shown = updatesShown(state, claims);
  if (shown) pen.rings([[shown, claims.updates[shown - 1].norm], [shown, claims.updates[shown - 1].along]], "support");
  const end = claims.updates.at(-1);
  pen.text([most * 1.03, Math.sqrt(most) * claims.radius], "√t·R", { align: "right", colour: "--old" });
  pen.text([most * 0.8, most * 0.8 * claims.margin], "tγ", { align: "left", colour: "--proof" });
  pen.text([most * 0.6, end.norm * 0.75], "‖w‖", { align: "right" });
  pen.text([most * 0.8, end.along * 0.62], "w·w*", { align: "left", colour: "--w" });
}

/** Describe the step that a state shows. */
export function stepSentence(state, result) {
  const { run } = result;
  const { step, made, now } = around(state, result);
  const weights = `w = ${vector(now.w)}${state.offset ? `, b = ${real(now.b)}` : ""}`;
  if (!made) return `Start: ${weights}. No step has been made yet.`;
  const margin = real(made.margin);
  const head = `Step ${whole(step)}, pass ${made.pass}: point ${made.row + 1} (${signOf(made.y)}) at ${vector(made.x)} has functional margin ${margin}:`;
  const tie = made.margin === 0 ? "a tie, which counts as " : "";
  if (!made.updated) return `${head} ${tie}correct, nothing changes. ${weights}.`;
  const still = isWrong(made.marginAfter, made.y, state.tie) ? ", still misclassified" : "";
  return `${head} ${tie}a mistake. Now ${weights}; its functional margin is ${real(made.marginAfter)}${still}.`;
}

function sentences(state, result) {
  const { run, verdict } = result;
  if (!run) return ["There are no points yet. Click in the picture to add some."];
  const end = run.separated ? `The run ends after ${counted(run.steps.length, "step")}: a pass without a mistake, ${counted(run.mistakes, "mistake")} in all.`
    : run.cycle ? asSentence(cycleText(run.cycle, state.passes || null))
      : run.steps.length >= MOST_STEPS ? `After ${whole(MOST_STEPS)} steps and ${whole(run.mistakes)} mistakes the page stops; the run goes on.`
        : `After ${counted(state.passes, "pass")}: ${counted(run.mistakes, "mistake")}; the last pass still had mistakes.`;
  const through = state.offset ? "line" : "line through the origin";
  const why = verdict && !verdict.separable ? ` No ${through} separates the classes (proved).` : "";
  const bound = result.claims && state.init === "zeros" ? ` The bound allows ${whole(Number(verdict.mostMistakes))} mistakes.` : "";
  return [stepSentence(state, result), state.step >= run.steps.length ? `${end}${why}${bound}` : `${why}${bound}`.trim()].filter(Boolean);
}

function tables(state, result) {
  if (!result.run) return [];
  const { run } = result;
  const from = Math.max(0, Math.min(state.step - 6, run.steps.length - 12));
  const rows = run.steps.slice(from, from + 12).map((step, at) => [
    from + at + 1, step.pass, step.row + 1, `${vector(step.x)} ${signOf(step.y)}`, real(step.score),
    step.mistake ? "mistake" : "correct", vector(step.w), ...(state.offset ? [real(step.b)] : [])]);
  const head = ["step", "pass", "point", "x, label", "w·x + b before", "", "w after", ...(state.offset ? ["b after"] : [])];
  return [{ caption: "Steps (points count from 1)", head, rows, mark: state.step - 1 - from }];
}

function python(state) {
  const { randomState, init, ...settings } = settingsOf(state);
  const start = Array.isArray(init) ? init : init.w ? undefined : init;
  return script(
    "from rosenblatt import trace", "",
    assignment("X", state.points), assignment("y", state.labels),
    init.w ? `start = (${JSON.stringify(init.w)}, ${init.b})` : null,
    call("steps = trace", ["X", "y"], { ...settings, ...(settings.order === "shuffled" ? { random_state: randomState } : {}), init: start, max_steps: MOST_STEPS }).replace(/\)$/, init.w ? ", init=start)" : ")"),
    "w, b = steps.weights.tolist(), steps.offset", "mistakes, updates = steps.mistakes, steps.updates",
    "print(steps)  # rows count from 0");
}

const isOwnStart = (state) => state.init === "w0";

export default {
  start,
  presets: PRESETS,
  points: { classes: LABELS },
  compute,
  steps: (state, { run }) => (run ? run.steps.length : 0),
  planes: [
    {
      key: "plane", label: "Points of two classes, the vector w and its line", points: true, paint,
      view: (state, result) => square(halfOf(state.points, result?.run ? result.run.steps.slice(0, 60).map((step) => step.w) : [])),
      handles: (state) => (isOwnStart(state) && state.step === 0 ? [{ key: "w0", at: state.w0, text: "w", label: "start w₀", move: (w0) => ({ w0: w0.map((x) => Number(x.toFixed(2))) }) }] : []),
    },
    {
      key: "claims", label: "Both claims of the mistake bound over the number of updates", title: "The mistake bound", small: true, equal: false, xLabel: "t", yLabel: "", paint: paintClaims,
      view: (state, { claims } = {}) => (claims?.updates.length ? [[0, claims.updates.length * 1.05], [Math.min(0, ...claims.updates.map((update) => update.along)), Math.sqrt(claims.updates.length * 1.05) * claims.radius * 1.05]] : [[0, 4], [0, 4]]),
    },
  ],
  controls: [
    { group: "The run", name: "order", type: "choice", label: "Order", options: [["given", "as given"], ["shuffled", "shuffled"], ["first_mistake", "the first mistake"], ["worst_mistake", "the worst mistake"], ["listed", "my own"]] },
    { group: "The run", name: "listed", type: "text", label: "Points in order", placeholder: "3 1 2", when: (state) => state.order === "listed", read: (text) => (text.match(/\d+/g) ?? []).map(Number), write: (rows) => rows.join(" ") },
    { group: "The run", name: "seed", type: "number", label: "Shuffle seed", min: 0, max: 2 ** 31 - 1, step: 1, when: (state) => state.order === "shuffled" },
    { group: "The run", name: "tie", type: "choice", label: "A score of 0 is", options: [["mistake", "a mistake"], ["negative", "predicted as −"], ["positive", "predicted as +"]] },
    { group: "The run", name: "offset", type: "toggle", label: "with an offset b" },
    { group: "The run", name: "passes", type: "slider", label: "Passes", min: 0, max: 20, shown: (passes) => (passes ? String(passes) : "as needed") },
    { group: "Start", name: "init", type: "choice", label: "Start", options: [["zeros", "w = 0"], ["unit", "the unit vector"], ["w0", "my own w₀"]] },
    { group: "Start", name: "w0.0", type: "number", label: "w₀, first", when: isOwnStart },
    { group: "Start", name: "w0.1", type: "number", label: "w₀, second", when: isOwnStart },
    { group: "Start", name: "b0", type: "number", label: "b₀", when: (state) => isOwnStart(state) && state.offset },
    { group: "Picture", name: "star", type: "toggle", label: "show w* (dashed)" },
  ],
  sentences,
  tables,
  python,
};
