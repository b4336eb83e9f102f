// The picture of one step: points, the old line and the new one, and the update as vector addition.

import { Judged, lengthOf } from "./judged.js";
import { counted, real, whole } from "./numbers.js";
import { Plane } from "./plane.js";
import { extentOf, rangeOf } from "./scales.js";
import { pictureSentence, shortName } from "./sentences.js";

const FRACTIONS = { 0.5: "½", 0.25: "¼", 0.125: "⅛" };
// if the origin is farther from the points than this many times their width, the picture omits it
const FAR = 4;
// arrows up to this many times as long as the distance of the points are shown in full
const TO_SCALE = 1.5;
// if the ranges differ by a larger factor, equal scales would show the points as a line
const STRETCHED = 10;
const CORNERS = 96; // vertices of an ellipse
const REST = 150; // milliseconds at one step before a very large number of points is evaluated
const UNJUDGED = { wrong: null, smallest: 0, tied: false };

/**
 * The picture of a run; `show(state)` draws the state after a step. `marked` contains the rows of the
 * selected points, and `zoomed` states whether the view contains only the points.
 */
export class Scene {
  constructor(parent, head, include = []) {
    Object.assign(this, { head, include });
    const { origin, axes, labels } = head.plane;
    this.drawn = head.points.map((point) => axes.map((axis) => along(point, axis) - along(origin, axis)));
    this.classes = head.labels.map((label) => (label > 0 ? 1 : 0));
    this.judged = new Judged(head);
    this.size = head.points.length > 400 ? 3 : head.points.length > 50 ? 4 : 5;
    Object.assign(this, { marked: [], zoomed: false, known: { state: null }, later: 0 });
    const named = { xLabel: shortName(labels[0]), yLabel: labels[1] ? shortName(labels[1]) : null };
    this.plane = new Plane(parent, { label: "Picture of the run", ...named });
    this.fit();
    this.note = document.createElement("p");
    this.note.className = "note";
    parent.append(this.note);
  }

  /** Draw the state after a step; `withStar` adds w* and its band. */
  show(state, { withStar = false } = {}) {
    clearTimeout(this.later);
    const isKnown = this.known.state === state;
    if (!isKnown && this.judged.isQuick) this.known = { state, ...this.judged.all(state) };
    if (isKnown || this.judged.isQuick) {
      this.paint(state, this.known, withStar);
      return;
    }
    this.paint(state, UNJUDGED, withStar);
    this.later = setTimeout(() => {
      this.known = { state, ...this.judged.all(state) };
      this.paint(state, this.known, withStar);
    }, REST);
  }

  paint(state, judged, withStar) {
    const geometry = this.geometry(state, judged);
    const old = state.updated ? this.geometry(state.before, UNJUDGED) : null;
    const star = withStar ? this.starGeometry() : null;
    this.plane.draw((pen) => {
      const arrows = this.arrowsOf(state, geometry, old); // another picture size may need another scale
      if (geometry.hasLine) pen.halves(...geometry.line);
      pen.grid();
      if (geometry.half > 0) pen.band(...geometry.line, geometry.half);
      if (star) this.drawStar(pen, star);
      pen.points(this.drawn, this.classes, { size: this.size, still: true });
      pen.rings((judged.wrong ?? []).map((i) => this.drawn[i]), "wrong", { size: this.size });
      if (old && old.hasLine) pen.line(...old.line, { colour: "--old", dash: true });
      if (geometry.hasLine) pen.line(...geometry.line, { colour: "--w", width: 2.5 });
      if (geometry.hasLine && this.plane.equal) this.drawRightAngle(pen, geometry);
      this.drawUnsure(pen, state, arrows.scale);
      for (const { from, to, ...style } of arrows.list) pen.arrow(from, to, style);
      if (state.index >= 0) pen.ring(this.drawn[state.index], "now");
      pen.rings(this.marked.map((i) => this.drawn[i]), "chosen");
      this.note.textContent = this.remarks(geometry, judged, arrows, star).join(" · ");
    });
    this.plane.describe(pictureSentence(this.head, state, judged));
  }

  destroy() {
    clearTimeout(this.later);
    this.plane.destroy();
  }

  // ---------------------------------------------------------------- predictions of (w, b)

  // the line in the plane, and the margin band if all points are correct
  geometry({ weights, offset }, { wrong, smallest }) {
    const { origin, axes } = this.head.plane;
    const line = [along(weights, axes[0]), along(weights, axes[1]), along(weights, origin) + offset];
    const slope = Math.hypot(line[0], line[1]);
    const separates = wrong !== null && smallest > 0 && Number.isFinite(smallest) && slope > 0;
    return {
      line, hasLine: slope > 0, half: separates ? smallest / slope : 0,
      margin: separates ? smallest / lengthOf(weights) : 0, direction: [line[0], line[1]],
    };
  }

