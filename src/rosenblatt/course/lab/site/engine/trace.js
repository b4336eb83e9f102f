/**
 * A run step by step, as `rosenblatt.trace` records it: the same mistakes, and for rules that add rows the same bits.
 *
 * @typedef {import("./learner.js").LearnerSettings & {
 *   order?: "given"|"shuffled"|"first_mistake"|"worst_mistake"|number[],
 *   epochs?: number|null, until?: "separated"|null, randomState?: number, maxSteps?: number}} RunSettings
 *   defaults: order "given", epochs 10 (null: no limit), until null ("separated": stop after the first pass without a
 *   mistake), randomState 0 (the seed of the shuffles), maxSteps 100,000
 *
 * @typedef {Object} Step
 * @property {number} pass   from 1
 * @property {number} row
 * @property {number[]} x
 * @property {-1|1} y
 * @property {number} score        before the step
 * @property {number} margin       y(w·x + b) before the step
 * @property {boolean} mistake
 * @property {boolean} updated
 * @property {number} delta        (w, b) gained delta·direction; 0 without an update
 * @property {number[]} direction  (x, 1), or (x, 0) without an offset; Σ(x, 1) with AROW
 * @property {boolean} wasExact    whether the sign needed the exact sum
 * @property {number[]} w          after the step
 * @property {number} b            after the step
 * @property {number} marginAfter  of the same example, after the step
 * @property {number} norm2        ‖w‖² + b² after the step
 * @property {number[][]|null} sigma   Σ of AROW after the step
 *
 * @typedef {{start: number, period: number, passes: number, updates: number}} Cycle
 *
 * @typedef {Object} Run
 * @property {Step[]} steps
 * @property {number[][]} points
 * @property {(-1|1)[]} labels
 * @property {RunSettings} settings   with all defaults
 * @property {number[]} startW
 * @property {number} startB
 * @property {number[]} w
 * @property {number} b
 * @property {number} mistakes
 * @property {number} updates
 * @property {{mistakes: number, updates: number, examplesSeen: number}[]} passes   also of an incomplete last pass
 * @property {boolean} separated   the last pass visited every row and made no mistake
 * @property {boolean} stopped     the run ended at maxSteps
 * @property {Cycle|null} cycle    the state after step `start` recurs every `period` steps
 */
import { require } from "./errors.js";
import { inner } from "./geometry.js";
import { Learner } from "./learner.js";
import { checkOrder, isSearch, visit } from "./orders.js";
import { runSeed } from "./random.js";

const DEFAULTS = { order: "given", epochs: 10, until: null, randomState: 0, maxSteps: 100_000 };

/** @param {number[][]} points  @param {(-1|1)[]} labels  @param {RunSettings} [settings]  @returns {Run} */
export function trace(points, labels, settings = {}) {
  checkExamples(points, labels);
  const learner = new Learner(points[0].length, settings);
  const [startW, startB] = [learner.w, learner.b];
  const run = recordPasses(points, labels, settings, {
    visit: (order, seed, pass) => visit(order, learner, points, labels, seed, pass),
    key: () => [learner.w, learner.b, learner.sigma ?? ""].join(),
    step: (row) => {
      const lesson = learner.learn(points[row], labels[row]);
      const { w, b, sigma } = learner;
      const marginAfter = lesson.updated ? labels[row] * learner.score(points[row]) : lesson.margin;
      return Object.assign(lesson, { w, b, marginAfter, norm2: inner(w, w) + b * b, sigma });
    },
  });
  return { ...run, startW, startB, w: learner.w, b: learner.b };
}

/**
 * Make the passes of a run and record its steps; shared by `trace` and `kernelTrace`.
 * @param {{visit: Function, key: () => string, step: (row: number) => Object}} learning   `visit(order, seed, pass)`
 *   gives the rows of a pass, `step` learns from one, and equal keys are equal states
 */
