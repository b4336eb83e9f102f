/**
 * Which weights a run returns, for any run of `trace` and the number t of its steps to use (all by default):
 *
 *   averaged   (w₁ + … + w_t)/t, computed as (t·w − u)/t with u = Σ delta·(steps before the update)·x (Daumé)
 *   voted      Σ survival·sign(w·x + b) over all weight vectors (Freund & Schapire 1999)
 *   pocket     the vector with the longest run of correct predictions, if it also makes fewer errors on all points
 *              than the one in the pocket (Gallant 1990, with ratchet)
 */
import { dot, exact, minus, nearest, plus, signOf, times } from "./exact.js";
import { l2Norm } from "./geometry.js";
import { isMistake } from "./learner.js";
import { fastScore, ROUNDING, score } from "./score.js";

/** Return the running sum, the mean, the score of a point by the mean with the sign of the unrounded mean, and t times that
 * score without rounding.
 * @param {import("./trace.js").Run} run  @param {number} [t]
 * @returns {{sum: {w: number[], b: number}, w: number[], b: number, score: (x: number[]) => number,
 *   exactSum: (x: number[]) => import("./exact.js").Exact}} */
export function averaged(run, t = run.steps.length) {
  const last = weightsAfter(run, t);
  const width = last.length;
  const correction = new Array(width).fill(0);
  for (const [before, step] of run.steps.slice(0, t).entries()) {
    const factor = step.delta * before;
    if (step.updated) for (let j = 0; j < width; j += 1) correction[j] += factor * step.direction[j];
  }
  const sum = last.map((weight, j) => t * weight - correction[j]);
  const mean = t ? sum.map((total) => total / t) : last;
  const [w, b] = [mean.slice(0, -1), mean[width - 1]];
  const spread = ROUNDING * (3 * l2Norm(mean) + l2Norm(last)) + 1e-290; // bounds ‖rounded mean − mean‖
  const exactSum = (x) => plus(times(exact(t), dot(last, [...x, 1])), minus(dot(correction, [...x, 1])));
  const scoreByMean = (x) => {
    const { value, bound, x2 } = fastScore(w, b, x);
    if (!t) return score(w, b, x).value;
    if (Math.abs(value) > bound + spread * Math.sqrt(x2)) return value;
    return nearest(exactSum(x)) / t || signOf(exactSum(x)) * Number.MIN_VALUE;
  };
  return { sum: { w: sum.slice(0, -1), b: sum[width - 1] }, w, b, score: scoreByMean, exactSum };
}

/** Return every weight vector with the number of steps that it survived, the initial one first, and the vote on a point.
 * The sign of 0 is −1, or +1 for the tie "positive".
 * @returns {{members: {w: number[], b: number, survival: number}[], votes: (x: number[]) => number}} */
export function voted(run, t = run.steps.length) {
  const members = [{ w: run.startW, b: run.startB, survival: 0 }];
  for (const { updated, w, b } of run.steps.slice(0, t)) {
    if (updated) members.push({ w, b, survival: 1 });
    else members[members.length - 1].survival += 1;
  }
  const atZero = run.settings.tie === "positive" ? 1 : -1;
  const votes = (x) =>
    members.reduce((total, { w, b, survival }) => total + survival * (Math.sign(score(w, b, x).value) || atZero), 0);
  return { members, votes };
}

/** Return the pocket vector, its longest run of correct predictions, its errors on all points, and the number of steps
 * after which it was put into the pocket.
 * @returns {{w: number[], b: number, runLength: number, errors: number, step: number}} */
export function pocket(run, t = run.steps.length) {
  const { points, labels, settings } = run;
  const errorsOf = ({ w, b }) => wrongRows((x) => score(w, b, x).value, points, labels, settings.tie).length;
  let current = { w: run.startW, b: run.startB };
  let best = { ...current, runLength: 0, errors: errorsOf(current), step: 0 };
  let [length, standing] = [0, "in the pocket"];
  for (const [k, { updated, w, b }] of run.steps.slice(0, t).entries()) {
    if (updated) {
      current = { w, b };
      [length, standing] = [0, "not compared"];
      continue;
    }
    length += 1;
    if (standing === "in the pocket") best.runLength = Math.max(best.runLength, length);
    if (standing !== "not compared" || length <= best.runLength) continue;
    const errors = errorsOf(current);
    standing = errors < best.errors ? "in the pocket" : "rejected";
    if (errors < best.errors) best = { ...current, runLength: length, errors, step: k + 1 };
  }
  return best;
}

/** Return the rows that a score function answers wrongly; 0 is wrong for either label unless a tie says otherwise.
 * @param {(x: number[]) => number} scoreOf  @returns {number[]} */
export const wrongRows = (scoreOf, points, labels, tie = "mistake") =>
  points.map((x, row) => (isMistake(scoreOf(x), labels[row], tie) ? row : -1)).filter((row) => row >= 0);

/** Return (w, b) after t steps.  @returns {number[]} */
export function weightsAfter(run, t) {
  const { w, b } = t ? run.steps[t - 1] : { w: run.startW, b: run.startB };
  return [...w, b];
}

/** Return the score of a run's last weights.  @returns {(x: number[]) => number} */
export const lastScore = (run, t = run.steps.length) => {
  const weights = weightsAfter(run, t);
  return (x) => score(weights.slice(0, -1), weights[weights.length - 1], x).value;
};
