// The picture of one step of a kernel run: the curve where the score is 0, and the support rows.

import { sidesOf, zeroCurve } from "./curves.js";
import { counted, real, whole } from "./numbers.js";
import { singlesOf } from "./packed.js";
import { Scene } from "./scene.js";
import { pictureSentence } from "./sentences.js";

const NEXT = [NaN, NaN]; // separates two parts of a curve

/** Like `Scene`, for a run whose `head.kernel` contains the kernel values of the support rows on a grid. */
export class KernelScene extends Scene {
  paint(state, judged, withStar) {
    const now = this.curveOf(state);
    const old = state.updated ? this.curveOf(state.before) : null;
    const { support } = this.head.kernel;
    const carrying = support.filter((_, k) => state.weights[k] !== 0).map((row) => this.drawn[row]);
    this.plane.draw((pen) => {
      if (now) pen.regions({ ...now.sides, opacity: 0.11 });
      pen.grid();
      pen.points(this.drawn, this.classes, { size: this.size, still: true });
      pen.rings(carrying, "support", { size: this.size });
      pen.rings((judged.wrong ?? []).map((i) => this.drawn[i]), "wrong", { size: this.size });
      if (withStar) pen.curve(this.starCurve(), { colour: "--proof", dash: [10, 4, 2, 4] });
      if (old) pen.curve(old.curve, { colour: "--old", dash: true });
      if (now) pen.curve(now.curve, { colour: "--w", width: 2.5 });
      if (state.index >= 0) pen.ring(this.drawn[state.index], "now");
      pen.rings(this.marked.map((i) => this.drawn[i]), "chosen");
      this.note.textContent = this.kernelRemarks(state, judged, now).join(" · ");
    });
    this.plane.describe(pictureSentence(this.head, state, judged));
  }

  // ---------------------------------------------------------------- the curve

  /**
   * Return {curve, sides} of w after a step; null if there is no grid or w = 0. The last two results are
   * cached.
   */
  curveOf({ weights }) {
    const { grid } = this.head.kernel;
    if (!grid || weights.every((weight) => weight === 0)) return null;
    const name = weights.join(" ");
    this.curves ??= new Map();
    if (!this.curves.has(name)) {
      const values = this.scoresOf(weights, grid);
      this.curves.set(name, { curve: joined(zeroCurve(grid, values)), sides: sidesOf(grid, values) });
      if (this.curves.size > 3) this.curves.delete(this.curves.keys().next().value);
    }
    return this.curves.get(name);
  }

  scoresOf(weights, grid) {
    this.fields ??= singlesOf(grid.values);
    const size = grid.columns * grid.rows;
    const scores = new Float64Array(size);
    weights.forEach((weight, k) => {
      if (weight === 0) return;
      for (let node = 0; node < size; node += 1) scores[node] += weight * this.fields[k * size + node];
    });
    return scores;
  }

  starCurve() {
    const { grid } = this.head.kernel;
    this.star ??= joined(zeroCurve(grid, singlesOf(grid.star)));
    return this.star;
  }

  // ---------------------------------------------------------------- view and words

  fit() {
    const { grid } = this.head.kernel;
    this.plane.equal = grid?.equal ?? true;
    if (!grid) {
      this.plane.fit(this.drawn, { include: [] });
      return;
    }
    // the grid is wider than the requested range, because a wide picture shows a wider range
    const [middle, half] = [(grid.x[0] + grid.x[1]) / 2, (grid.y[1] - grid.y[0]) / 2];
    this.plane.setView(grid.equal ? [middle - half, middle + half] : grid.x, grid.y);
  }

  kernelRemarks(state, judged, now) {
    const notes = [];
    if (!this.plane.equal) notes.push("the axes have different scales");
    if (now && now.curve.length === 0) notes.push("the score has one sign in the whole picture");
    return [...notes, this.judgement(state, judged)];
  }

  judgement({ norm2 }, { wrong, smallest, tied }) {
    if (tied) return "w = 0: every point is a tie";
    if (wrong === null) return "points not evaluated yet, because there are many";
    const points = counted(this.head.labels.length, "point");
    if (wrong.length) return `${whole(wrong.length)} of ${points} misclassified`;
    return `all points correct, with margin ${real(smallest / Math.sqrt(norm2))} in feature space`;
  }
}

function joined(parts) {
  return parts.flatMap((part) => [...part, NEXT]);
}
