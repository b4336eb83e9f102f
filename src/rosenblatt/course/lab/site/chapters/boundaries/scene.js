// Good and bad boundaries by hand: draw a line through two handles and read its training error.

import { Value } from "../../shell/value.js";
import { separate } from "../../engine/separation.js";
import { real } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { LABELS, classesOf, halfOf, rounded, square } from "../common.js";

const MOST = 60; // points, so that all lines can be tried

const SEPARABLE = {
  points: [[1, 2.5], [2.5, 1], [2, 3], [3, 2.5], [0.5, 3.5], [3.5, 0.5], [2.2, 2], [-1, -0.5], [0.5, -1.5], [-2, 0.5], [-1.5, -2], [0, -0.5], [1, -2.5], [-2.5, -1]],
  labels: [1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
};

export const start = { ...SEPARABLE, a: [-3, 1], z: [1, -3], turned: false, margins: false, best: false };

/** Return the line through the handles exactly: w is a − z turned by a right angle. */
export function lineOf({ a, z, turned }) {
  const [ax, ay, zx, zy] = [...a, ...z].map((x) => Value.of(x));
  const sign = turned ? -1 : 1;
  const w = [ay.minus(zy).times(sign), zx.minus(ax).times(sign)];
  return { w, b: w[0].times(ax).plus(w[1].times(ay)).times(-1) };
}

/** Return the exact side of each point: +1, 0 or −1. */
export function sides({ w, b }, points) {
  return points.map(([x, y]) => w[0].times(Value.of(x)).plus(w[1].times(Value.of(y))).plus(b).sign());
}

/** Return the smallest number of misclassified points of any line, where a point on the line counts as −. */
export function fewestErrors(points, labels) {
  const n = points.length;
  const positives = labels.filter((label) => label > 0).length;
  let fewest = Math.min(positives, n - positives);
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const [dx, dy] = [points[j][0] - points[i][0], points[j][1] - points[i][1]];
      if (!dx && !dy) continue;
      // points off the line, and the points on it in their order along it: the line may turn a little at any gap
      let [wrong, along] = [0, []];
      for (let k = 0; k < n; k += 1) {
        const side = dx * (points[k][1] - points[i][1]) - dy * (points[k][0] - points[i][0]);
        const scale = Math.abs(dx) + Math.abs(dy);
        if (Math.abs(side) > 1e-9 * scale) wrong += side > 0 === labels[k] > 0 ? 0 : 1;
        else along.push([dx * (points[k][0] - points[i][0]) + dy * (points[k][1] - points[i][1]), labels[k]]);
      }
      along = along.sort((one, other) => one[0] - other[0]);
      const off = n - along.length;
      for (let cut = 0; cut <= along.length; cut += 1) {
        if (cut > 0 && cut < along.length && along[cut][0] === along[cut - 1][0]) continue;
        const first = along.slice(0, cut).filter(([, label]) => label < 0).length + along.slice(cut).filter(([, label]) => label > 0).length;
        for (const here of [first, along.length - first]) {
          fewest = Math.min(fewest, wrong + here, off - wrong + here);
        }
      }
    }
  }
  return fewest;
}

export function compute(state) {
  const { points, labels } = state;
  const line = lineOf(state);
  const isLine = line.w.some((part) => part.sign() !== 0);
  const found = isLine ? sides(line, points) : points.map(() => 0);
  const wrong = found.flatMap((side, row) => ((side > 0 ? 1 : -1) === labels[row] ? [] : [row]));
  const w = line.w.map((part) => part.toNumber());
  const b = line.b.toNumber();
  const length = Math.hypot(...w) || 1;
  const distances = points.map(([x, y], row) => (labels[row] * (w[0] * x + w[1] * y + b)) / length);
  const both = labels.includes(1) && labels.includes(-1);
  const verdict = both ? separate(points, labels) : null;
  return { isLine, w, b, line, sides: found, wrong, distances, margin: points.length ? Math.min(...distances) : 0, verdict, fewest: points.length ? fewestErrors(points, labels) : 0, separable: verdict?.separable ?? null, separated: isLine && !wrong.length && points.length > 0 };
}

