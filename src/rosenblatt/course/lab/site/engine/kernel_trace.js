/**
 * The perceptron in dual form: w = Σ delta·φ(x_k) is never written out, score(x) = Σ delta·(K(x_k, x) + offset), summed in
 * the order of the updates, as the package decides uncertain scores (Aizerman, Braverman & Rozonoer 1964). With a budget, w
 * is the sum over the last `budget` updates; the oldest is dropped.
 *
 * @typedef {Object} KernelStep   as `Step` of trace.js, with these instead of the weights
 * @property {number} delta        coefficient·y; 0 without an update
 * @property {number} support      the number of support rows after the step
 * @property {number} marginAfter
 * @property {number} norm2        ‖w‖² in feature space after the step
 *
 * @typedef {Object} KernelRun   as `Run` of trace.js, with these instead of the weights
 * @property {KernelStep[]} steps
 * @property {Map<number, number>} coefficients   support row → Σ delta, in the order of the first updates
 * @property {(x: number[], t?: number) => number} score   of w after t steps (by default the last)
 * @property {(x: number[], t?: number) => number} averagedScore   of the mean of w over t steps
 * @property {number[]} wrong   rows that the last w gets wrong
 */
import { wrongRows } from "./averaging.js";
import { require } from "./errors.js";
import { isMistake, TIES } from "./learner.js";
import { isSearch, rowsOfPass } from "./orders.js";
import { makeRule } from "./rules.js";
import { checkExamples, recordPasses } from "./trace.js";

/** @param {number[][]} points  @param {(-1|1)[]} labels  @param {import("./kernels.js").Kernel} kernel
 * @param {import("./trace.js").RunSettings & {budget?: number}} [settings] without init; without an offset by default
 * @returns {KernelRun} */
export function kernelTrace(points, labels, kernel, settings = {}) {
  checkExamples(points, labels);
  const { tie = "mistake", offset = false, budget = Infinity } = settings;
  require(tie in TIES, `tie: expected one of ${Object.keys(TIES).join(", ")}, got ${tie}`);
  require(!isSearch(settings.order), `order: ${settings.order} would need every score before each step`);
  const dual = new DualLearner(points, labels, kernel, makeRule(settings.rule ?? "rosenblatt"), tie, offset ? 1 : 0, budget);
  const run = recordPasses(points, labels, { ...settings, tie, offset }, {
    visit: (order, seed, pass) => rowsOfPass(order, points.length, seed, pass),
    key: () => dual.key(),
    step: (row) => dual.learn(row),
  });
  const sumOver = (x, t, keep) => [...partsAt(run.steps, t, { keep, budget })].reduce((total, [row, part]) => total + part * (kernel.value(points[row], x) + dual.offset), 0);
  const score = (x, t = run.steps.length) => sumOver(x, t, "last");
  const averagedScore = (x, t = run.steps.length) => sumOver(x, t, "averaged");
  return { ...run, coefficients: dual.coefficients, score, averagedScore, wrong: wrongRows(score, points, labels) };
}

/** Return the part of each support row: w after t steps, or its mean over t steps (keep: "averaged"), is Σ part·φ(x_row).
 * @param {KernelStep[]} steps  @param {number} t  @param {{keep?: "last"|"averaged", budget?: number}} [settings]
 * @returns {Map<number, number>} */
export function partsAt(steps, t, { keep = "last", budget = Infinity } = {}) {
  const updates = steps.slice(0, t).flatMap(({ delta, row }, before) => (delta ? [{ delta, row, before }] : []));
  const parts = new Map();
  // with a budget, a coefficient is averaged over the steps since its update, so it stays what it is
  const isMean = keep === "averaged" && budget === Infinity;
  for (const { delta, row, before } of updates.slice(Math.max(0, updates.length - budget))) {
    parts.set(row, (parts.get(row) ?? 0) + delta * (isMean ? (t - before) / t : 1));
  }
  return parts;
}

class DualLearner {
  constructor(points, labels, kernel, rule, tie, offset, budget) {
    require(!rule.memory, `rule: ${rule.name} has no dual form; it changes w by Σx`);
    Object.assign(this, { points, labels, kernel, rule, tie, offset, budget });
    /** @type {Map<number, number>} */
    this.coefficients = new Map();
    this.updates = [];
    this.norm2 = 0;
    this.columns = new Map();
    this.distinct = distinctRows(points, (x) => kernel.value(x, x) + offset === 0);
    this.sums = new Array(points.length).fill(0);
    const whole = [...points.flat(), kernel.gamma, kernel.c, rule.claims?.rate];
    this.scores = whole.every(Number.isInteger) ? new Array(points.length).fill(0) : null;
  }

  /** Return the score of a row, summed in the order of the updates. */
  score(row) {
    let total = 0;
    for (const [support, delta] of this.updates) total += delta * this.column(support)[row];
    return total;
  }

  column(support) {
    if (!this.columns.has(support)) {
      const x = this.points[support];
      this.columns.set(support, this.points.map((z) => this.kernel.value(x, z) + this.offset));
    }
    return this.columns.get(support);
  }

  learn(row) {
    const [y, score, tau] = [this.labels[row], this.score(row), this.rule.threshold];
    const mistake = isMistake(score, y, this.tie);
    const acts = mistake || (tau > 0 && y * score <= tau);
    const square = this.kernel.value(this.points[row], this.points[row]) + this.offset;
    const delta = acts ? (this.rule.coefficient(y * score, square) * y || 0) : 0;
    if (delta) {
      this.updates.push([row, delta]);
      this.coefficients.set(row, (this.coefficients.get(row) ?? 0) + delta);
      this.norm2 = Math.max(0, this.norm2 + delta * (2 * score + delta * square));
      if (this.distinct[row] >= 0) this.sums[this.distinct[row]] += delta;
      this.scores = this.scores?.map((total, z) => total + delta * this.column(row)[z]) ?? null;
    }
    if (this.updates.length > this.budget) this.dropOldest();
    const marginAfter = y * this.score(row);
    const support = this.coefficients.size;
    return { score, margin: y * score, mistake, updated: delta !== 0, delta, support, marginAfter, norm2: this.norm2 };
  }

  dropOldest() {
    const [row, delta] = this.updates.shift();
    this.norm2 = Math.max(0, this.norm2 - delta * (2 * this.score(row) + delta * this.column(row)[row]));
    this.coefficients.clear();
    for (const [support, part] of this.updates) this.coefficients.set(support, (this.coefficients.get(support) ?? 0) + part);
  }

  /** Return a key of w and of what is dropped next: with a budget the updates, otherwise its scores if they are whole numbers, which have no rounding errors; otherwise the coefficients,
   * summed over equal points, without points that φ maps to 0. */
  key() {
    if (this.budget < Infinity) return this.updates.join("|");
    return (this.scores?.every(Number.isSafeInteger) ? this.scores : this.sums).join();
  }
}

/** Return for each row the first equal row, or −1 if the point maps to 0. */
function distinctRows(points, isZero) {
  const first = new Map();
  return points.map((x, row) => {
    const key = x.map((value) => value + 0).join();
    if (!first.has(key)) first.set(key, row);
    return isZero(x) ? -1 : first.get(key);
  });
}
