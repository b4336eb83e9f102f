// The line and its two sides: drag w and the line, read scores and distances.

import { signedDistance } from "../../engine/geometry.js";
import { score } from "../../engine/score.js";
import { real, vector } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { foot, halfOf, rounded, square, dot } from "../common.js";

const EXERCISE = [[2, 1], [1, 1], [-1, 1], [1, -1]];
const zeros = (points) => points.map(() => 0);

export const start = {
  w: [2, 3], b: -6, points: [[3, 0], [0, 2], [0, 0], [3, 2]], labels: [0, 0, 0, 0], numbers: true,
};

const preset = (w, b, points) => ({ w, b, points, labels: zeros(points) });

export function compute({ w, b, points }) {
  const scores = points.map((point) => score(w, b, point).value);
  const length = Math.hypot(...w);
  return {
    scores, length, answers: scores.map(Math.sign),
    distances: points.map((point) => (length ? signedDistance(point, w, b) : null)),
    fromOrigin: length ? b / length : null,
  };
}

function paint(pen, { w, b, points, numbers }, { scores }) {
  pen.halves(w[0], w[1], b);
  pen.grid();
  pen.line(w[0], w[1], b);
  pen.arrow([0, 0], w, { colour: "--w", width: 3 });
  if (Math.hypot(...w)) {
    pen.segment([0, 0], foot([0, 0], w, b), { colour: "--old", dash: [2, 4], width: 1.5 });
    points.forEach((point) => pen.segment(point, foot(point, w, b), { colour: "--quiet", dash: [4, 4], width: 1.5 }));
  }
  const rows = points.map((_, row) => row);
  const off = rows.filter((row) => scores[row] !== 0);
  pen.points(off.map((row) => points[row]), off.map((row) => (scores[row] > 0 ? 1 : 0)), { size: 6 });
  pen.rings(rows.filter((row) => scores[row] === 0).map((row) => points[row]));
  if (numbers) points.forEach((point, row) => pen.text([point[0], point[1]], `   ${real(scores[row], 4)}`));
}

/** Return "2x₁ + 3x₂ − 6 = 0". */
export function lineText({ w, b }) {
  const terms = [[w[0], "x₁"], [w[1], "x₂"], [b, ""]].filter(([part]) => part);
  const size = (part, name) => (name && Math.abs(part) === 1 ? "" : real(Math.abs(part), 6));
  return `${terms.map(([part, name], at) => `${part < 0 ? (at ? " − " : "−") : at ? " + " : ""}${size(part, name)}${name}`).join("") || "0"} = 0`;
}

function sentences({ w, b, points }, { answers, fromOrigin, length }) {
  if (!length) return ["w = 0, so there is no line: every point has the score b."];
  const count = (side) => answers.filter((answer) => answer === side).length;
  return [
    `The line ${lineText({ w, b })}: w = ${vector(w)} is perpendicular to it, and its distance from the origin is ${real(Math.abs(fromOrigin), 4)}.`,
    points.length ? `${count(1)} of ${points.length} points on the side of w, ${count(-1)} on the other side, ${count(0)} on the line.` : "Click to add points.",
  ];
}

const names = { 1: "+", 0: "on the line", "-1": "−" };

export default {
  start,
  presets: {
    "2x₁ + 3x₂ − 6 = 0 (note 001)": {},
    "w = (−3, 2), b = 2 (note 001)": preset([-3, 2], 2, EXERCISE),
    "w = (3, 2), b = −2": preset([3, 2], -2, EXERCISE),
    "through the origin: x₁ + 2x₂ = 0": preset([1, 2], 0, [[0, 0], [2, -1], [1, 1], [-1, -1]]),
  },
  points: { classes: [{ label: 0, mark: 1, name: "point" }] },
  compute,
  planes: [{
    key: "plane", label: "A line and points on its two sides", points: true, paint,
    view: ({ w, points }) => square(halfOf([...points, w], [], 4)),
    handles: ({ w, b }) => [
      { key: "w", at: w, text: "w", label: "w", move: (place) => ({ w: place.map(rounded) }) },
      { key: "b", at: foot([0, 0], w, b), text: "b", label: "the line", move: (place, state) => ({ b: rounded(-dot(state.w, place)) }) },
    ],
  }],
  controls: [
    { group: "The line", name: "w.0", type: "number", label: "w₁" },
    { group: "The line", name: "w.1", type: "number", label: "w₂" },
    { group: "The line", name: "b", type: "number", label: "b" },
    { group: "The line", name: "origin", type: "action", label: "Through the origin", do: () => ({ b: 0 }) },
    { group: "The line", name: "twice", type: "action", label: "Multiply w and b by 2", do: ({ w, b }) => ({ w: w.map((x) => 2 * x), b: 2 * b }) },
    { group: "The line", name: "turn", type: "action", label: "Multiply by −1", do: ({ w, b }) => ({ w: w.map((x) => 0 - x), b: 0 - b }) },
    { group: "Picture", name: "numbers", type: "toggle", label: "show the scores" },
  ],
  sentences,
  tables: ({ points, numbers }, { scores, answers, distances }) => (numbers && points.length ? [{
    caption: "Points and their scores", head: ["point", "w·x + b", "prediction", "signed distance"],
    rows: points.map((point, row) => [vector(point), real(scores[row]), names[answers[row]], distances[row] === null ? "" : real(distances[row])]),
  }] : []),
  python: ({ w, b, points }) => script(
    "import numpy as np", "from rosenblatt import geometry", "", assignment("w", w), assignment("b", b), assignment("X", points),
    "scores = np.array(X) @ w + b", "distances = [geometry.signed_distance(x, w, b) for x in X]", "print(scores, np.sign(scores), distances)"),
};
