// Curves over one axis, with a legend that shows the values under the cursor.

import { real } from "./numbers.js";
import { extentOf, logTicks, niceTicks, rangeOf, tickText } from "./scales.js";
import { Canvas, FONT } from "./theme.js";

const CHART_DASHES = [6, 4];
const MANY = 200; // vertices of a curve

/** Curves over one axis: `set(series, options)` draws them. */
export class Chart {
  constructor(parent, { label = "A chart", xLabel = "", yLabel = "", height = 180 } = {}) {
    this.element = document.createElement("div");
    this.element.className = "chart";
    this.legend = document.createElement("ul");
    this.legend.className = "legend";
    this.box = document.createElement("div");
    this.box.className = "sheet";
    this.box.style.setProperty("--sheet-height", `${height}px`);
    this.element.append(this.legend, this.box);
    parent.append(this.element);
    Object.assign(this, { xLabel, yLabel, series: [], options: {}, items: [] });
    this.layers = new Map();
    this.canvas = new Canvas(this.box, label, () => {
      this.forgetLayers();
      this.redraw();
    });
  }

  /** Set the description of the curves for screen readers. */
  describe(text) {
    this.canvas.describe(text);
  }

  /**
   * Draw series [{name, xs, ys, kind: "line" | "step" | "dots" | "bars", colour, dash, width, opacity,
   * end (a text at its last point), legend: false, still: true (drawn once, then copied)}] with {cursor,
   * xRange, yRange, logX, logY, wholeX, wholeY}: a whole axis has no ticks between whole numbers.
   */
  set(series, options = {}) {
    const kept = new Set(series.map((each) => each.ys));
    if (this.series.some((each) => each.still && !kept.has(each.ys))) this.forgetLayers();
    this.series = series;
    this.options = options;
    this.writeLegend();
    this.redraw();
  }

  /** Move only the cursor. */
  setCursor(x) {
    this.options = { ...this.options, cursor: x };
    this.writeLegend();
    this.redraw();
  }

  /** Call back with x on a click or while dragging. */
  onPick(callback) {
    const { element } = this.canvas;
    element.classList.add("pressable");
    let dragging = false;
    const pick = (event) => {
      const left = event.clientX - element.getBoundingClientRect().left;
      const part = (left - this.frame.left) / (this.frame.right - this.frame.left);
      callback(this.xAxis.back(Math.max(0, Math.min(1, part))));
    };
    element.addEventListener("pointerdown", (event) => {
      dragging = true;
      element.setPointerCapture(event.pointerId);
      pick(event);
    });
    element.addEventListener("pointermove", (event) => dragging && pick(event));
    for (const ending of ["pointerup", "pointercancel"]) {
      element.addEventListener(ending, () => { dragging = false; });
    }
  }

  /** Disconnect the observers and remove the element. */
  destroy() {
    this.canvas.destroy();
    this.element.remove();
  }

  // ---------------------------------------------------------------- legend

  writeLegend() {
    const shown = this.series.filter((each) => each.legend !== false && each.name);
    if (this.items.length !== shown.length) {
      this.items = shown.map(() => legendItem());
      this.legend.replaceChildren(...this.items.map((item) => item.element));
    }
    shown.forEach((each, k) => {
      const { swatch, name, value } = this.items[k];
      swatch.style.setProperty("--swatch", `var(${each.colour ?? "--ink"})`);
      swatch.dataset.kind = ["dots", "bars"].includes(each.kind) ? each.kind : each.dash ? "dash" : "line";
      if (name.textContent !== each.name) name.textContent = each.name;
      const under = this.options.cursor === undefined ? null : valueAt(each, this.options.cursor);
      value.textContent = under === null ? "" : real(under);
    });
  }

  // ---------------------------------------------------------------- drawing

  redraw() {
    const context = this.canvas.begin();
    if (!context) return;
    context.font = FONT;
    const { xRange, yRange, logX, logY, wholeX, wholeY } = this.options;
    const heights = this.series.flatMap((each) => baseOf(each));
    this.yAxis = axisOf(heights, yRange, { logarithmic: logY, counts: wholeY, margin: 0.06 });
    this.yTicks = this.yAxis.ticks(Math.max(2, this.canvas.height / 40));
    const tickTexts = this.yTicks.map((tick) => tickText(tick, this.yTicks));
    const tickWidth = Math.max(...tickTexts.map((text) => context.measureText(text).width), 10);
    this.frame = {
      left: Math.ceil(tickWidth) + 10, top: this.yLabel ? 20 : 8,
      right: this.canvas.width - 10, bottom: this.canvas.height - (this.xLabel ? 38 : 22),
    };
    const widths = this.series.flatMap((each) => reach(each));
    this.xAxis = axisOf(widths, xRange, { logarithmic: logX, counts: wholeX });
    this.drawAxes(context);
    context.save();
    context.beginPath();
    context.rect(this.frame.left, this.frame.top - 2, this.frame.right - this.frame.left + 4,
      this.frame.bottom - this.frame.top + 4);
    context.clip();
    for (const each of this.series) {
      if (each.still) this.copySeries(context, each);
      else this.drawSeries(context, each);
    }
    this.drawCursor(context);
    context.restore();
    this.drawEnds(context);
  }

