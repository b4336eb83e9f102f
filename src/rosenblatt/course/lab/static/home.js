// The first page: each chapter as a small picture that moves, in frames that the package has computed.

import { Pen } from "./viewer/pen.js";
import { Canvas } from "./viewer/theme.js";

const SIZE = 4.5; // radius of a mark
const MOVE = "Play animations";
const REST = "Pause animations";

/** One small picture. It has what a pen asks of a plane, without axes: all of the canvas is the view. */
class Glimpse {
  constructor(parent, { view, pace, held, stays, frames }) {
    Object.assign(this, { asked: view, pace, held, stays, frames, at: -1, isSeen: false });
    this.canvas = new Canvas(parent, "", () => {
      this.pen?.forget();
      this.paint();
    });
    this.canvas.element.setAttribute("aria-hidden", "true"); // the link beside it has the words
    this.pen = new Pen(this);
    this.show(frames.length - 1);
  }

  x(value) {
    return this.frame.left + (value - this.view.x[0]) * this.scale;
  }

  y(value) {
    return this.frame.bottom - (value - this.view.y[0]) * this.scale;
  }

  /** The frame that belongs to a time; the last one stays longer than the others. */
  play(time) {
    const all = this.frames.length - 1 + this.held;
    this.show(Math.min(Math.floor(time / this.pace) % all, this.frames.length - 1));
  }

  show(at) {
    if (at === this.at) return;
    this.at = at;
    this.paint();
  }

  rest() {
    this.show(this.frames.length - 1);
  }

  paint() {
    if (!this.pen || !this.canvas.begin()) return;
    this.settle();
    const frame = { ...this.stays, ...this.frames[this.at] };
    const { pen } = this;
    if (frame.regions) pen.regions(cells(frame.regions));
    if (frame.halves) pen.halves(...frame.halves, { opacity: 0.14 });
    if (frame.band) pen.band(...frame.band[0], frame.band[1], { opacity: 0.22 });
    for (const line of frame.thin ?? []) pen.line(...line, { colour: "--quiet", width: 1, opacity: 0.55 });
    for (const line of frame.lines ?? []) pen.line(...line, { width: 2.5 });
    if (frame.curve) pen.curve(frame.curve, { colour: "--w", width: 2.5 });
    if (frame.arrow) pen.arrow(...frame.arrow, { colour: "--w" });
    pen.points(frame.points, frame.classes, { size: SIZE });
    for (const kind of ["now", "wrong", "support"]) pen.rings(frame[kind] ?? [], kind, { size: SIZE });
  }

  // equal scales: one of the two ranges is wider than asked for
  settle() {
    const { width, height } = this.canvas;
    const [[left, right], [low, high]] = this.asked;
    this.scale = Math.min(width / (right - left), height / (high - low));
    const [across, along] = [width / this.scale / 2, height / this.scale / 2];
    const [x, y] = [(left + right) / 2, (low + high) / 2];
    this.view = { x: [x - across, x + across], y: [y - along, y + along] };
    this.frame = { left: 0, top: 0, right: width, bottom: height };
  }
}

function cells({ columns, rows, classes, x, y }) {
  return { columns, rows, classes: Array.from(classes, Number), view: { x, y } };
}

/** All pictures move together, but only those that are seen, and none for whoever asked for less motion. */
function animate(glimpses, toggle) {
  const less = matchMedia("(prefers-reduced-motion: reduce)");
  let began = null;
  let asked = 0;

  const tick = (now) => {
    began ??= now;
    for (const glimpse of glimpses) if (glimpse.isSeen) glimpse.play(now - began);
    asked = requestAnimationFrame(tick);
  };
  const move = (isMoving) => {
    cancelAnimationFrame(asked);
    began = null;
    toggle.textContent = isMoving ? REST : MOVE;
    document.querySelector(".home").dataset.moving = String(isMoving);
    if (isMoving) asked = requestAnimationFrame(tick);
    else glimpses.forEach((glimpse) => glimpse.rest());
  };

  const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
    glimpses.find(({ canvas }) => canvas.element === target).isSeen = isIntersecting;
  }));
  glimpses.forEach(({ canvas }) => seen.observe(canvas.element));
  toggle.addEventListener("click", () => move(toggle.textContent === MOVE));
  less.addEventListener("change", () => move(!less.matches));
  toggle.hidden = false;
  move(!less.matches);
}

const found = await (await fetch("/glimpses")).json();
const boxes = [...document.querySelectorAll(".glimpse")].filter((box) => box.dataset.of in found);
animate(boxes.map((box) => new Glimpse(box, found[box.dataset.of])), document.getElementById("moving"));