  starGeometry() {
    const { proof } = this.head;
    this.star ??= proof && this.geometry(proof, this.judged.all(proof));
    return this.star;
  }

  // ---------------------------------------------------------------- arrows

  // old w, the update at its tip, and new w, all at one scale that fits the picture
  arrowsOf(state, geometry, old) {
    const ends = old ? [old.direction, geometry.direction] : [geometry.direction];
    const scale = this.scaleFor(ends);
    const tip = (direction) => direction.map((part, k) => this.anchor[k] + scale * part);
    const [now, before] = [tip(geometry.direction), old && tip(old.direction)];
    const alone = { from: this.anchor, to: now, colour: "--w", text: "w" };
    if (!old) return { scale, list: geometry.hasLine ? [alone] : [] };
    const fromZero = !old.hasLine;
    const list = [
      { from: this.anchor, to: now, colour: "--w", text: "new w", width: fromZero ? 5 : 3 },
      { from: before, to: now, colour: "--add", text: this.added(state) },
    ];
    if (!fromZero) list.unshift({ from: this.anchor, to: before, colour: "--old", text: "w" });
    // the labels are outside the triangle of the three arrows
    const turn = leftOf(this.anchor, before, now) || 1;
    list.forEach((arrow) => { arrow.side = arrow.colour === "--w" ? turn : -turn; });
    return { scale, list };
  }

  // "+x" if the update is y·x itself; other rules add a multiple of it, or another vector
  added({ weights, before, index }) {
    const [x, label] = [this.head.points[index], this.head.labels[index]];
    const plain = weights.every((weight, j) => weight === before.weights[j] + label * x[j]);
    return plain ? (label > 0 ? "+x" : "−x") : "change";
  }

  scaleFor(directions) {
    const { x, y } = this.plane.view;
    const room = ([low, high], at, part) => (part > 0 ? high - at : at - low) * 0.92;
    const fits = (scale) => directions.every(([s, t]) => Math.abs(s) * scale <= room(x, this.anchor[0], s)
      && Math.abs(t) * scale <= room(y, this.anchor[1], t));
    const { xScale, yScale } = this.plane;
    const longest = Math.max(...directions.map(([s, t]) => Math.hypot(s * xScale, t * yScale)));
    let scale = 1;
    if (!(longest > 0) || !Number.isFinite(longest)) return scale;
    while (scale > Number.MIN_VALUE && !fits(scale)) scale /= 2;
    if (scale === 1) while (longest * scale < 40 && fits(2 * scale)) scale *= 2;
    return scale;
  }

  // ---------------------------------------------------------------- drawing

  /** Show only the points, or also the origin and space for the arrows. */
  zoom(zoomed) {
    this.zoomed = zoomed;
    this.fit();
  }

  fit() {
    const [xs, ys] = [0, 1].map((k) => rangeOf(this.drawn.map((point) => point[k])));
    const reach = FAR * Math.max(xs[1] - xs[0], ys[1] - ys[0]);
    const far = ([low, high]) => low > reach || high < -reach;
    this.originShown = !far(xs) && !far(ys);
    this.anchor = this.originShown ? [0, 0] : [(xs[0] + xs[1]) / 2, (ys[0] + ys[1]) / 2];
    this.plane.equal = true;
    if (this.zoomed) this.fitToPoints();
    else this.fitWithArrows();
  }

  // Arrows start at the anchor. If no w of the run is much longer than the distance of the points, all
  // arrows have their true length; otherwise they are scaled to half that distance, which a note under the
  // picture states.
  fitWithArrows() {
    const away = this.drawn.map(([s, t]) => Math.hypot(s - this.anchor[0], t - this.anchor[1]));
    const reach = extentOf(away)[1] ?? 1;
    const half = 0.5 * reach;
    const corners = [-half, half].map((side) => this.anchor.map((at) => at + side));
    const { tips } = this.head;
    if (tips && tips.flat().every((end) => Math.abs(end) <= TO_SCALE * reach)) {
      corners.push(...[0, 1].map((side) => this.anchor.map((at, k) => at + tips[k][side])));
    }
    this.plane.fit(this.drawn, { include: [...corners, ...this.include] });
  }