function paint(pen, { points, labels, margins, best }, { isLine, w, b, wrong, margin, distances, verdict }) {
  if (isLine) pen.halves(...w, b);
  pen.grid();
  if (best && verdict?.separable) {
    pen.band(...verdict.w, verdict.b, verdict.margin, { colour: "--proof" });
    pen.line(...verdict.w, verdict.b, { colour: "--proof", dash: true });
  }
  if (isLine) {
    if (margin > 0) pen.band(...w, b, margin, { colour: "--w" });
    pen.line(...w, b, { width: 2.5 });
    if (margins) {
      const length = Math.hypot(...w);
      points.forEach((point, row) => {
        const away = (labels[row] * distances[row]) / length;
        pen.segment(point, [point[0] - away * w[0], point[1] - away * w[1]], { colour: "--quiet", dash: [3, 3], width: 1.2 });
      });
    }
  }
  pen.points(points, classesOf(labels), { size: 6 });
  wrong.forEach((row) => pen.ring(points[row], "wrong"));
}

function sentences({ points, best }, { isLine, wrong, margin, verdict, fewest }) {
  if (!points.length) return ["Click in the picture to add points of both classes."];
  if (!isLine) return ["Both handles are at the same place, so there is no line."];
  const error = `${wrong.length} of ${points.length} points are misclassified: the training error is ${wrong.length}/${points.length} = ${real(wrong.length / points.length, 3)}.`;
  const width = wrong.length ? "" : ` The nearest point has the distance ${real(margin, 4)} from the line.`;
  const known = best ? (verdict?.separable ? `The largest possible margin is ${real(verdict.margin, 4)} (dashed).` : `No line separates these points; the best line misclassifies ${fewest}.`) : "";
  return [error + width, known].filter(Boolean);
}

const handle = (key, at, label) => ({ key, at, label, text: key === "a" ? "A" : "B", move: (place) => ({ [key]: place.map(rounded) }) });

export default {
  start,
  presets: {
    "separable": {},
    "one outlier": { points: [...SEPARABLE.points, [2.5, 2.5]], labels: [...SEPARABLE.labels, -1] },
    "XOR": { points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: [-1, 1, 1, -1], a: [-2, 0.5], z: [2, 0.5] },
    "only with an offset": { points: [[1, 1], [3, 3], [0.5, 1.2], [3, 2.2]], labels: [-1, 1, -1, 1], a: [-1, 1], z: [1, -1] },
  },
  points: { classes: LABELS, most: MOST },
  compute,
  planes: [{
    key: "plane", label: "Labelled points and a line that you draw", points: true, paint,
    view: ({ points, a, z }) => square(halfOf([...points, a, z], [], 3.5)),
    handles: ({ a, z }) => [handle("a", a, "end A of the line"), handle("z", z, "end B of the line")],
  }],
  controls: [
    { name: "turned", type: "toggle", label: "swap the sides" },
    { name: "margins", type: "toggle", label: "show distances" },
    { name: "best", type: "toggle", label: "show the best line" },
  ],
  sentences,
  tables: ({ points }, { distances, sides: found, wrong, isLine }) => (isLine && points.length ? [{
    caption: "Points (counted from 1)", head: ["point", "side", "", "y × signed distance"],
    rows: points.map((_, row) => [row + 1, { 1: "+", 0: "on the line: −", "-1": "−" }[found[row]], wrong.includes(row) ? "wrong" : "correct", real(distances[row], 4)]),
  }] : []),
  python: ({ points, labels }, { w, b }) => script(
    "import numpy as np", "from rosenblatt import separate", "", assignment("X", points), assignment("y", labels), assignment("w", w), assignment("b", b),
    "answers = np.where(np.array(X) @ w + b > 0, 1, -1)", "training_error = np.mean(answers != y)", "print(training_error, separate(X, y).separable)"),
};
