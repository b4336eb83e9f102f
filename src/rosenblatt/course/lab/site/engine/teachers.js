/**
 * The game of teacher and learner: the teacher presents a challenge, the learner answers + or −, the teacher reveals the
 * label, the learner updates.
 *
 * `Adversary` presents points of length 1 with |x·w*| ≥ ρ, where w* is the first axis, that cause the most mistakes. Each
 * mistake adds at least ρ to w·w* and at most 1 to ‖w‖², so there are at most 1/ρ² from w = 0 (Novikoff 1962). In three or
 * more dimensions it forces ⌊1/ρ²⌋ mistakes; in the plane about half as many, and no teacher forces more than 1/(2ρ²) + 1.
 */
import { mostUpdates } from "./bound.js";
import { BadInput, require } from "./errors.js";
import { nearest } from "./exact.js";
import { inner, l2Norm, scale, unit } from "./geometry.js";
import { isMistake } from "./learner.js";
import { exactScore } from "./score.js";

const TOLERANCE = 1e-12; // lengths differ from 1 by at most this, so that signs of scores are certain
const PLACES = 4096; // points of the plane that are tried for each challenge

export class Adversary {
  #across;
  #label = 1;

  /** @param {number} margin ρ, between 0 and 1  @param {number} [nFeatures] */
  constructor(margin, nFeatures = 3) {
    if (!(margin > 0 && margin < 1)) throw new BadInput(`margin: expected a number between 0 and 1, got ${margin}`);
    this.margin = margin;
    this.nFeatures = nFeatures;
    this.separator = Array.from({ length: nFeatures }, (_, j) => Number(j === 0));
    this.#across = Math.sqrt((1 + TOLERANCE / 2) ** 2 - margin ** 2);
  }

