/** The game of teacher and learner: challenge, answer, label, update; and teachers. */
const todo = () => { throw new Error("not implemented yet"); };

/** The teacher that forces the most mistakes: points of length 1 with |x·w*| ≥ margin, where w* is the first axis. */
export class Adversary {
  /** @param {number} margin between 0 and 1  @param {number} nFeatures 1, 2 or more */
  constructor(margin, nFeatures = 3) { this.margin = margin; this.nFeatures = nFeatures; this.separator = []; todo(); }
  /** @param {import("./learner.js").Learner} learner  @returns {number[]|null} */
  challenge(learner) { return todo(learner); }
  /** The label of the last challenge.  @returns {-1|1} */
  label() { return todo(); }
}

/** A teacher that presents points in order, pass after pass. */
export class FromData {
  constructor(points, labels, margin = null, separator = null) { todo(points, labels, margin, separator); }
  challenge(learner) { return todo(learner); }
  label() { return todo(); }
}

/** @param {import("./learner.js").Learner} learner  @param {Adversary|FromData} teacher  @param {number} rounds
 * @returns {{x: number[], answer: -1|1, y: -1|1, mistake: boolean, mistakes: number, bound: number, w: number[],
 *   b: number}[]} one record for each round; bound is NaN where none is known */
export function play(learner, teacher, rounds) { return todo(learner, teacher, rounds); }
