/**
 * One perceptron, example by example. A mistake is decided by the exact sign of w·x + b; a score of 0 predicts `tie`,
 * or is a mistake for either label.
 *
 * @typedef {Object} LearnerSettings
 * @property {string|{name: string}} [rule="rosenblatt"]   see `makeRule`
 * @property {boolean} [offset=true]
 * @property {"mistake"|"negative"|"positive"} [tie="mistake"]
 * @property {"zeros"|"unit"|number[]|{w: number[], b: number}} [init="zeros"]
 *
 * @typedef {Object} Lesson   what one example did
 * @property {number} score          w·x + b before the step, with the exact sign
 * @property {number} margin         y(w·x + b) before the step
 * @property {boolean} mistake
 * @property {boolean} updated
 * @property {number} delta          what was added is delta·x (with AROW delta·Σx)
 * @property {boolean} wasExact      whether the sign needed the exact sum
 */
const todo = () => { throw new Error("not implemented yet"); };

export class Learner {
  /** @param {number} nFeatures  @param {LearnerSettings} [settings] */
  constructor(nFeatures, settings = {}) {
    /** @type {number[]} */ this.w = [];
    this.b = 0;
    this.examplesSeen = 0; this.mistakes = 0; this.updates = 0;
    /** @type {number[][]|null} Σ of AROW, with the row and column of the offset last */ this.sigma = null;
    todo(nFeatures, settings);
  }
  /** @returns {number} w·x + b with the exact sign */
  score(x) { return todo(x); }
  /** The prediction −1 or +1; a score of 0 predicts −1 unless `tie` is "positive", and a label will show whether it
   * is a mistake. @returns {-1|1} */
  answer(x) { return todo(x); }
  /** Whether the prediction of x is a mistake for label y, and whether the rule would act.
   * @returns {{score: number, margin: number, mistake: boolean, acts: boolean, wasExact: boolean}} */
  decide(x, y) { return todo(x, y); }
  /** Learn from one example.  @param {number[]} x  @param {-1|1} y  @returns {Lesson} */
  learn(x, y) { return todo(x, y); }
  /** @returns {Learner} an independent copy */
  copy() { return todo(); }
}