  x(value) {
    return this.frame.left + this.xAxis.part(value) * (this.frame.right - this.frame.left);
  }

  y(value) {
    return this.frame.bottom - this.yAxis.part(value) * (this.frame.bottom - this.frame.top);
  }

  drawAxes(context) {
    const { frame } = this;
    const colour = (name) => this.canvas.palette.colour(name);
    const xTicks = this.xAxis.ticks(Math.max(2, (frame.right - frame.left) / 70));
    context.lineWidth = 1;
    context.fillStyle = colour("--quiet");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of this.yTicks) {
      const at = Math.round(this.y(tick)) + 0.5;
      stroke(context, colour(tick === 0 ? "--axis" : "--rule"), [[frame.left, at], [frame.right, at]]);
      context.fillText(tickText(tick, this.yTicks), frame.left - 6, at);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of xTicks) {
      const text = tickText(tick, xTicks);
      const half = context.measureText(text).width / 2;
      const at = Math.round(this.x(tick)) + 0.5;
      stroke(context, colour("--axis"), [[at, frame.bottom], [at, frame.bottom + 4]]);
      context.fillText(text, Math.max(half, Math.min(this.canvas.width - half, at)), frame.bottom + 7);
    }
    const floor = frame.bottom + 0.5;
    stroke(context, colour("--axis"), [[frame.left, floor], [frame.right, floor]]);
    context.textAlign = "right";
    if (this.xLabel) context.fillText(this.xLabel, frame.right, frame.bottom + 23);
    context.textAlign = "left";
    if (this.yLabel) context.fillText(this.yLabel, 2, 2);
  }

  // a curve that does not change need not be drawn at each step
  copySeries(context, series) {
    const { element, ratio } = this.canvas;
    const corners = [this.xAxis, this.yAxis].map((axis) => [axis.back(0), axis.back(1)]);
    const shown = JSON.stringify([this.frame, corners, ratio]);
    let layer = this.layers.get(series.ys);
    if (layer?.shown !== shown) {
      const sheet = new OffscreenCanvas(element.width, element.height);
      const drawing = sheet.getContext("2d");
      drawing.scale(ratio, ratio);
      this.drawSeries(drawing, series);
      layer?.sheet.close();
      layer = { shown, sheet: sheet.transferToImageBitmap() };
      this.layers.set(series.ys, layer);
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(layer.sheet, 0, 0);
    context.restore();
  }

  forgetLayers() {
    this.layers.forEach((layer) => layer.sheet.close());
    this.layers.clear();
  }

  drawSeries(context, { xs, ys, kind = "line", colour = "--ink", dash = null, width = 2, opacity = 1 }) {
    const paint = this.canvas.palette.colour(colour);
    context.globalAlpha = opacity;
    if (kind === "dots") this.drawDots(context, xs, ys, paint);
    else if (kind === "bars") this.drawBars(context, xs, ys, paint);
    else {
      const corners = [];
      for (let k = 0; k < xs.length; k += 1) {
        if (kind === "step" && k) corners.push([this.x(xs[k]), this.y(ys[k - 1])]);
        corners.push([this.x(xs[k]), this.y(ys[k] ?? NaN)]);
      }
      context.lineWidth = width;
      // rounded joins of a long curve cost more than the curve itself
      context.lineJoin = corners.length > MANY ? "bevel" : "round";
      context.setLineDash(dash === true ? CHART_DASHES : dash || []);
      stroke(context, paint, clippedToView(corners, this.frame.top - 20, this.frame.bottom + 20));
      context.setLineDash([]);
    }
    context.globalAlpha = 1;
  }

  drawDots(context, xs, ys, paint) {
    context.fillStyle = paint;
    for (let k = 0; k < xs.length; k += 1) {
      context.beginPath();
      context.arc(this.x(xs[k]), this.y(ys[k]), 3, 0, 2 * Math.PI);
      context.fill();
    }
  }

  drawBars(context, xs, ys, paint) {
    context.fillStyle = paint;
    const wide = xs.length > 1 ? Math.abs(this.x(xs[1]) - this.x(xs[0])) : 30;
    const floor = this.y(this.yAxis.floor);
    for (let k = 0; k < xs.length; k += 1) {
      const [left, top] = [this.x(xs[k]) - 0.42 * wide, this.y(ys[k])];
      context.fillRect(left, Math.min(top, floor), 0.84 * wide, Math.abs(floor - top));
    }
  }

  drawCursor(context) {
    const { cursor } = this.options;
    if (cursor === undefined || cursor === null) return;
    const at = Math.round(this.x(cursor)) + 0.5;
    context.lineWidth = 1;
    stroke(context, this.canvas.palette.colour("--quiet"), [[at, this.frame.top], [at, this.frame.bottom]]);
    for (const each of this.series) {
      const value = each.legend === false || each.kind === "bars" ? null : valueAt(each, cursor);
      const paint = this.canvas.palette.colour(each.colour ?? "--ink");
      if (value !== null) this.drawDots(context, [cursor], [value], paint);
    }
  }

  drawEnds(context) {
    context.textAlign = "right";
    context.textBaseline = "bottom";
    for (const each of this.series) {
      if (!each.end || !each.xs.length) continue;
      const last = each.xs.length - 1;
      const [x, y] = [this.x(each.xs[last]), this.y(each.ys[last])];
      const at = [Math.min(x, this.frame.right), y < this.frame.top + 18 ? y + 17 : y - 4];
      context.lineWidth = 4;
      context.lineJoin = "round";
      context.strokeStyle = this.canvas.palette.colour("--paper");
      context.strokeText(each.end, ...at);
      context.fillStyle = this.canvas.palette.colour(each.colour ?? "--ink");
      context.fillText(each.end, ...at);
    }
  }
}

