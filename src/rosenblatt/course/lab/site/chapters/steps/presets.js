// The worked examples of the notes that are runs over points of the plane.

import { EXAMPLES } from "../../engine/presets.js";

/** Return the settings of a run as a state of the chapter. */
export function stateOf({ points, labels, settings }) {
  const { offset = true, tie = "mistake", order = "given", init = "zeros", until = null, epochs = 10 } = settings;
  const plain = points[0].length === 2;
  return {
    points: plain ? points : points.map((point) => point.slice(1)), labels, tie,
    offset: plain ? offset : true, // a constant first feature is an offset
    order: Array.isArray(order) ? "listed" : order, listed: Array.isArray(order) ? order.map((row) => row + 1) : [],
    init: Array.isArray(init) ? "w0" : init, w0: Array.isArray(init) ? init : [1, 1], b0: 0,
    passes: until ? 0 : epochs,
  };
}

const fits = ({ kind, points }) => kind === "run" && (points[0].length === 2 || points.every((point) => point.length === 3 && point[0] === 1));

export const PRESETS = Object.fromEntries(Object.entries(EXAMPLES).flatMap(([key, { parts }]) => {
  const runs = Object.entries(parts).filter(([, part]) => fits(part));
  return runs.map(([name, part]) => [runs.length > 1 ? `${key}: ${name}` : key, stateOf(part)]);
}));
