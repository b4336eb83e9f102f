// The bound: the proved margin of points, the bound and a run; and R and γ by hand.

import { checkClaims, mostUpdates } from "../../engine/bound.js";
import { lift, separate } from "../../engine/separation.js";
import { trace } from "../../engine/trace.js";
import { counted, real, whole } from "../../viewer/numbers.js";
import { assignment, call, script } from "../../shell/python.js";
import { LABELS, classesOf, dot, halfOf, square } from "../common.js";
import { proofPart } from "./proof_part.js";

const MOST_STEPS = 4000;
const CYCLE = [[0, 1], [0, -1], [-1, 0.5]];

export const start = {
  points: [[0, 0.7], [1.4, 1.3], [1.4, 1.6], [3.2, -1], [2.5, 3], [2.3, 0.8], [3.7, -1.3], [2.8, 1.8], [-1.8, 0.3], [0.3, -0.5], [1.9, 0.9], [-1.7, 2.4], [2.4, -1], [3.5, 1.8], [-0.2, 3.3], [-0.1, 2.5]],
  labels: [-1, 1, 1, -1, 1, 1, -1, 1, -1, -1, 1, -1, -1, 1, 1, 1],
  offset: true, order: "given", seed: 0, radius: 4, margin: 1, distance: 0,
};

export function compute(state) {
  const { points, labels, offset, order, seed, radius, margin, distance } = state;
  const ideal = offset ? mostUpdates({ radius: Math.hypot(radius, 1), margin: margin / Math.hypot(1, distance) }) : mostUpdates({ radius, margin });
  const both = labels.includes(1) && labels.includes(-1);
  if (!both) return { ideal, run: null, verdict: null, separable: null };
  const verdict = separate(points, labels, { offset });
  const run = trace(points, labels, { offset, order, randomState: seed, epochs: null, until: "separated", maxSteps: MOST_STEPS });
  const result = { ideal, verdict, run, separable: verdict.separable, separated: run.separated };
  if (!verdict.separable) return result;
  const lifted = offset ? separate(lift(points), labels, { offset: false }) : verdict;
  const claims = checkClaims(run, lifted.w.slice(0, 2), offset ? lifted.w[2] : 0);
  return { ...result, lifted, claims, reached: reachedMargin(run, points, labels) };
}

// the margin of the line that the run found
function reachedMargin({ w, b, separated }, points, labels) {
  return separated ? Math.min(...points.map((point, row) => (labels[row] * (dot(w, point) + b)) / Math.hypot(...w))) : null;
}

function paint(pen, { points, labels, offset }, { verdict, run, reached, separable }) {
  pen.grid();
  if (separable) {
    pen.band(...verdict.w, verdict.b, verdict.margin, { colour: "--proof", opacity: 0.18 });
    if (reached > 0) pen.band(...run.w, run.b, reached, { colour: "--w", opacity: 0.25 });
    pen.line(...verdict.w, verdict.b, { colour: "--proof", width: 2.5 });
    pen.line(...run.w, run.b, { colour: "--w", dash: true });
    const far = points.reduce((best, point) => (Math.hypot(...point) > Math.hypot(...best) ? point : best), [0, 0]);
    pen.curve(circle(Math.hypot(...far)), { colour: "--old", width: 1.2, dash: [3, 4] });
    if (verdict.nearest) pen.segment(verdict.nearest.positive, verdict.nearest.negative, { colour: "--proof", width: 1.5, dash: [2, 3] });
  }
  pen.points(points, classesOf(labels), { size: 6 });
  if (!verdict) return;
  verdict.support.forEach((row) => pen.ring(points[row], "support"));
  if (separable || !verdict.meeting) return;
  verdict.support.forEach((row) => {
    const from = labels[row] < 0 && !offset ? points[row].map((x) => -x) : points[row];
    pen.segment(from, verdict.meeting, { colour: labels[row] > 0 ? "--class-1" : "--class-0", width: 1.5 });
  });
  pen.ring(verdict.meeting, "now");
}

const circle = (radius) => Array.from({ length: 97 }, (_, k) => [radius * Math.cos((k * Math.PI) / 48), radius * Math.sin((k * Math.PI) / 48)]);