  /** Return a misclassified point whose update brings w as little closer to w* as possible; null if there is none.
   * @param {import("./learner.js").Learner} learner  @returns {number[]|null} */
  challenge(learner) {
    const { w, b, tie, offset } = learner;
    require(w.length === this.nFeatures, `nFeatures: this teacher has ${this.nFeatures}, the learner ${w.length}`);
    const rate = learner.rule.claims?.rate ?? 1;
    // the label that moves b towards 0; if both do, the one for which a score of 0 is wrong
    const first = b > 0 || (b === 0 && tie === "positive") ? -1 : 1;
    for (const label of [first, -first]) {
      const x = scale(label, this.#hardest(scale(1 / rate, w), (label * b) / rate, offset));
      if (!isMistake(nearest(exactScore(w, b, x)), label, tie)) continue;
      this.#label = label;
      return x;
    }
    return null;
  }

  /** Return the label of the last challenge.  @returns {-1|1} */
  label() {
    return this.#label;
  }

  /** Return z = y·x with z·w* ≥ ρ for a misclassified x; `b` is y times the offset. */
  #hardest(w, b, offset) {
    if (this.nFeatures === 1) return [1];
    // so far on the wrong side, relative to w and b, that rounding cannot change the sign
    const clearance = (this.nFeatures + 8) * 2 ** -52 * (l2Norm(w) + Math.abs(b));
    if (this.nFeatures === 2) return this.#inThePlane(w, b, clearance, offset);
    const rest = w.slice(1);
    const length = l2Norm(rest);
    if (!length) return [this.margin, this.#across, ...new Array(this.nFeatures - 2).fill(0)];
    // w·z + b = −clearance, with z = ρw* + across·(cosine·u + sine·v) and u along w − (w·w*)w*
    const u = scale(1 / length, rest);
    const cosine = Math.max(-1, Math.min(1, (-clearance - b - this.margin * w[0]) / (this.#across * length)));
    const v = perpendicular(u);
    return [this.margin, ...u.map((uj, j) => this.#across * (cosine * uj + Math.sqrt(1 - cosine ** 2) * v[j]))];
  }

  /** Return the point (c, q) after which the most mistakes can follow: alternating points (ρ, ±r) make w swing from side to
   * side, longest if the two ends of the swing are symmetric. */
  #inThePlane(w, b, clearance, offset) {
    const [r, across] = [this.#across, Math.abs(w[1])];
    const step = (2 * r) / (PLACES - 1);
    const grid = Array.from({ length: PLACES }, (_, k) => (k === PLACES - 1 ? r : k * step - r));
    let [best, most] = [null, -Infinity];
    for (const away of [-r, r, r / 2 - across, ...grid]) {
      if (Math.abs(away) > r) continue;
      const c = Math.max(this.margin, Math.sqrt(Math.max(0, 1 - away ** 2)));
      const isRight = c * w[0] + away * across + b > -clearance;
      const swings = isRight ? -1 : this.#swings(w[0] + c, Math.abs(across + away), Math.abs(b + Number(offset)), offset);
      if (swings > most) [best, most] = [[c, w[1] < 0 || Object.is(w[1], -0) ? -away : away], swings];
    }
    return best;
  }

  /** Return the number of mistakes that follow from w = (along, across). */
  #swings(along, across, b, offset) {
    const r = this.#across;
    if (!offset) return across <= r ? this.#inTurn(along, r * across, r * (r - across)) : 0;
    if (b === 0) return this.#inTurn(along, r * across, 1 - r * (across - r)); // b is 0 on this side and ±1 on the other
    if (b !== 1) return 0;
    const out = this.#inTurn(along, 1 - r * across, r * (across + r));
    const over = this.#inTurn(along, 1 + r * across, r * (r - across)); // the other end lies beyond w*
    return Math.max(out, across <= r ? over : 0);
  }

  /** Return the smallest k with along + k·ρ > limit/ρ; the limit is `here` for even k and `there` for odd k. */
  #inTurn(along, here, there) {
    const ρ = this.margin;
    const even = Math.max(0, 2 * Math.floor((here / ρ - along) / ρ / 2) + 2);
    const odd = Math.max(1, 2 * Math.floor(((there / ρ - along) / ρ - 1) / 2) + 3);
    return Math.min(even, odd);
  }
}

/** Play rounds of challenge, answer, label and update.
 * @param {import("./learner.js").Learner} learner  @param {Adversary} teacher  @param {number} rounds the most
 * @returns {{x: number[], answer: -1|1, y: -1|1, mistake: boolean, mistakes: number, bound: number, w: number[],
 *   b: number}[]} for each round; `bound` is the largest number of mistakes that the challenges so far allow, NaN if unknown */
export function play(learner, teacher, rounds) {
  const { claims } = learner.rule;
  const start = [...learner.w, learner.b];
  const norm = l2Norm(start);
  // an unknown w* may point away from the start
  const startAlong = teacher.separator ? inner(learner.w, unit(teacher.separator)) : -norm;
  const records = [];
  let [radius2, mistakes] = [0, 0];
  while (records.length < rounds) {
    const x = teacher.challenge(learner);
    if (!x) break;
    const answer = learner.answer(x);
    const y = teacher.label();
    const { mistake } = learner.learn(x, y);
    mistakes += Number(mistake);
    radius2 = Math.max(radius2, inner(x, x) + Number(learner.offset));
    const numbers = { radius: Math.sqrt(radius2), margin: teacher.margin, ...claims, startAlong, startNorm2: norm ** 2 };
    const bound = claims && teacher.margin ? mostUpdates(numbers) * (1 + TOLERANCE) : NaN;
    records.push({ x, answer, y, mistake, mistakes, bound, w: learner.w, b: learner.b });
  }
  return records;
}

function perpendicular(u) {
  const sizes = u.map(Math.abs);
  const axis = sizes.indexOf(Math.min(...sizes));
  const across = u.map((uj, j) => Number(j === axis) - u[axis] * uj);
  return scale(1 / l2Norm(across), across);
}
