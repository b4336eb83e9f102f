/**
 * Novikoff's bound (1962). Let w* have length 1, y w*·x ≥ γ and ‖x‖ ≤ R on every point; with an offset, these are the
 * points (x, 1) and the separator (w*, b*). A rule that adds rate·y·x where y w·x ≤ τ satisfies two claims at each update:
 *
 *   1. w·w* grows by at least rate·γ           2. ‖w‖² grows by at most rate²R² + 2·rate·τ
 *
 * so after t updates t·rate·γ + w₀·w* ≤ w·w* ≤ ‖w‖ ≤ √(‖w₀‖² + t·(rate²R² + 2·rate·τ)). From w₀ = 0 with τ = 0: t ≤ (R/γ)².
 */
import { BadInput, require } from "./errors.js";
import { inner, l2Norm, unit } from "./geometry.js";
import { makeRule } from "./rules.js";

/** Return the largest t that the inequality allows; infinite unless γ > 0.
 * @param {{radius: number, margin: number, rate?: number, threshold?: number, startAlong?: number, startNorm2?: number}}
 * numbers startAlong is w₀·w*, startNorm2 is ‖w₀‖²  @returns {number} */
export function mostUpdates({ radius, margin, rate = 1, threshold = 0, startAlong = 0, startNorm2 = 0 }) {
  if (!(margin > 0)) return Infinity;
  // divided by the rate, the run is one with rate 1 from w₀/rate; then γ²t² − 2·half·t − rest² ≤ 0, divided by γ²
  const reach = Math.hypot(radius, Math.sqrt((2 * threshold) / rate)) / margin;
  const along = startAlong / rate;
  const half = (reach * reach) / 2 - along / margin;
  const rest = Math.sqrt(Math.max(0, startNorm2 / rate / rate - along * along)) / margin;
  const root = Math.hypot(half, rest);
  return half >= 0 ? half + root : rest * (rest / (root - half)); // for half < 0 the sum would cancel
}

/** Check both claims at every update of a run against a separator of any length.
 * @param {import("./trace.js").Run} run  @param {number[]} star  @param {number} [starB]
 * @returns {{margin: number, radius: number, bound: number, holds: boolean, leastProgress: number, mostGrowth: number,
 *   updates: {step: number, progress: number, growth: number, along: number, norm: number}[]}} for each update its step
 *   (from 0), the increases of w·w* and ‖w‖², and w·w* and ‖w‖ after it */
export function checkClaims(run, star, starB = 0) {
  const { claims, name } = makeRule(run.settings.rule ?? "rosenblatt");
  if (!claims) throw new BadInput(`rule: the proof of this bound does not hold for ${name}`);
  const offset = run.settings.offset ?? true;
  require(offset || !starB, "w*: this run has no offset, so the separator goes through the origin");
  const direction = unit([...star, offset ? starB : 0]);
  const lifted = run.points.map((x) => [...x, offset ? 1 : 0]);
  const margin = Math.min(...lifted.map((x, row) => run.labels[row] * inner(x, direction)));
  const radius = Math.max(...lifted.map(l2Norm));
  const start = [...run.startW, run.startB];
  let [before, longest] = [start, l2Norm(start)];
  const updates = [];
  for (const [step, { updated, w, b }] of run.steps.entries()) {
    if (!updated) continue;
    const after = [...w, b];
    const change = after.map((weight, j) => weight - before[j]);
    const both = after.map((weight, j) => weight + before[j]);
    const norm = l2Norm(after);
    updates.push({ step, progress: inner(change, direction), growth: inner(change, both), along: inner(after, direction), norm });
    [before, longest] = [after, Math.max(longest, norm)];
  }
  const { rate, threshold } = claims;
  const [leastProgress, mostGrowth] = [rate * margin, (rate * radius) ** 2 + 2 * rate * threshold];
  const rounding = 8 * Number.EPSILON * longest; // ‖w‖ may be much larger than an update
  const holds = updates.every(
    ({ progress, growth }) =>
      progress >= leastProgress - 1e-9 * rate * radius - rounding &&
      growth <= mostGrowth * (1 + 1e-9) + rounding * longest,
  );
  const bound = mostUpdates({
    radius, margin, rate, threshold, startAlong: inner(start, direction), startNorm2: inner(start, start),
  });
  return { margin, radius, bound, holds, leastProgress, mostGrowth, updates };
}
