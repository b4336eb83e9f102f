// An idealised picture of separable points: inside a circle, outside a band, with three handles.

import { note, numberField } from "../controls.js";
import { real } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { circle } from "./drawing.js";

const NAMES = ["ideal_radius", "ideal_margin", "ideal_distance"];

/** Draw it in `parent`, with input fields below; `change` changes the state. Return {show, place}. */
export function mountIdeal(lab, parent, change) {
  const plane = new Plane(parent, { label: "A circle of radius R and a band of half-width γ" });
  const comesTo = note(parent);
  const set = (part) => {
    change(possible({ ...sizes(lab.state), ...part }, lab.state.offset, part));
    place();
  };
  const handles = {
    ideal_radius: plane.handle({
      at: [1, 0], label: "radius R", text: "R", along: "x",
      onMove: ([x]) => set({ ideal_radius: Math.abs(x) }),
    }),
    ideal_margin: plane.handle({
      at: [0, 1], label: "margin γ", text: "γ", along: "y",
      onMove: ([, y]) => set({ ideal_margin: Math.abs(y - sizes(lab.state).ideal_distance) }),
    }),
    ideal_distance: plane.handle({
      at: [0, 0], label: "the line, at distance d from the origin,", text: "d", along: "y",
      onMove: ([, y]) => set({ ideal_distance: Math.max(0, y) }),
    }),
  };
  const labels = ["radius R", "margin γ", "distance d of the line from the origin"];
  const fields = NAMES.map((name, at) => numberField(parent, {
    label: labels[at], value: lab.state[name], onChange: (value) => {
      change({ [name]: value });
      frame();
      place();
    },
  }));

  // the circle keeps its size on the screen until it is too large or too small to be dragged
  function frame() {
    const { ideal_radius: radius } = sizes(lab.state);
    plane.setView([-1.25 * radius, 1.25 * radius], [-1.12 * radius, 1.12 * radius]);
  }

  function place() {
    const { ideal_radius: radius, ideal_margin: margin, ideal_distance: distance } = sizes(lab.state);
    const shown = plane.view.x[1];
    if (radius > 0.98 * shown || radius < 0.35 * shown) frame();
    handles.ideal_radius.moveTo([radius, 0]);
    handles.ideal_margin.moveTo([0, distance + margin]);
    handles.ideal_distance.moveTo([-0.55 * radius, distance]);
    handles.ideal_distance.element.hidden = !lab.state.offset;
    fields[2].element.hidden = !lab.state.offset;
    NAMES.forEach((name, at) => fields[at].set(lab.state[name]));
    plane.draw(paint);
  }

  function paint(pen) {
    const { ideal_radius: radius, ideal_margin: margin, ideal_distance: distance } = sizes(lab.state);
    pen.area(cap(radius, distance + margin, 1), { colour: "--class-1", opacity: 0.22 });
    pen.area(cap(radius, margin - distance, -1), { colour: "--class-0", opacity: 0.22 });
    pen.grid();
    pen.band(0, 1, -distance, margin, {});
    pen.curve(circle(radius), { width: 2 });
    pen.line(0, 1, -distance, { width: 2 });
    pen.arrow([0, 0], [radius, 0], { width: 1.5 });
    pen.arrow([0, distance], [0, distance + margin], { colour: "--w", width: 2 });
    const label = (from, to, text, colour) => Math.abs(to - from) > 0.2 * radius
      && pen.text([0, (from + to) / 2], text, { align: "center", colour, bold: true });
    label(radius, distance + margin, "+ only here", "--class-1");
    label(-radius, distance - margin, "− only here", "--class-0");
  }

  frame();
  place();
  return {
    place,
    show({ expected, allowed }) {
      const plain = `(R/γ)² = ${real(expected)}`;
      comesTo.textContent = lab.state.offset
        ? `${plain} of the points x. With an offset the theorem is about the points (x, 1), of radius `
          + "√(R² + 1), and the line (w, b), of length √(1 + d²) where ‖w‖ = 1: "
          + `(R² + 1)(1 + d²)/γ² = ${real(allowed)} mistakes at most.`
        : `${plain} mistakes at most, for any number of points in any order.`;
      const { ideal_radius: radius, ideal_margin: margin } = sizes(lab.state);
      plane.describe(`A circle of radius ${real(radius)} around the origin, and a band of half-width `
        + `${real(margin)} along a line: at most ${real(allowed)} mistakes.`);
    },
  };
}

// a link may contain any value: an invalid one is drawn as 1, and the answer contains the error message
function sizes(state) {
  const drawn = (name, least) => (Number.isFinite(state[name]) && state[name] > least ? state[name] : null);
  return {
    ideal_radius: drawn("ideal_radius", 0) ?? 1,
    ideal_margin: drawn("ideal_margin", 0) ?? 1,
    ideal_distance: (state.offset && drawn("ideal_distance", 0)) || 0,
  };
}

// limit dragged values to the valid range: there must be space for points on both sides of the band
function possible(wanted, offset, dragged) {
  const step = 10 ** (Math.floor(Math.log10(wanted.ideal_radius)) - 2);
  const rounded = (value) => Number((Math.round(value / step) * step).toPrecision(6));
  let { ideal_radius: radius, ideal_margin: margin, ideal_distance: distance } = wanted;
  if ("ideal_radius" in dragged) radius = Math.max(radius, distance + margin, step * 100);
  if ("ideal_margin" in dragged) margin = Math.max(step, Math.min(margin, radius - distance));
  if ("ideal_distance" in dragged) distance = Math.min(distance, radius - margin);
  const sizesNow = { ideal_radius: rounded(radius), ideal_margin: rounded(margin) };
  return offset ? { ...sizesNow, ideal_distance: rounded(distance) } : sizesNow;
}

// the part of a disc beyond a height, above (side 1) or below (side −1)
function cap(radius, height, side) {
  const from = Math.asin(Math.max(-1, Math.min(1, height / radius)));
  return Array.from({ length: 65 }, (_, k) => {
    const angle = from + (k / 64) * (Math.PI - 2 * from);
    return [radius * Math.cos(angle), side * radius * Math.sin(angle)];
  });
}
