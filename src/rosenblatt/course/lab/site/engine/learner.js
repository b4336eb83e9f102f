/**
 * One perceptron, example by example: answer the sign of w·x + b, and if the label shows that this was a mistake (or,
 * for rules with a threshold, too close), w ← w + coefficient·y·x. A mistake is decided by the exact sign of w·x + b; a
 * score of 0 answers `tie`, or is a mistake for either label.
 *
 * @typedef {Object} LearnerSettings
 * @property {string|{name: string}} [rule="rosenblatt"]   see `makeRule`
 * @property {boolean} [offset=true]
 * @property {"mistake"|"negative"|"positive"} [tie="mistake"]
 * @property {"zeros"|"unit"|number[]|{w: number[], b: number}} [init="zeros"]
 *
 * @typedef {Object} Decision
 * @property {number} score      w·x + b before the step, with the exact sign
 * @property {number} margin     y(w·x + b) before the step
 * @property {boolean} mistake
 * @property {boolean} acts      whether the rule updates
 * @property {boolean} wasExact  whether the fast sum was uncertain
 *
 * @typedef {Decision & {updated: boolean, delta: number, direction: number[]}} Lesson   (w, b) gained delta·direction
 */
import { BadInput, require } from "./errors.js";
import { exact, minus, nearest, plus, signOf } from "./exact.js";
import { inner } from "./geometry.js";
import { makeRule } from "./rules.js";
import { exactScore, fastScore, ROUNDING, score } from "./score.js";

export const TIES = { mistake: 0, negative: -1, positive: 1 };

/** Return whether answering by a score is a mistake for label y; a score of 0 answers `tie`. */
export const isMistake = (value, y, tie) => (value ? value > 0 !== y > 0 : TIES[tie] !== y);

export class Learner {
  /** @param {number} nFeatures  @param {LearnerSettings} [settings] */
  constructor(nFeatures, { rule = "rosenblatt", offset = true, tie = "mistake", init = "zeros" } = {}) {
    require(tie in TIES, `tie: expected one of ${Object.keys(TIES).join(", ")}, got ${tie}`);
    this.rule = makeRule(rule);
    this.offset = offset;
    this.tie = tie;
    /** @type {number[]} */
    this.w = startWeights(init, nFeatures);
    this.b = init.b ?? 0;
    require(offset || !this.b, `init: starts with b = ${this.b}, but without an offset there is no b`);
    this.examplesSeen = 0;
    this.mistakes = 0;
    this.updates = 0;
    /** @type {number[][]|null} Σ of AROW */
    this.sigma = this.rule.memory?.start(nFeatures + 1) ?? null;
  }

  /** Return w·x + b with the exact sign.  @param {number[]} x  @returns {number} */
  score(x) {
    return score(this.w, this.b, x).value;
  }

  /** Return the prediction; a score of 0 predicts − unless the tie is "positive".  @returns {-1|1} */
  answer(x) {
    return this.score(x) > 0 || (this.tie === "positive" && this.score(x) === 0) ? 1 : -1;
  }

  /** Return what the learner would do with an example, without doing it.
   * @param {number[]} x  @param {-1|1} y  @returns {Decision} */
  decide(x, y) {
    require(x.length === this.w.length, `x: ${x.length} numbers for ${this.w.length} weights`);
    const tau = this.rule.threshold;
    const { value, bound } = fastScore(this.w, this.b, x);
    const apart = Math.abs(y * value - tau) > bound + ROUNDING * tau;
    if (Math.abs(value) > bound && (tau === 0 || apart) && Number.isFinite(value)) {
      return { score: value, margin: y * value, mistake: value > 0 !== y > 0, acts: y * value <= tau, wasExact: false };
    }
    const sum = exactScore(this.w, this.b, x);
    const found = nearest(sum);
    const mistake = isMistake(found, y, this.tie);
    // without a mistake the functional margin is the absolute value of the sum
    const size = signOf(sum) < 0 ? minus(sum) : sum;
    const acts = mistake || (tau > 0 && signOf(plus(size, exact(-tau))) <= 0);
    return { score: found, margin: y * found, mistake, acts, wasExact: true };
  }

  /** Learn from one example.  @param {number[]} x  @param {-1|1} y  @returns {Lesson} */
  learn(x, y) {
    const lesson = this.decide(x, y);
    const lifted = [...x, this.offset ? 1 : 0];
    const { memory } = this.rule;
    const direction = memory && lesson.acts ? memory.direction(this.sigma, lifted) : lifted;
    const square = inner(lifted, direction);
    const delta = lesson.acts ? this.rule.coefficient(lesson.margin, square) * y || 0 : 0;
    if (delta) {
      this.w = this.w.map((weight, j) => weight + delta * direction[j]);
      this.b += delta * direction[x.length];
      if (memory) this.sigma = memory.after(this.sigma, direction, square);
    }
    this.examplesSeen += 1;
    this.mistakes += Number(lesson.mistake);
    this.updates += Number(delta !== 0);
    return Object.assign(lesson, { updated: delta !== 0, delta, direction });
  }

  /** Return an independent copy.  @returns {Learner} */
  copy() {
    return Object.assign(Object.create(Learner.prototype), this); // w and Σ are replaced, never changed in place
  }
}

function startWeights(init, nFeatures) {
  if (init === "zeros") return new Array(nFeatures).fill(0);
  if (init === "unit") return new Array(nFeatures).fill(1 / Math.sqrt(nFeatures));
  const w = Array.isArray(init) ? init : init.w;
  if (!Array.isArray(w) || w.length !== nFeatures || ![...w, init.b ?? 0].every(Number.isFinite)) {
    throw new BadInput(`init: expected "zeros", "unit" or ${nFeatures} finite weights, got ${JSON.stringify(init)}`);
  }
  return [...w];
}