function paintIdeal(pen, { radius, margin, distance, offset }) {
  const d = offset ? distance : 0;
  pen.area(cap(radius, d + margin, 1), { colour: "--class-1", opacity: 0.22 });
  pen.area(cap(radius, margin - d, -1), { colour: "--class-0", opacity: 0.22 });
  pen.grid();
  pen.band(0, 1, -d, margin);
  pen.curve(circle(radius));
  pen.line(0, 1, -d);
  pen.arrow([0, 0], [radius, 0], { width: 1.5 });
  pen.arrow([0, d], [0, d + margin], { colour: "--w", width: 2 });
}

// the part of a disc beyond a height, above (side 1) or below (side −1)
function cap(radius, height, side) {
  const from = Math.asin(Math.max(-1, Math.min(1, height / radius)));
  return Array.from({ length: 65 }, (_, k) => {
    const angle = from + (k / 64) * (Math.PI - 2 * from);
    return [radius * Math.cos(angle), side * radius * Math.sin(angle)];
  });
}

function paintClaims(pen, state, { claims }) {
  pen.grid();
  if (!claims?.updates.length) return;
  const most = claims.updates.length;
  const grid = Array.from({ length: 61 }, (_, k) => (k / 60) * most * 1.05);
  pen.curve(grid.map((t) => [t, Math.sqrt(t) * claims.radius]), { colour: "--old", dash: true });
  pen.curve(grid.map((t) => [t, t * claims.margin]), { colour: "--proof", dash: true });
  pen.curve([[0, 0], ...claims.updates.map(({ norm }, at) => [at + 1, norm])], { colour: "--ink" });
  pen.curve([[0, 0], ...claims.updates.map(({ along }, at) => [at + 1, along])], { colour: "--w" });
  pen.text([most * 0.6, Math.sqrt(most * 0.6) * claims.radius], "√t·R", { align: "right", colour: "--old" });
  pen.text([most * 0.9, most * 0.6 * claims.margin], "tγ", { align: "right", colour: "--proof" });
  pen.text([most * 0.55, claims.updates[Math.floor((most - 1) * 0.5)].norm], "‖w‖", { align: "right" });
  pen.text([most * 0.98, claims.updates.at(-1).along], "w·w*", { align: "right", colour: "--w" });
}

function sentences({ offset }, { verdict, run, separable, claims, reached, ideal }) {
  const hand = `By hand: at most ${real(ideal)} mistakes.`;
  if (!verdict) return ["Both classes are needed for a bound.", hand];
  const through = offset ? "line" : "line through the origin";
  if (!separable) {
    const end = run.cycle ? `the run repeats every ${counted(run.cycle.period, "step")}` : `the page stops after ${whole(run.mistakes)} mistakes`;
    return [`No ${through} separates these points (proved): ${offset ? "the convex hulls of the classes meet" : "the origin is a convex combination of the points y·x"}. There is no bound, and ${end}.`, hand];
  }
  const made = run.separated ? `The run makes ${counted(run.mistakes, "mistake")}` : `The run has made ${whole(run.mistakes)} mistakes so far`;
  return [
    `${made}; the bound allows ${whole(Math.floor(claims.bound + 1e-9))}. The largest margin is γ = ${real(verdict.margin)}${reached === null ? "" : `, and the line of the run (dashed) reaches ${real(reached, 3)}`}.`,
    `${claims.holds ? "At every mistake both claims hold" : "A claim fails"}: w·w* grew by at least ${real(claims.leastProgress, 4)} (γ of ${offset ? "(x, 1)" : "x"}: ${real(claims.margin, 4)}), and ‖w‖² by at most ${real(claims.mostGrowth, 4)} (R²: ${real(claims.radius ** 2, 4)}).`, hand,
  ];
}

function tables({ offset, labels }, { verdict, lifted, run, separable, claims }) {
  if (!verdict) return [];
  if (!separable) {
    return [{ caption: "The proof: a common point of both hulls", head: ["point", "label", "weight"], rows: verdict.weights.map(({ row, weight }) => [row + 1, labels[row] > 0 ? "+" : "−", String(weight).length < 20 ? String(weight) : real(weight.toNumber(), 6)]) }];
  }
  const head = offset ? ["", "points x", "points (x, 1)"] : ["", "points x"];
  const both = (name, plain, other) => (offset ? [name, plain, other] : [name, other]);
  return [{
    caption: "Radius, margin, bound", head,
    rows: [
      both("radius R", real(verdict.radius), real(lifted.radius)), both("largest margin γ", real(verdict.margin), real(lifted.margin)),
      both("(R/γ)²", real((verdict.radius / verdict.margin) ** 2), real(claims.bound)), both("mistakes made", "", whole(run.mistakes)),
    ],
  }];
}

