// The pen of a plane: it draws in data coordinates; colours are names of CSS variables.

import { classColour, markSprite, ringSprite } from "./marks.js";
import { niceTicks, tickText } from "./scales.js";
import { FONT } from "./theme.js";

const BOLD = `600 13px${FONT.slice(4)}`;
const DASHES = [6, 4];

/**
 * Draw on one plane. `plane` provides the context, palette, frame {left, top, right, bottom} and the view.
 */
export class Pen {
  constructor(plane) {
    this.plane = plane;
    this.context = plane.canvas.context;
    this.palette = plane.canvas.palette;
    this.sprites = new Map();
    this.layer = null;
  }

  /**
   * Draw the frame, grid lines at round numbers, the two axes, tick labels and the names of the
   * coordinates.
   */
  grid() {
    const { context, plane } = this;
    const { frame, view } = plane;
    context.lineWidth = 1;
    const across = niceTicks(...view.x, Math.max(2, (frame.right - frame.left) / 64));
    const along = plane.yTicks;
    for (const tick of across) this.rule(plane.x(tick), frame.top, plane.x(tick), frame.bottom, tick === 0);
    for (const tick of along) this.rule(frame.left, plane.y(tick), frame.right, plane.y(tick), tick === 0);
    this.tickTexts(across, along);
  }

  rule(x1, y1, x2, y2, isAxis) {
    const { context } = this;
    context.strokeStyle = this.palette.colour(isAxis ? "--axis" : "--rule");
    context.beginPath();
    context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
    context.stroke();
  }

  tickTexts(across, along) {
    const { context, plane } = this;
    const { frame } = plane;
    this.outside(() => {
      context.font = FONT;
      context.fillStyle = this.palette.colour("--quiet");
      context.textAlign = "center";
      context.textBaseline = "top";
      const end = frame.right - context.measureText(plane.xLabel).width - 10;
      let free = 0; // end of the previous label, which the next one must not touch
      for (const tick of across) {
        const text = tickText(tick, across);
        const half = context.measureText(text).width / 2;
        const at = plane.x(tick);
        if (at - half < free || at + half >= end) continue;
        context.fillText(text, at, frame.bottom + 6);
        free = at + half + 6;
      }
      context.textAlign = "right";
      context.textBaseline = "middle";
      for (const tick of plane.yLabel === null ? [] : along) {
        const at = plane.y(tick);
        if (at > frame.top + 16) context.fillText(tickText(tick, along), frame.left - 6, at);
      }
      context.fillStyle = this.palette.colour("--ink");
      context.textBaseline = "top";
      context.fillText(plane.xLabel, frame.right, frame.bottom + 6);
      context.textAlign = "left";
      context.fillText(plane.yLabel ?? "", Math.max(2, frame.left - 22), frame.top);
    });
  }

  /**
   * Draw points with the shape and colour of their classes. `faded` draws them lightly, `size` is the
   * radius. `still` states that these arrays never change, so they are drawn once and then copied.
   */
  points(points, classes, { faded = false, size = 5, still = false } = {}) {
    const made = [];
    const sprites = (i) => {
      const number = classes[i];
      return (made[number] ??= this.sprite(`${number} ${size}`, markSprite, number, size));
    };
    this.context.globalAlpha = faded ? 0.35 : 1;
    if (still) this.copyLayer(points, sprites);
    else this.stamp(this.context, points, sprites);
    this.context.globalAlpha = 1;
  }

  copyLayer(points, sprites) {
    const { canvas, view } = this.plane;
    const { context } = this;
    const shown = JSON.stringify(view);
    if (this.layer?.points !== points || this.layer.shown !== shown) {
      const sheet = new OffscreenCanvas(canvas.element.width, canvas.element.height);
      this.stamp(sheet.getContext("2d"), points, sprites);
      this.layer?.sheet.close();
      this.layer = { points, shown, sheet: sheet.transferToImageBitmap() };
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.layer.sheet, 0, 0);
    context.restore();
  }

  /** Discard copies drawn in another size or theme. */
  forget() {
    this.sprites.clear();
    this.layer?.sheet.close();
    this.layer = null;
  }

  // whole screen pixels, so that copying a sprite is far cheaper than drawing it
  stamp(context, points, spriteOf) {
    const { plane } = this;
    const { ratio } = plane.canvas;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.imageSmoothingEnabled = false;
    for (let i = 0; i < points.length; i += 1) {
      const sprite = spriteOf(i);
      const [left, top] = [plane.x(points[i][0]) * ratio, plane.y(points[i][1]) * ratio];
      context.drawImage(sprite, Math.round(left - sprite.width / 2), Math.round(top - sprite.height / 2));
    }
    context.restore();
  }

