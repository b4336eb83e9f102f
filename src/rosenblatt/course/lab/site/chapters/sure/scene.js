// How sure is w? AROW's ellipse around w, beside a rule without uncertainty.

import { ellipse } from "../../engine/arow.js";
import { trace } from "../../engine/trace.js";
import { real, vector } from "../../viewer/numbers.js";
import { assignment, call, script } from "../../shell/python.js";
import { LABELS, classesOf, dot, halfOf, isWrong, signOf, square } from "../common.js";

export const start = {
  points: [[1.1, 0.8], [3, 1.8], [0.3, 0.9], [-1.7, 0.1], [-3.4, -0.7], [-3.5, -0.7], [3.6, 0.8], [-0.8, 0], [-2.7, -0.2], [-3.4, -1.5], [0.8, -0.3], [1.7, -0.1], [2.6, 0.4], [1.7, 1], [2.3, 0.5], [0.8, -0.5], [-3.3, -1.9], [2.3, -0.1], [-1.4, -0.9], [1, -0.4], [-3.6, -0.8], [3.5, 1.6], [0.3, -0.5], [2.6, 0.3], [3.1, 1.9], [-2.3, -0.3], [-0.6, 0.5], [1.2, -0.3]],
  labels: [1, 1, 1, 1, 1, -1, -1, 1, 1, -1, -1, -1, -1, 1, -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, 1, 1, -1],
  r: 1, covariance: "full", first: "rosenblatt", epochs: 2, step: 0,
};

const FIRST = [["rosenblatt", "perceptron"], ["passive_aggressive", "passive-aggressive"], ["passive_aggressive_1", "PA-I"]];

export function compute({ points, labels, r, covariance, first, epochs }) {
  if (!points.length) return { sure: null };
  const settings = { offset: false, epochs };
  const sure = trace(points, labels, { ...settings, rule: { name: "arow", r, covariance } });
  const plain = trace(points, labels, { ...settings, rule: first });
  const wrong = (run) => points.filter((point, row) => isWrong(labels[row] * dot(run.w, point), labels[row])).length;
  return { sure, plain, wrong: { sure: wrong(sure), plain: wrong(plain) }, separated: wrong(sure) === 0, separable: null };
}

// Σ₁₁, Σ₁₂, Σ₂₂ after a step
function sigmaAt({ steps }, step) {
  const sigma = step > 0 ? steps[step - 1].sigma : null;
  if (!sigma) return [1, 0, 1];
  return Array.isArray(sigma[0]) ? [sigma[0][0], sigma[0][1], sigma[1][1]] : sigma;
}

const outline = (centre, [s11, s12, s22]) => {
  const { axes, angle } = ellipse(s11, s12, s22);
  return Array.from({ length: 73 }, (_, k) => {
    const [u, v] = [axes[0] * Math.cos((k * Math.PI) / 36), axes[1] * Math.sin((k * Math.PI) / 36)];
    return [centre[0] + u * Math.cos(angle) - v * Math.sin(angle), centre[1] + u * Math.sin(angle) + v * Math.cos(angle)];
  });
};

function paint(pen, state, { sure, plain }) {
  if (!sure) { pen.grid(); return; }
  const step = Math.min(state.step, sure.steps.length);
  const w = step ? sure.steps[step - 1].w : sure.startW;
  const before = step > 1 ? sure.steps[step - 2].w : sure.startW;
  pen.halves(...w, 0);
  pen.grid();
  pen.line(...w, 0);
  const other = step ? plain.steps[step - 1]?.w ?? plain.w : plain.startW;
  pen.line(...other, 0, { colour: "--add", dash: true });
  pen.points(state.points, classesOf(state.labels), { faded: true });
  const sigma = sigmaAt(sure, step);
  pen.area(outline(w, sigma), { colour: "--w", opacity: 0.15 });
  pen.curve(outline(w, sigma), { colour: "--w" });
  if (step && sure.steps[step - 1].updated) pen.curve(outline(before, sigmaAt(sure, step - 1)), { colour: "--old", dash: true, width: 1.5 });
  pen.arrow([0, 0], w, { colour: "--w", width: 3, text: "w" });
  if (step) pen.ring(sure.steps[step - 1].x, "now");
}

