/** Perceptron, linear program and support vector machine (the largest margin) on the same points. */
import { wrongRows } from "./averaging.js";
import { l2Norm, signedDistance } from "./geometry.js";
import { separatorByLinearProgram } from "./linear_program.js";
import { score } from "./score.js";
import { separate } from "./separation.js";
import { cycleText, trace } from "./trace.js";

/** Return the line of each method; `margin` is the smallest signed distance y(w·x + b)/‖w‖, negative if a point is wrong.
 * @param {number[][]} points  @param {(-1|1)[]} labels
 * @param {import("./trace.js").RunSettings} [settings] of the perceptron; by default until it separates the points
 * @returns {{name: "perceptron"|"linear_program"|"largest_margin", w: number[]|null, b: number, margin: number,
 *   wrong: number[], note: string}[]} w is null if the method finds no line */
export function compareSeparators(points, labels, settings = {}) {
  const run = trace(points, labels, { until: "separated", epochs: null, maxSteps: 5_000, ...settings });
  const program = separatorByLinearProgram(points, labels, settings);
  const best = separate(points, labels, settings);
  const never = "finds no line: the hulls of the two classes meet";
  const ended = run.cycle ? cycleText(run.cycle) : `not separated after ${run.steps.length} steps`;
  const found = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  return [
    entry("perceptron", run.w, run.b, run.separated ? found(run.mistakes, "mistake") : ended),
    entry("linear_program", program.separable ? program.w : null, program.b, program.separable ? found(program.pivots, "pivot") : never),
    entry("largest_margin", best.w, best.b, best.separable ? found(best.support.length, "support point") : never),
  ];

  function entry(name, w, b, note) {
    if (!w || !l2Norm(w)) return { name, w: null, b: 0, margin: NaN, wrong: [], note };
    const margin = Math.min(...points.map((x, row) => labels[row] * signedDistance(x, w, b)));
    return { name, w, b, margin, wrong: wrongRows((x) => score(w, b, x).value, points, labels), note };
  }
}