  sprite(name, make, kind, size) {
    let sprite = this.sprites.get(name);
    if (!sprite) {
      sprite = make(kind, size, this.palette, this.plane.canvas.ratio);
      this.sprites.set(name, sprite);
    }
    return sprite;
  }

  /**
   * Draw a ring around a point: "now" for the current row, "wrong" if misclassified, "support" for a
   * support row.
   */
  ring(point, kind = "now") {
    this.rings([point], kind);
  }

  /** Draw rings around many points; `size` is the radius of their marks. */
  rings(points, kind = "now", { size = 5 } = {}) {
    const sprite = this.sprite(`${kind} ${size}`, ringSprite, kind, size);
    this.stamp(this.context, points, () => sprite);
  }

  /** Draw the line a·x + b·y + c = 0 across the view; draw nothing if a = b = 0. */
  line(a, b, c, style = {}) {
    const ends = this.crossing(a, b, c);
    if (ends) this.segment(ends[0], ends[1], style);
  }

  /** Return two points of the line outside the view, one on each side. */
  crossing(a, b, c) {
    const length = Math.hypot(a, b);
    if (!(length > 0) || !Number.isFinite(length + c)) return null;
    const { view } = this.plane;
    const middle = [(view.x[0] + view.x[1]) / 2, (view.y[0] + view.y[1]) / 2];
    const far = view.x[1] - view.x[0] + view.y[1] - view.y[0];
    const [nx, ny] = [a / length, b / length];
    const away = nx * middle[0] + ny * middle[1] + c / length;
    if (Math.abs(away) > far) return null;
    const foot = [middle[0] - away * nx, middle[1] - away * ny];
    return [[foot[0] - far * ny, foot[1] + far * nx], [foot[0] + far * ny, foot[1] - far * nx]];
  }

  /** Fill the band of points within distance `half` of the line. */
  band(a, b, c, half, { colour = "--band", opacity = 0.16 } = {}) {
    const length = Math.hypot(a, b);
    if (!(length > 0)) return;
    this.between(a / length, b / length, c / length - half, c / length + half, colour, opacity);
  }

  /** Tint both sides of the line in the colours of class 1 (positive) and class 0. */
  halves(a, b, c, { opacity = 0.08 } = {}) {
    const length = Math.hypot(a, b);
    if (!(length > 0)) return;
    const [nx, ny, away] = [a / length, b / length, c / length];
    this.between(nx, ny, -Infinity, away, classColour(1), opacity);
    this.between(nx, ny, away, Infinity, classColour(0), opacity);
  }

  // the band of points p with low ≤ −n·p ≤ high, in other words n·p + low ≤ 0 and n·p + high ≥ 0
  between(nx, ny, low, high, colour, opacity) {
    const { view } = this.plane;
    const middle = [(view.x[0] + view.x[1]) / 2, (view.y[0] + view.y[1]) / 2];
    const far = view.x[1] - view.x[0] + view.y[1] - view.y[0];
    const here = nx * middle[0] + ny * middle[1];
    const clamp = (offset) => Math.max(-far, Math.min(far, -offset - here));
    const [from, to] = [clamp(high), clamp(low)];
    const corner = (along, side) => [
      middle[0] + along * nx - side * far * ny, middle[1] + along * ny + side * far * nx,
    ];
    this.area([corner(from, -1), corner(from, 1), corner(to, 1), corner(to, -1)], { colour, opacity });
  }

  /** Draw a straight line between two points. */
  segment(from, to, style = {}) {
    this.curve([from, to], style);
  }