function paintDeviations(pen, state, { sure }) {
  pen.grid();
  if (!sure) return;
  const rows = Array.from({ length: sure.steps.length + 1 }, (_, step) => sigmaAt(sure, step));
  pen.curve(rows.map(([s11], step) => [step, Math.sqrt(s11)]), { colour: "--class-1" });
  pen.curve(rows.map(([, , s22], step) => [step, Math.sqrt(s22)]), { colour: "--class-0", dash: true });
  const at = Math.min(state.step, sure.steps.length);
  pen.rings([[at, Math.sqrt(rows[at][0])], [at, Math.sqrt(rows[at][2])]], "support");
  pen.text([rows.length * 0.55, Math.sqrt(rows[Math.floor(rows.length * 0.5)][0])], "σ₁", { colour: "--class-1" });
  pen.text([rows.length * 0.55, Math.sqrt(rows[Math.floor(rows.length * 0.5)][2])], "σ₂", { colour: "--class-0" });
}

const nameOf = (first) => FIRST.find(([key]) => key === first)[1];

function sentences(state, { sure, plain, wrong }) {
  if (!sure) return ["Add some points of both classes."];
  const step = Math.min(state.step, sure.steps.length);
  const [s11, s12, s22] = sigmaAt(sure, step);
  const certain = `Standard deviations of w: ${real(Math.sqrt(s11), 3)} and ${real(Math.sqrt(s22), 3)}, correlation ${real(s12 / Math.sqrt(s11 * s22), 2)}.`;
  const made = step ? sure.steps[step - 1] : null;
  const first = made ? `Step ${step}: point ${made.row + 1} (${signOf(made.y)}) has functional margin ${real(made.margin, 4)}: ${made.updated ? `at most 1, so w becomes ${vector(made.w, 4)}` : "above 1, nothing changes"}. ${certain}` : `Start: w = 0, and Σ is the identity. ${certain}`;
  return [first, `In the end AROW misclassifies ${wrong.sure} of ${state.points.length} points after ${sure.mistakes} mistakes, the ${nameOf(state.first)} (dashed) ${wrong.plain} after ${plain.mistakes}.`];
}

export default {
  start,
  presets: { "two wrong labels": {}, "all labels right": { labels: start.labels.map((_, row) => (row === 4 || row === 20 ? -1 : start.labels[row])) }, "clouds": { points: [[1, 2], [2, 1], [2, 2.5], [3, 2], [-1, -1], [-2, -0.5], [-1.5, -2], [-2.5, -1.5]], labels: [1, 1, 1, 1, -1, -1, -1, -1] } },
  points: { classes: LABELS, most: 120 },
  compute,
  steps: (state, { sure }) => sure?.steps.length ?? 0,
  planes: [
    { key: "plane", label: "Points, w and the ellipse of its uncertainty", points: true, paint, view: ({ points }) => square(halfOf(points, [], 2)) },
    { key: "deviations", title: "Standard deviations of the weights", label: "Standard deviations of both weights by step", small: true, equal: false, xLabel: "step", yLabel: "", paint: paintDeviations, view: (state, { sure } = {}) => [[0, Math.max(1, sure?.steps.length ?? 1)], [0, 1.05]] },
  ],
  controls: [
    { name: "r", type: "slider", label: "Regularisation r", min: -2, max: 2, step: 0.1, to: (place) => Number((10 ** place).toPrecision(2)), from: Math.log10, shown: (r) => real(r, 2) },
    { name: "covariance", type: "choice", label: "Covariance", options: [["full", "full"], ["diagonal", "diagonal"]] },
    { name: "first", type: "choice", label: "Compare with", options: FIRST },
    { name: "epochs", type: "slider", label: "Passes", min: 1, max: 10 },
  ],
  sentences,
  tables: (state, { sure, plain, wrong }) => (sure ? [{ caption: "With and without uncertainty", head: ["rule", "mistakes", "updates", "misclassified"], rows: [["AROW", sure.mistakes, sure.updates, wrong.sure], [nameOf(state.first), plain.mistakes, plain.updates, wrong.plain]] }] : []),
  python: ({ points, labels, r, covariance, first, epochs }) => script(
    "from rosenblatt import rules, trace", "", assignment("X", points), assignment("y", labels),
    call("sure = trace", ["X", "y", `rule=rules.Arow(r=${r}, covariance="${covariance}")`], { offset: false, epochs }),
    call("plain = trace", ["X", "y"], { rule: first, offset: false, epochs }), "print(sure)", "print(sure.mistakes, plain.mistakes)"),
};
