// Points of two classes, drawn by hand: a click adds a point, or removes the point under it.

import { button, choice, numberField } from "../controls.js";
import { shapeName } from "../viewer/marks.js";
import { vector } from "../viewer/numbers.js";
import { removeNear, rounded } from "./drawing.js";

/**
 * Add controls under `parent`, and let clicks into `plane` change the points of the state through
 * `change`. Return {fit()}, which shows all points.
 */
export function drawPoints(lab, plane, parent, change) {
  let adding = 1;
  const typed = [0, 0];
  const fit = (margin = 0.15) => plane.fit(drawable(lab.state).points, { margin });

  function add(point) {
    const { points, labels } = lab.state;
    change({ points: [...points, point.map(rounded)], labels: [...labels, adding] });
    const { x, y } = plane.view;
    if (point[0] < x[0] || point[0] > x[1] || point[1] < y[0] || point[1] > y[1]) fit();
  }

  function remove(row) {
    const without = (list) => list.filter((_, at) => at !== row);
    change({ points: without(lab.state.points), labels: without(lab.state.labels) });
  }

  plane.onPress((at) => {
    if (!removeNear(plane, lab.state.points, at, remove)) add(at);
  }, { label: "new point", does: "Enter adds a point, or removes the point there" });
  choice(parent, {
    label: "Click adds a point of", value: "1",
    options: [["1", `class + (${shapeName(1)}s)`], ["-1", `class − (${shapeName(0)}s)`]],
    onChange: (label) => { adding = Number(label); },
  });
  numberField(parent, { label: "x₁", value: 0, onChange: (x) => { typed[0] = x; } });
  numberField(parent, { label: "x₂", value: 0, onChange: (x) => { typed[1] = x; } });
  button(parent, "Add point", () => add([...typed]));
  button(parent, "Remove last", () => remove(lab.state.points.length - 1));
  button(parent, "Remove all", () => change({ points: [], labels: [] }));
  return { fit };
}

/** Return the valid points of a state from a link: pairs of numbers, and the numbers of their classes. */
export function drawable({ points, labels }) {
  const isPair = (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
  const rows = (Array.isArray(points) ? points : []).map((point, row) => [point, labels?.[row]])
    .filter(([point]) => isPair(point));
  return { points: rows.map(([point]) => point), classes: rows.map(([, label]) => (label > 0 ? 1 : 0)) };
}

/** Describe a point: "point 3, +, at (1, 2)". */
export function named({ points, labels }, row) {
  return `${row}: ${labels[row] > 0 ? "+" : "−"} ${vector(points[row])}`;
}