  /** Draw a line through points in order; missing numbers interrupt it. */
  curve(points, { colour = "--ink", dash = null, width = 2, opacity = 1 } = {}) {
    const { context, plane } = this;
    context.strokeStyle = this.palette.colour(colour);
    context.lineWidth = width;
    context.lineJoin = "round";
    context.globalAlpha = opacity;
    context.setLineDash(dash === true ? DASHES : dash || []);
    context.beginPath();
    let drawing = false;
    for (const [x, y] of points) {
      if (!Number.isFinite(x + y)) drawing = false;
      else if (drawing) context.lineTo(plane.x(x), plane.y(y));
      else {
        context.moveTo(plane.x(x), plane.y(y));
        drawing = true;
      }
    }
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** Draw a filled polygon. */
  area(points, { colour = "--band", opacity = 0.16 } = {}) {
    const { context, plane } = this;
    context.fillStyle = this.palette.colour(colour);
    context.globalAlpha = opacity;
    context.beginPath();
    for (const [x, y] of points) context.lineTo(plane.x(x), plane.y(y));
    context.fill();
    context.globalAlpha = 1;
  }

  /** Tint cells by class, row by row from the top of the view (or of a given {x, y}). */
  regions({ columns, rows, classes, view = this.plane.view, opacity = 0.2 }) {
    const { context, plane } = this;
    const tints = new Map();
    const image = new ImageData(columns, rows);
    for (let cell = 0; cell < columns * rows; cell += 1) {
      const classNumber = classes[cell];
      if (!tints.has(classNumber)) tints.set(classNumber, this.palette.channels(classColour(classNumber)));
      image.data.set(tints.get(classNumber), 4 * cell);
      image.data[4 * cell + 3] = Math.round(255 * opacity);
    }
    const sheet = new OffscreenCanvas(columns, rows);
    sheet.getContext("2d").putImageData(image, 0, 0);
    const [left, top] = [plane.x(view.x[0]), plane.y(view.y[1])];
    context.imageSmoothingEnabled = false;
    context.drawImage(sheet, left, top, plane.x(view.x[1]) - left, plane.y(view.y[0]) - top);
    context.imageSmoothingEnabled = true;
  }

  /** Draw an arrow with a label beside its middle: on the left, or on the right with `side: -1`. */
  arrow(from, to, { colour = "--ink", dash = null, width = 2.5, text = "", side = 1 } = {}) {
    const { context, plane } = this;
    const [x1, y1, x2, y2] = [plane.x(from[0]), plane.y(from[1]), plane.x(to[0]), plane.y(to[1])];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length > 1) {
      const head = Math.min(9 + width, length * 0.6);
      const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
      const neck = [x2 - head * 0.8 * ux, y2 - head * 0.8 * uy];
      context.strokeStyle = context.fillStyle = this.palette.colour(colour);
      context.lineWidth = width;
      context.setLineDash(dash === true ? DASHES : dash || []);
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(...neck);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.moveTo(x2, y2);
      context.lineTo(x2 - head * ux - head * 0.45 * uy, y2 - head * uy + head * 0.45 * ux);
      context.lineTo(x2 - head * ux + head * 0.45 * uy, y2 - head * uy - head * 0.45 * ux);
      context.fill();
    }
    if (text) this.besideArrow(text, [x1, y1], [x2, y2], { colour, side });
  }

  besideArrow(text, [x1, y1], [x2, y2], { colour, side }) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [ux, uy] = length > 1 ? [(x2 - x1) / length, (y2 - y1) / length] : [1, 0];
    const away = side * (10 + (Math.abs(uy) * this.measured(text)) / 2);
    const middle = [(x1 + x2) / 2 + uy * away, (y1 + y2) / 2 - ux * away];
    this.pixelText(...middle, text, { align: "center", colour, bold: true });
  }

  measured(text) {
    this.context.font = BOLD;
    return this.context.measureText(text).width;
  }

  /** Draw a text at a point; an outline in the background colour makes it readable over lines and marks. */
  text(point, string, { align = "left", colour = "--ink", bold = false } = {}) {
    this.pixelText(this.plane.x(point[0]), this.plane.y(point[1]), string, { align, colour, bold });
  }

  pixelText(x, y, string, { align, colour, bold }) {
    const { context } = this;
    const { frame } = this.plane;
    context.font = bold ? BOLD : FONT;
    context.textAlign = align;
    context.textBaseline = "middle";
    const width = context.measureText(string).width;
    const before = { left: 0, center: width / 2, right: width }[align];
    const inX = Math.max(frame.left + 3 + before, Math.min(frame.right - 3 - width + before, x));
    const inY = Math.max(frame.top + 9, Math.min(frame.bottom - 9, y));
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = this.palette.colour("--paper");
    context.strokeText(string, inX, inY);
    context.fillStyle = this.palette.colour(colour);
    context.fillText(string, inX, inY);
  }

  // tick labels are outside the frame, to which everything else is clipped
  outside(paint) {
    const { context, plane } = this;
    context.restore();
    paint();
    plane.clip();
  }
}
