// What several chapters share.

import { real, vector } from "../viewer/numbers.js";

/** The two classes of a label −1 or +1. */
export const LABELS = [{ label: -1, mark: 0, name: "−" }, { label: 1, mark: 1, name: "+" }];

export const classesOf = (labels) => labels.map((label) => (label > 0 ? 1 : 0));
export const signOf = (label) => (label > 0 ? "+" : "−");
export const dot = (v, x) => v.reduce((sum, part, at) => sum + part * x[at], 0);

/** Return whether a functional margin is a mistake; `tie` defines the prediction of a score of 0. */
export function isWrong(margin, label, tie = "mistake") {
  if (margin !== 0) return margin < 0;
  return tie === "mistake" || (tie === "negative" ? label > 0 : label < 0);
}

/** Return half the side of a square view around the origin that shows the points, and the tips of arrows nearby. */
export function halfOf(points, tips = [], least = 3) {
  const furthest = (places) => Math.max(0, ...places.flatMap((place) => place.slice(0, 2).map(Math.abs)));
  const room = Math.max(least, furthest(points));
  return 1.12 * Math.max(room, Math.min(furthest(tips), 1.6 * room));
}

/** A square view around the origin. */
export const square = (half) => [[-half, half], [-half, half]];

/** Return the foot of the perpendicular from a point to the line w·x + b = 0. */
export function foot(point, w, b) {
  const along = (dot(w, point) + b) / (dot(w, w) || 1);
  return [point[0] - along * w[0], point[1] - along * w[1]];
}

/** Return a text as a sentence: with a capital letter and a full stop. */
export const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

export const rounded = (value) => Number(value.toFixed(2));

/** Return a question with the answers Yes and No; each hint is for the wrong answer of that name. */
export const yesOrNo = (text, isYes, { yes, no }, explain) => ({
  kind: "choice", text, explain, options: [{ text: "Yes", right: isYes, hint: yes }, { text: "No", right: !isYes, hint: no }],
});

/** Return a question about the sign of the score of the next step. */
export function askSign(text, { score, mistake, y }) {
  const shown = real(score, 4);
  return {
    kind: "choice", text,
    options: [["+1", score > 0], ["−1", score < 0], ["neither: the score is 0", score === 0]].map(([option, right]) => ({ text: option, right, hint: `The score is ${shown}.` })),
    explain: `The score is ${shown}, and the label is ${signOf(y)}: ${mistake ? "a mistake" : "correct"}.`,
  };
}

/** Return a vector for a formula. */
export const inFormula = (v) => vector(v).replaceAll("−", "-");

/** Return cells with the class of a function of a place, for `pen.regions`: the view with some room around it. */
export function regionsOf([[x0, x1], [y0, y1]], classOf, columns = 96, room = 0.6) {
  const [dx, dy] = [(x1 - x0) * room, (y1 - y0) * room];
  const view = { x: [x0 - dx, x1 + dx], y: [y0 - dy, y1 + dy] };
  const rows = Math.round((columns * (view.y[1] - view.y[0])) / (view.x[1] - view.x[0]));
  const classes = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    const y = view.y[1] - ((row + 0.5) / rows) * (view.y[1] - view.y[0]);
    for (let column = 0; column < columns; column += 1) {
      classes[row * columns + column] = classOf([view.x[0] + ((column + 0.5) / columns) * (view.x[1] - view.x[0]), y]);
    }
  }
  return { columns, rows, classes, view };
}
