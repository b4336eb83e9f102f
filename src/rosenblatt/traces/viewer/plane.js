// A plane with two coordinates on a canvas, with handles that can be dragged or moved by keys.

import { vector } from "./numbers.js";
import { Pen } from "./pen.js";
import { extentOf, niceTicks, rangeOf, tickText } from "./scales.js";
import { Canvas, FONT } from "./theme.js";

const FRAME = { left: 40, top: 8, right: 8, bottom: 26 };
const TICK_GAP = 6; // pixels between a tick label and the frame
const NEAR = 14; // pixels within which a pointer selects a point

/** A plane with two coordinates: call `fit` or `setView`, then `draw(pen => …)`. */
export class Plane {
  constructor(parent, { label = "A plane", xLabel = "x₁", yLabel = "x₂", equal = true } = {}) {
    this.element = document.createElement("div");
    this.element.className = "plane";
    parent.append(this.element);
    Object.assign(this, { xLabel, yLabel, equal, paint: null, handles: new Set(), takesPresses: false });
    this.requested = { x: [-1, 1], y: [-1, 1] };
    this.canvas = new Canvas(this.element, label, () => this.redraw(true));
    this.pen = new Pen(this);
    this.settle();
  }

  /** Set the description of the picture for screen readers. */
  describe(text) {
    this.canvas.describe(text);
  }

  /** Show at least these ranges. */
  setView(x, y) {
    this.requested = { x: [...x], y: [...y] };
    this.redraw();
  }

  /** Show all points, and the `include` points, with a margin around them. */
  fit(points, { include = [[0, 0]], margin = 0.15 } = {}) {
    const all = [...points, ...include];
    const [xs, ys] = [all.map((point) => point[0]), all.map((point) => point[1])];
    // points on a line parallel to one axis must not widen the other axis
    const lengths = [xs, ys].map((values) => extentOf(values)).map(([low = 0, high = 0]) => high - low);
    const least = this.equal ? Math.max(...lengths) / 2 : 0;
    this.setView(rangeOf(xs, margin, least), rangeOf(ys, margin, least));
  }

  /** Draw now, and again when the size or the theme changes. */
  draw(paint) {
    this.paint = paint;
    this.redraw();
  }

  /** Convert a data coordinate to a pixel, and back. */
  x(value) {
    return this.frame.left + (value - this.view.x[0]) * this.xScale;
  }

  y(value) {
    return this.frame.bottom - (value - this.view.y[0]) * this.yScale;
  }

  toData(left, top) {
    return [
      this.view.x[0] + (left - this.frame.left) / this.xScale,
      this.view.y[0] + (this.frame.bottom - top) / this.yScale,
    ];
  }

  /**
   * Call back with the data coordinates of each click or tap. The keyboard moves a crosshair,
   * which starts at `from` or in the middle.
   */
  onPress(callback, { label = "cross", does = "Enter selects this place", from = null } = {}) {
    this.takesPresses = true;
    this.canvas.element.classList.add("pressable");
    this.canvas.element.addEventListener("click", (event) => {
      const [x, y] = this.place(event);
      if (x >= this.frame.left && y <= this.frame.bottom) callback(this.toData(x, y), event);
    });
    let at = from ?? [(this.view.x[0] + this.view.x[1]) / 2, (this.view.y[0] + this.view.y[1]) / 2];
    const onMove = (point) => { at = point; };
    const cross = this.handle({ at, label, keys: `arrow keys move it, ${does}`, onMove });
    cross.element.classList.add("cross");
    cross.element.addEventListener("click", (event) => callback(at, event));
    return cross;
  }

  /** Return the number of the point drawn nearest to a position on the canvas, or −1 if none is near. */
  nearest(points, event) {
    const [left, top] = this.place(event);
    let [found, least] = [-1, NEAR];
    for (let i = 0; i < points.length; i += 1) {
      const away = Math.hypot(this.x(points[i][0]) - left, this.y(points[i][1]) - top);
      if (away < least) [found, least] = [i, away];
    }
    return found;
  }

