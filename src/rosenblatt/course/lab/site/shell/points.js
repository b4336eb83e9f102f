// Points that are dragged, added and deleted by mouse, touch and keys.

import { markIcon } from "../viewer/marks.js";
import { vector } from "../viewer/numbers.js";
import { make, button } from "./controls.js";

const NEAR = 18; // pixels within which a pointer takes a point
const DOUBLE = 700; // milliseconds within which two clicks may be a double click
const SLOP = 4; // pixels that a pointer may move during a click

/** Round to a place that reads well: hundredths of the view. */
export function rounded(value) {
  return Number(value.toFixed(2));
}

/**
 * Let the points of a state be edited in a plane. `classes` are {label, mark, name}; `allowed` tells whether
 * points may be changed now. One handle walks over all points, so the keyboard needs one tab stop.
 */
export class PointEditor {
  constructor(plane, parent, { store, classes, most = 300, snap = rounded, name = "points", labels = "labels" }) {
    Object.assign(this, { plane, store, classes, most, snap, name, labels });
    this.adding = classes.at(-1).label;
    this.selected = -1;
    this.addedAt = -Infinity;
    this.canvas = plane.canvas.element;
    this.canvas.classList.add("pressable");
    this.listen();
    this.handle = plane.handle({ at: [0, 0], label: "point", onMove: (point) => this.moveTo(point) });
    this.handle.element.classList.add("walker");
    this.handle.element.addEventListener("keydown", (event) => this.onKey(event));
    this.handle.element.addEventListener("focus", () => { if (this.selected < 0) this.select(0); });
    this.handle.element.addEventListener("pointerup", () => store.settle());
    this.bar = this.buildBar(parent);
    this.update();
  }

  get points() { return this.store.state[this.name]; }
  get values() { return this.store.state[this.labels]; }
  get isFixed() { return this.points.length > 0 && this.points[0].length !== 2; }

  buildBar(parent) {
    this.kinds = this.classes.map(({ label, mark, name }) => {
      const kind = button("", () => this.choose(label), { class: "kind", "aria-label": `Class ${name}`, title: `Clicks add points of class ${name}` });
      kind.append(markIcon(mark), ` ${name}`);
      return kind;
    });
    this.deleting = button("Delete", () => this.remove(), { title: "Delete the selected point (Delete)" });
    this.clearing = button("Clear", () => this.write([], []), { title: "Delete all points" });
    const bar = make("div", { class: "bar points-bar", role: "group", "aria-label": "Points" }, make("span", { class: "quiet" }, "Add"), ...this.kinds, this.deleting, this.clearing);
    parent.append(bar);
    return bar;
  }

  choose(label) {
    this.adding = label;
    if (this.selected >= 0) this.write(this.points, this.values.map((old, at) => (at === this.selected ? label : old)));
    this.update();
  }

  write(points, labels, key = null) {
    this.store.change({ [this.name]: points, [this.labels]: labels, ...(this.store.state.step ? { step: 0 } : {}) }, key);
  }

  select(at) {
    this.selected = this.points.length ? Math.max(-1, Math.min(at, this.points.length - 1)) : -1;
    this.update();
  }

  moveTo(point) {
    if (this.selected < 0 || this.isFixed) return;
    const at = this.selected;
    const next = point.map(this.snap);
    if (next.some((x) => !Number.isFinite(x))) return;
    this.write(this.points.map((old, k) => (k === at ? next : old)), this.values, `move ${at}`);
  }

  add(point) {
    if (this.isFixed || this.points.length >= this.most) return;
    const [points, labels] = [[...this.points, point.map(this.snap)], [...this.values, this.adding]];
    this.selected = -1;
    this.write(points, labels);
  }

  remove(at = this.selected) {
    if (at < 0 || this.isFixed) return;
    this.selected = Math.min(this.selected, this.points.length - 2);
    this.write(this.points.filter((_, k) => k !== at), this.values.filter((_, k) => k !== at));
  }

  listen() {
    const { canvas, plane } = this;
    let held = null;
    const within = ([x, y]) => x >= plane.frame.left && y <= plane.frame.bottom && x <= plane.frame.right && y >= plane.frame.top;
    const near = (event) => (this.isFixed ? -1 : this.nearest(event));
    // a finger on a point drags the point; elsewhere it scrolls the page
    canvas.addEventListener("touchstart", (event) => {
      if (event.touches.length === 1 && near(event.touches[0]) >= 0) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || plane.asks) return;
      const at = near(event);
      held = { at, from: [event.clientX, event.clientY], moved: false };
      if (at < 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.select(at);
    });
    canvas.addEventListener("pointermove", (event) => {
      canvas.classList.toggle("on-point", near(event) >= 0);
      if (!held) return;
      if (Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) > SLOP) held.moved = true;
      if (held.moved && held.at >= 0) this.moveTo(plane.inView(plane.toData(...plane.place(event))));
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved && held.at < 0 && within(plane.place(event))) {
        if (this.selected >= 0 && event.pointerType === "touch") this.select(-1);
        else {
          this.addedAt = event.timeStamp; // the second click of a double click must not delete the new point
          this.add(plane.toData(...plane.place(event)));
        }
      }
      if (held?.moved) this.store.settle();
      held = null;
    });
    canvas.addEventListener("pointercancel", () => { held = null; });
    canvas.addEventListener("dblclick", (event) => {
      const at = near(event);
      const isNew = at === this.points.length - 1 && event.timeStamp - this.addedAt < DOUBLE;
      if (at >= 0 && !isNew) this.remove(at);
    });
  }

  nearest(event) {
    const [left, top] = this.plane.place(event);
    let [found, least] = [-1, NEAR];
    this.points.forEach((point, at) => {
      const away = Math.hypot(this.plane.x(point[0]) - left, this.plane.y(point[1]) - top);
      if (away <= least) [found, least] = [at, away];
    });
    return found;
  }

  onKey(event) {
    const next = { PageDown: 1, PageUp: -1, "]": 1, "[": -1 }[event.key];
    if (next) {
      const n = this.points.length;
      if (n) this.select((this.selected + next + n) % n);
    } else if (event.key === "Delete" || event.key === "Backspace") this.remove();
    else if (event.key === "Enter" || event.key === " ") {
      this.add([(this.plane.view.x[0] + this.plane.view.x[1]) / 2, (this.plane.view.y[0] + this.plane.view.y[1]) / 2]);
      this.select(this.points.length - 1);
    } else if (/^[1-9]$/.test(event.key) && this.classes[event.key - 1]) this.choose(this.classes[event.key - 1].label);
    else if (event.key === "Escape") this.select(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Show the selection after a change of the state. */
  update() {
    const n = this.points.length;
    if (this.selected >= n) this.selected = n - 1;
    const at = this.selected;
    const element = this.handle.element;
    if (at >= 0 && !this.isFixed) this.handle.moveTo(this.points[at]);
    element.classList.toggle("chosen", at >= 0 && !this.isFixed);
    const help = "Arrow keys move it, Page Up and Page Down choose another, Delete deletes it, Enter adds one, digits set the class";
    element.setAttribute("aria-label", at >= 0 ? `Point ${at + 1} of ${n}, ${vector(this.points[at])}. ${help}` : `Points of the picture: ${n}. Page Down chooses one, Enter adds one`);
    const shown = at >= 0 ? this.values[at] : this.adding;
    this.kinds.forEach((kind, k) => kind.setAttribute("aria-pressed", String(this.classes[k].label === shown)));
    this.deleting.disabled = at < 0 || this.isFixed;
    this.clearing.disabled = !n || this.isFixed;
  }
}