const python = ({ points, labels, offset, order, seed }) => script(
  "from rosenblatt import separate, trace, verify", "", assignment("X", points), assignment("y", labels),
  call("proof = separate", ["X", "y"], { offset }), "print(proof, verify(proof, X, y))",
  call("steps = trace", ["X", "y"], { offset, order, random_state: order === "shuffled" ? seed : undefined, epochs: null, until: "separated", max_steps: MOST_STEPS }),
  "print(steps.mistakes, proof.mistake_bound)");

const sized = (value) => Number(value.toPrecision(3));
const fits = ({ radius, margin, distance }) => ({ radius, margin: Math.max(0.01, Math.min(margin, radius - distance - 0.01)), distance: Math.max(0, Math.min(distance, radius - 0.02)) });

export default {
  start,
  presets: {
    "sixteen points": {},
    "x = 0 (+) and x = 0.1 (−)": { points: [[0, 0], [0.1, 0]], labels: [1, -1] },
    "XOR": { points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: [-1, 1, 1, -1] },
    "003-cycle, no offset": { points: CYCLE, labels: [1, 1, -1], offset: false },
    "003-cycle with an offset": { points: CYCLE, labels: [1, 1, -1] },
  },
  points: { classes: LABELS, most: 120 },
  compute,
  planes: [
    { key: "plane", label: "Points of two classes, the line with the largest margin and the line of a run", points: true, paint, view: ({ points }) => (points.length ? square(halfOf(points, [], 0.05)) : square(3)) },
    { key: "claims", title: "Mistake by mistake", label: "t·γ ≤ w·w* ≤ ‖w‖ ≤ √t·R after t mistakes", small: true, equal: false, xLabel: "t", yLabel: "", paint: paintClaims, view: (state, { claims } = {}) => (claims?.updates.length ? [[0, claims.updates.length * 1.05], [0, Math.sqrt(claims.updates.length * 1.05) * claims.radius * 1.05]] : [[0, 4], [0, 4]]) },
    {
      key: "ideal", title: "R, γ and d by hand", label: "A circle of radius R and a band of half width γ", small: true, paint: paintIdeal, view: ({ radius }) => [[-1.5 * radius, 1.5 * radius], [-1.1 * radius, 1.1 * radius]],
      handles: ({ radius, margin, distance, offset }) => [
        { key: "radius", at: [radius, 0], label: "radius R", text: "R", along: "x", move: ([x], state) => fits({ ...state, radius: Math.max(0.1, sized(Math.abs(x))) }) },
        { key: "margin", at: [0, (offset ? distance : 0) + margin], label: "margin γ", text: "γ", along: "y", move: ([, y], state) => fits({ ...state, margin: Math.max(0.01, sized(Math.abs(y - (state.offset ? state.distance : 0)))) }) },
        ...(offset ? [{ key: "distance", at: [-0.55 * radius, distance], label: "distance d of the line", text: "d", along: "y", move: ([, y], state) => fits({ ...state, distance: Math.max(0, sized(y)) }) }] : []),
      ],
    },
  ],
  controls: [
    { group: "The run", name: "offset", type: "toggle", label: "with an offset b" },
    { group: "The run", name: "order", type: "choice", label: "Order", options: [["given", "as given"], ["shuffled", "shuffled"]] },
    { group: "The run", name: "seed", type: "number", label: "Shuffle seed", min: 0, max: 1e6, step: 1, when: ({ order }) => order === "shuffled" },
    { group: "By hand", name: "radius", type: "slider", label: "Radius R", min: 0.1, max: 10, step: 0.1, set: (radius, state) => fits({ ...state, radius }), shown: (x) => real(x, 3) },
    { group: "By hand", name: "margin", type: "slider", label: "Margin γ", min: 0.01, max: 5, step: 0.01, set: (margin, state) => fits({ ...state, margin }), shown: (x) => real(x, 3) },
    { group: "By hand", name: "distance", type: "slider", label: "Distance d", min: 0, max: 9, step: 0.1, set: (distance, state) => fits({ ...state, distance }), when: ({ offset }) => offset, shown: (x) => real(x, 3) },
    { group: "By hand", name: "ideal", type: "note", label: ({ radius, margin, distance, offset }) => (offset ? `(R² + 1)(1 + d²)/γ² = ${real(((radius ** 2 + 1) * (1 + distance ** 2)) / margin ** 2)}` : `(R/γ)² = ${real((radius / margin) ** 2)}`) },
  ],
  parts: [proofPart],
  sentences, tables, python,
};