// ---------------------------------------------------------------- pieces

function legendItem() {
  const element = document.createElement("li");
  const [swatch, name, value] = ["span", "span", "strong"].map((tag) => document.createElement(tag));
  swatch.className = "swatch";
  element.append(swatch, name, value);
  return { element, swatch, name, value };
}

// the value of a series under the cursor: interpolated on a line, otherwise the last value before the
// cursor
function valueAt({ xs, ys, kind = "line" }, cursor) {
  if (!xs.length || cursor < xs[0] || cursor > xs[xs.length - 1]) return null;
  let [low, high] = [0, xs.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (xs[middle] <= cursor) low = middle;
    else high = middle - 1;
  }
  if (kind !== "line" || low === xs.length - 1) return Number.isFinite(ys[low]) ? ys[low] : null;
  const part = (cursor - xs[low]) / (xs[low + 1] - xs[low] || 1);
  const value = ys[low] + part * (ys[low + 1] - ys[low]);
  return Number.isFinite(value) ? value : null;
}

function baseOf({ ys, kind }) {
  return kind === "bars" ? [0, ...extentOf(ys)] : extentOf(ys);
}

// the outer bars extend half their width beyond their centres
function reach({ xs, kind }) {
  const [low, high] = extentOf(xs);
  if (kind !== "bars" || low === undefined) return low === undefined ? [] : [low, high];
  const half = xs.length > 1 ? Math.abs(xs[1] - xs[0]) / 2 : 0.5;
  return [low - half, high + half];
}

// an axis maps numbers to fractions of its length, linearly or logarithmically
function axisOf(values, range, { logarithmic = false, counts = false, margin = 0 }) {
  if (logarithmic) {
    const [low = 1, high = 10] = range ?? extentOf(values.filter((value) => value > 0));
    const [from, to] = [Math.log10(low), Math.log10(high > low ? high : low * 10)];
    return {
      part: (value) => (Math.log10(Math.max(value, low * 1e-9)) - from) / (to - from),
      back: (part) => 10 ** (from + part * (to - from)),
      ticks: (most) => logTicks(10 ** from, 10 ** to, most),
      floor: low,
    };
  }
  const [low, high] = range ?? rangeOf(values, margin);
  const length = high - low || 1;
  return {
    part: (value) => (value - low) / length,
    back: (part) => low + part * length,
    ticks: (most) => niceTicks(low, high, counts ? Math.min(most, length) : most),
    floor: Math.max(low, 0),
  };
}

// clip a dashed line that extends far outside the picture: its dashes would take longer than everything
// else
function clippedToView(corners, top, bottom) {
  const near = ([, y]) => !(y < top || y > bottom);
  if (corners.every(near)) return corners;
  const kept = [];
  for (let k = 1; k < corners.length; k += 1) {
    const [a, b] = [corners[k - 1], corners[k]];
    if (Math.max(a[1], b[1]) < top || Math.min(a[1], b[1]) > bottom) continue;
    const cut = (from, to) => {
      const y = Math.max(top, Math.min(bottom, from[1]));
      return y === from[1] ? from : [from[0] + ((y - from[1]) / (to[1] - from[1])) * (to[0] - from[0]), y];
    };
    kept.push([NaN, NaN], cut(a, b), cut(b, a));
  }
  return kept;
}

function stroke(context, paint, corners) {
  context.strokeStyle = paint;
  context.beginPath();
  let drawing = false;
  for (const [x, y] of corners) {
    if (!Number.isFinite(x + y)) drawing = false;
    else if (drawing) context.lineTo(x, y);
    else {
      context.moveTo(x, y);
      drawing = true;
    }
  }
  context.stroke();
}