export function recordPasses(points, labels, given, learning) {
  const settings = { ...DEFAULTS, ...given };
  const { order, epochs, until, randomState, maxSteps } = settings;
  checkOrder(order, points.length);
  const seed = runSeed(randomState);
  const perPass = Array.isArray(order) ? order.length : points.length;
  const run = { steps: [], points, labels, settings, mistakes: 0, updates: 0, passes: [], separated: false, stopped: false };
  const cycles = new CycleDetector(order, perPass);
  for (let pass = 0; epochs === null || pass < epochs; pass += 1) {
    const record = { mistakes: 0, updates: 0, examplesSeen: 0 };
    for (const row of learning.visit(order, seed, pass)) {
      run.stopped = run.steps.length === maxSteps;
      if (run.stopped) break;
      cycles.watch(run, learning.key);
      if (!record.examplesSeen) run.passes.push(record);
      const step = Object.assign(learning.step(row), { pass: pass + 1, row, x: points[row], y: labels[row] });
      run.steps.push(step);
      for (const counted of [run, record]) {
        counted.mistakes += Number(step.mistake);
        counted.updates += Number(step.updated);
      }
      record.examplesSeen += 1;
    }
    if (run.stopped) break;
    run.separated = record.mistakes === 0;
    if ((run.separated && until === "separated") || (epochs === null && cycles.repeat)) break;
  }
  if (!run.stopped) cycles.watch(run, learning.key);
  run.separated &&= !run.stopped && (!Array.isArray(order) || points.every((_, row) => order.includes(row)));
  return { ...run, cycle: cycles.of(run.steps) };
}

/** Find a state that recurs at the same position of a pass with an update or a mistake in between. */
class CycleDetector {
  constructor(order, perPass) {
    this.perPass = perPass;
    this.isOff = order === "shuffled";
    this.hasPlace = !isSearch(order);
    this.seen = new Map();
    this.repeat = null;
  }

  watch({ steps, mistakes, updates }, keyOf) {
    if (this.repeat || this.isOff) return;
    if (this.updates !== updates) [this.updates, this.state] = [updates, keyOf()]; // the state of the last update
    const key = `${this.state};${this.hasPlace ? steps.length % this.perPass : 0}`;
    const first = this.seen.get(key);
    if (!first) this.seen.set(key, { done: steps.length, mistakes, updates });
    else if (first.mistakes !== mistakes || first.updates !== updates) this.repeat = [first.done, steps.length];
  }

  of(steps) {
    if (!this.repeat) return null;
    const [start, end] = this.repeat;
    const updates = steps.slice(start, end).filter((step) => step.updated).length;
    return { start, period: end - start, passes: (end - start) / this.perPass, updates };
  }
}

/** Return the sentence of a cycle.  @param {Cycle} cycle  @param {number|null} [epochs] the limit of the run
 * @returns {string} */
export function cycleText({ start, period, passes, updates }, epochs = null) {
  const never = epochs === null ? "this run never ends" : "more passes would not end it";
  const counted = (count, one, many) => `${count.toLocaleString("en", { maximumSignificantDigits: 6 })} ${count === 1 ? one : many}`;
  const counts = `${counted(passes, "pass", "passes")}, ${counted(updates, "update", "updates")}`;
  return `the state after step ${start} recurs every ${counted(period, "step", "steps")} (${counts}): ${never}`;
}

/** Throw an error unless there is a finite point with a label for every row. */
export function checkExamples(points, labels, classes = [-1, 1]) {
  require(points.length > 0, "points: there are none");
  require(labels.length === points.length, `labels: ${labels.length} labels for ${points.length} points`);
  for (const [row, x] of points.entries()) {
    require(x.length === points[0].length, `points, row ${row}: ${x.length} numbers, row 0 has ${points[0].length}`);
    require(x.every(Number.isFinite), `points, row ${row}: expected finite numbers, got ${x}`);
    require(!classes || classes.includes(labels[row]), `labels, row ${row}: expected −1 or +1, got ${labels[row]}`);
  }
}
