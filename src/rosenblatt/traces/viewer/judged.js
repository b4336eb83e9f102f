// What (w, b) says of the points: the agreement of each, those it gets wrong, the nearest to its line.
// This draws and does not decide: it sums in doubles as they come, and what was a mistake in the run Python
// has decided exactly and written into each step.

import { doublesOf } from "./packed.js";
import { isWrong } from "./sentences.js";

const AT_ONCE = 2e6; // numbers of points that are gone through at each step; more are waited with

/**
 * The points of a run, to be judged by one vector (w, b) after the other. With a kernel w is known by the
 * coefficients of the support, and a point by its K with each support row: the score is a sum of products
 * there too.
 */
export class Judged {
  constructor(head) {
    this.head = head;
    if (head.kernel) {
      this.coordinates = doublesOf(head.kernel.values);
      return;
    }
    const d = head.n_features;
    this.coordinates = new Float64Array(head.points.length * d);
    head.points.forEach((point, i) => this.coordinates.set(point, i * d));
  }

  /** Whether all points are judged fast enough for each step of a run that plays. */
  get isQuick() {
    return this.coordinates.length <= AT_ONCE;
  }

  /** The functional margin y(w·x + b) of one point. */
  agreement(i, { weights, offset }) {
    const { coordinates } = this;
    const first = i * weights.length;
    let score = offset;
    for (let j = 0; j < weights.length; j += 1) score += weights[j] * coordinates[first + j];
    return this.head.labels[i] * score + 0; // no −0
  }

  /** {wrong: rows that (w, b) gets wrong, smallest agreement}; where w = 0 and b = 0, {tied: true}. */
  all(vector) {
    if (isZero(vector)) return { wrong: [], smallest: 0, tied: true };
    const { labels, tie } = this.head;
    const wrong = [];
    let smallest = Infinity;
    for (let i = 0; i < labels.length; i += 1) {
      const agreement = this.agreement(i, vector);
      if (agreement < smallest) smallest = agreement;
      if (isWrong(agreement, labels[i], tie)) wrong.push(i);
    }
    return { wrong, smallest, tied: false };
  }
}

/** The length of a vector of any number of numbers, of any size. */
export function lengthOf(values) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  if (!(largest > 0) || !Number.isFinite(largest)) return largest;
  let sum = 0; // of parts of the largest: the squares themselves may be too large or too small to hold
  for (const value of values) sum += (value / largest) ** 2;
  return largest * Math.sqrt(sum);
}

function isZero({ weights, offset }) {
  return offset === 0 && weights.every((weight) => weight === 0);
}