  fitToPoints() {
    const [wide, high] = [0, 1].map((k) => extentOf(this.drawn.map((point) => point[k])))
      .map(([low = 0, up = 0]) => up - low);
    const isStretched = Math.max(wide, high) > STRETCHED * Math.min(wide, high);
    this.plane.equal = !(isStretched && Math.min(wide, high) > 0);
    this.plane.fit(this.drawn, { include: [], margin: 0.08 });
    const { x, y } = this.plane.view;
    const within = ([low, up]) => low <= 0 && up >= 0;
    this.originShown = within(x) && within(y);
    this.anchor = this.originShown ? [0, 0] : [x, y].map(([low, up]) => (low + up) / 2);
  }

  drawStar(pen, { line, half }) {
    if (half > 0) pen.band(...line, half, { colour: "--proof", opacity: 0.13 });
    pen.line(...line, { colour: "--proof", dash: [10, 4, 2, 4] });
  }

  // the ellipse of one standard deviation around w, which every update of such a rule shrinks
  drawUnsure(pen, { covariance, weights, before, updated }, scale) {
    if (!covariance) return;
    const at = (vector, around) => ellipse(around).map(
      (part) => part.map((side, k) => this.anchor[k] + scale * (vector[k] + side)),
    );
    const thin = { colour: "--old", dash: true, width: 1.5 };
    if (updated) pen.curve(at(before.weights, before.covariance), thin);
    const now = at(weights, covariance);
    pen.area(now, { colour: "--w", opacity: 0.14 });
    pen.curve(now, { colour: "--w", width: 1.5 });
  }

  // w is perpendicular to its line: a small square where they meet, and a dotted line to it
  drawRightAngle(pen, { line: [a, b, c] }) {
    const length = Math.hypot(a, b);
    const [nx, ny] = [a / length, b / length];
    const away = (a * this.anchor[0] + b * this.anchor[1] + c) / length;
    const foot = [this.anchor[0] - away * nx, this.anchor[1] - away * ny];
    const side = 9 / this.plane.xScale;
    const corner = (u, v) => [foot[0] + side * (u * nx - v * ny), foot[1] + side * (u * ny + v * nx)];
    if (Math.abs(away) > side) pen.segment(this.anchor, foot, { colour: "--w", dash: [2, 4], width: 1.5 });
    pen.curve([corner(1, 0), corner(1, 1), corner(0, 1)], { colour: "--w", width: 1.5 });
  }

  remarks(geometry, judged, arrows, star) {
    const notes = [];
    const part = FRACTIONS[arrows.scale] ?? `1/${whole(1 / arrows.scale)}`;
    if (arrows.scale < 1) notes.push(`arrows drawn at ${part} of their length`);
    if (arrows.scale > 1) notes.push(`arrows drawn ${arrows.scale} times as long as they are`);
    if (!this.originShown) notes.push("arrows start in the middle, since 0 is outside the picture");
    if (!this.plane.equal) notes.push("the axes have different scales, so right angles are distorted");
    if (geometry.hasLine && !this.isVisible(geometry.line)) notes.push("the line is outside the picture");
    if (this.head.covariance) notes.push("the ellipse is one standard deviation of w");
    notes.push(this.verdict(geometry, judged));
    if (star) notes.push(`smallest distance to the line of w*: ${real(star.margin)}`);
    return notes;
  }

  verdict(geometry, { wrong, tied }) {
    if (tied) return `w = 0${this.head.offset ? ", b = 0" : ""}: every point is a tie`;
    if (wrong === null) return "points not evaluated yet, because there are many";
    return geometry.margin > 0
      ? `all points correct, the nearest at distance ${real(geometry.margin)} (the band)`
      : `${whole(wrong.length)} of ${counted(this.head.labels.length, "point")} misclassified`;
  }

  isVisible([a, b, c]) {
    const { x, y } = this.plane.view;
    const sides = x.flatMap((s) => y.map((t) => Math.sign(a * s + b * t + c)));
    return sides.some((side) => side !== sides[0]);
  }
}

// points of the ellipse {Lu : |u| = 1} with LLᵀ = Σ, given by Σ₁₁, Σ₁₂, Σ₂₂
function ellipse([first, both, second]) {
  const [l, m] = [Math.sqrt(first), both / Math.sqrt(first)];
  const n = Math.sqrt(Math.max(0, second - m * m));
  return Array.from({ length: CORNERS + 1 }, (_, k) => {
    const [c, s] = [Math.cos((2 * Math.PI * k) / CORNERS), Math.sin((2 * Math.PI * k) / CORNERS)];
    return [l * c, m * c + n * s];
  });
}

function along(point, axis) {
  let sum = 0;
  for (let j = 0; j < axis.length; j += 1) sum += point[j] * axis[j];
  return sum;
}

// 1 where the point lies on the left of the arrow from a to b, −1 on its right, 0 on it
function leftOf(a, b, point) {
  return Math.sign((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]));
}
