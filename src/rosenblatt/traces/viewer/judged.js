// The predictions of (w, b) for the points: functional margins, misclassified points, and the nearest
// point. They are used only for drawing: the sums are rounded. The mistakes of the run were determined
// exactly in Python and are stored in each step.

import { doublesOf } from "./packed.js";
import { isWrong } from "./sentences.js";

// values (points × features) that are evaluated at every step; larger runs wait for a pause
const AT_ONCE = 2e6;

/**
 * The points of a run, evaluated for successive vectors (w, b). With a kernel, w is given by the
 * coefficients of the support rows, and a point by its kernel values with the support rows, so the score is
 * also a sum of products.
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

  /** Whether all points can be evaluated at each step of a playing run. */
  get isQuick() {
    return this.coordinates.length <= AT_ONCE;
  }

  /** Return the functional margin y(w·x + b) of one point. */
  agreement(i, { weights, offset }) {
    const { coordinates } = this;
    const first = i * weights.length;
    let score = offset;
    for (let j = 0; j < weights.length; j += 1) score += weights[j] * coordinates[first + j];
    return this.head.labels[i] * score + 0; // no −0
  }

  /** Return {wrong: misclassified rows, smallest: functional margin, tied: whether w = 0 and b = 0}. */
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

/** Return the length of a vector without overflow or underflow. */
export function lengthOf(values) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  if (!(largest > 0) || !Number.isFinite(largest)) return largest;
  let sum = 0; // relative to the largest component, because its square may overflow or underflow
  for (const value of values) sum += (value / largest) ** 2;
  return largest * Math.sqrt(sum);
}

function isZero({ weights, offset }) {
  return offset === 0 && weights.every((weight) => weight === 0);
}