  /**
   * Add a handle over the plane, dragged by pointer or moved by the arrow keys (Shift: further).
   * `along: "x" | "y"` restricts it to a line. Return {element, moveTo(point), remove()}.
   */
  handle({ at, label, text = "", onMove = () => {}, along = null, keys = "arrow keys move it" }) {
    const element = document.createElement("button");
    element.type = "button";
    element.className = "handle";
    element.textContent = text;
    this.element.append(element);
    const held = { at: [...at] };
    const show = () => {
      const { width, height, scale } = this.canvas;
      element.style.left = `${scale * Math.max(-4, Math.min(width + 4, this.x(held.at[0])))}px`;
      element.style.top = `${scale * Math.max(-4, Math.min(height + 4, this.y(held.at[1])))}px`;
      element.setAttribute("aria-label", `${label} at ${vector(held.at, 4)}; ${keys}`);
    };
    const move = ([x, y]) => {
      held.at = [along === "y" ? held.at[0] : x, along === "x" ? held.at[1] : y];
      show();
      onMove([...held.at]);
    };
    this.drag(element, held, move);
    element.addEventListener("keydown", (event) => this.moveByKey(event, held.at, move));
    this.handles.add(show);
    show();
    return {
      element,
      moveTo: (point) => { held.at = [...point]; show(); },
      remove: () => { this.handles.delete(show); element.remove(); },
    };
  }

  drag(element, held, move) {
    let grip = null;
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const [x, y] = this.place(event);
      grip = [this.x(held.at[0]) - x, this.y(held.at[1]) - y];
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const [x, y] = this.place(event);
      move(this.inView(this.toData(x + grip[0], y + grip[1])));
    });
    const release = () => { grip = null; };
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
  }

  moveByKey(event, at, move) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const part = event.shiftKey ? 1 / 8 : 1 / 40;
    const { x, y } = this.view;
    move(this.inView([at[0] + way[0] * part * (x[1] - x[0]), at[1] + way[1] * part * (y[1] - y[0])]));
  }

  /** Disconnect the observers and remove the element. */
  destroy() {
    this.canvas.destroy();
    this.element.remove();
  }

  // ---------------------------------------------------------------- inside

  place(event) {
    const box = this.canvas.element.getBoundingClientRect();
    return [(event.clientX - box.left) / this.canvas.scale, (event.clientY - box.top) / this.canvas.scale];
  }

  inView([x, y]) {
    const within = (value, [low, high]) => Math.max(low, Math.min(high, value));
    return [within(x, this.view.x), within(y, this.view.y)];
  }

  // the actual view: equal scales require one of the two ranges to be wider than requested
  settle() {
    const { width, height } = this.canvas;
    const { left, top, right, bottom } = FRAME;
    this.frame = { left, top, right: width - right, bottom: height - bottom };
    this.scaleView();
    // a wider margin may need longer numbers; the margin only grows, so this ends soon
    for (let round = 0; round < 3 && this.widestTick() > this.frame.left; round += 1) {
      this.frame.left = Math.min(this.widestTick(), width / 2);
      this.scaleView();
    }
  }

  /** Return the width in pixels of the numbers of the vertical axis. */
  widestTick() {
    const { context } = this.canvas;
    context.font = FONT;
    const texts = this.yLabel === null ? [] : this.yTicks.map((tick) => tickText(tick, this.yTicks));
    return Math.ceil(Math.max(0, ...texts.map((text) => context.measureText(text).width))) + TICK_GAP + 2;
  }

  scaleView() {
    const across = Math.max(1, this.frame.right - this.frame.left);
    const along = Math.max(1, this.frame.bottom - this.frame.top);
    let [{ x, y }, xScale, yScale] = [this.requested, 0, 0];
    xScale = across / (x[1] - x[0]);
    yScale = along / (y[1] - y[0]);
    if (this.equal) {
      xScale = yScale = Math.min(xScale, yScale);
      x = centred(x, across / xScale);
      y = centred(y, along / yScale);
    }
    const yTicks = niceTicks(...y, Math.max(2, along / 48));
    Object.assign(this, { view: { x, y }, xScale, yScale, yTicks });
  }

  redraw(fresh = false) {
    const { ratio } = this.canvas;
    const context = this.canvas.begin();
    if (fresh || ratio !== this.canvas.ratio) this.pen.forget();
    this.settle();
    if (!context) return;
    if (this.paint) {
      this.clip();
      this.paint(this.pen);
      context.restore();
    }
    this.handles.forEach((show) => show());
  }

  clip() {
    const { context } = this.canvas;
    const { left, top, right, bottom } = this.frame;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left + 1, bottom - top + 1);
    context.clip();
  }
}

function centred([low, high], length) {
  const middle = (low + high) / 2;
  return [middle - length / 2, middle + length / 2];
}
