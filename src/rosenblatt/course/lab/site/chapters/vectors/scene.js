// Vectors: norms, angle, sum, projection, distance from a line, positive definite matrices.

import { ellipse } from "../../engine/arow.js";
import { angle, inner, isPositiveDefinite, l1Norm, l2Norm, projectOnVector, signedDistance } from "../../engine/geometry.js";
import { real, vector } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { foot, rounded, square } from "../common.js";

const HALF = 5;

export const start = { topic: "norms", x: [3, 1], z: [1, 2], w: [2, 1], b: -4, sigma: [2, 1, 1] };

export function compute({ x, z, w, b, sigma }) {
  const [s11, s12, s22] = sigma;
  const isZero = (v) => !v[0] && !v[1];
  return {
    l1: l1Norm(x), l2: l2Norm(x), product: inner(x, z), degrees: isZero(x) || isZero(z) ? null : (angle(x, z) * 180) / Math.PI,
    sum: [x[0] + z[0], x[1] + z[1]], projection: isZero(z) ? null : projectOnVector(x, z),
    distance: isZero(w) ? null : signedDistance(x, w, b),
    form: s11 * z[0] ** 2 + 2 * s12 * z[0] * z[1] + s22 * z[1] ** 2, definite: isPositiveDefinite([[s11, s12], [s12, s22]]), determinant: s11 * s22 - s12 ** 2, separable: null,
  };
}

const circle = (radius) => Array.from({ length: 97 }, (_, k) => [radius * Math.cos((k * Math.PI) / 48), radius * Math.sin((k * Math.PI) / 48)]);
const arrow = (pen, to, text, colour, from = [0, 0]) => pen.arrow(from, to, { colour, width: 3, text });

const PAINTS = {
  norms(pen, { x }, { l1, l2 }) {
    pen.curve([[l1, 0], [0, l1], [-l1, 0], [0, -l1], [l1, 0]], { colour: "--add", dash: true });
    pen.curve(circle(l2), { colour: "--w", dash: true });
    pen.curve([[0, 0], [x[0], 0], x], { colour: "--add", width: 2 });
    arrow(pen, x, "x", "--w");
  },
  angle(pen, { x, z }) {
    arrow(pen, x, "x", "--w");
    arrow(pen, z, "z", "--add");
    const [from, to] = [Math.atan2(x[1], x[0]), Math.atan2(z[1], z[0])];
    const turn = Math.atan2(Math.sin(to - from), Math.cos(to - from));
    pen.curve(Array.from({ length: 33 }, (_, k) => [Math.cos(from + (turn * k) / 32), Math.sin(from + (turn * k) / 32)]), { width: 1.5 });
  },
  sum(pen, { x, z }, { sum }) {
    arrow(pen, x, "θ", "--w");
    arrow(pen, sum, "x", "--add", x);
    pen.arrow([0, 0], z, { colour: "--add", dash: true, width: 1.5, text: "x" });
    arrow(pen, sum, "θ + x", "--ink");
  },
  projection(pen, { x, z }, { projection }) {
    pen.line(z[1], -z[0], 0, { colour: "--old", width: 1 });
    arrow(pen, z, "v", "--add");
    arrow(pen, x, "x", "--w");
    if (!projection) return;
    pen.segment(x, projection, { colour: "--quiet", dash: true });
    arrow(pen, projection, "p", "--proof");
  },
  distance(pen, { x, w, b }, { distance }) {
    pen.line(...w, b);
    pen.arrow(foot([0, 0], w, b), foot([0, 0], w, b).map((value, k) => value + w[k]), { colour: "--w", width: 2.5, text: "w" });
    if (distance !== null) pen.segment(x, foot(x, w, b), { colour: "--proof", width: 2.5 });
    pen.points([x], [(distance ?? 0) > 0 ? 1 : 0], { size: 7 });
  },
  definite(pen, { z, sigma }, { definite }) {
    if (definite) {
      const { axes, angle: turn } = ellipse(...sigma);
      const outline = circle(1).map(([u, v]) => [axes[0] * u * Math.cos(turn) - axes[1] * v * Math.sin(turn), axes[0] * u * Math.sin(turn) + axes[1] * v * Math.cos(turn)]);
      pen.area(outline, { colour: "--w" });
      pen.curve(outline, { colour: "--w" });
    }
    const image = [sigma[0] * z[0] + sigma[1] * z[1], sigma[1] * z[0] + sigma[2] * z[1]];
    arrow(pen, z, "z", "--add");
    arrow(pen, image, "Σz", "--w");
  },
};

const SENTENCES = {
  norms: ({ x }, { l1, l2 }) => [`x = ${vector(x)}: the L1 norm is |${real(x[0])}| + |${real(x[1])}| = ${real(l1)}, the L2 norm is √(${real(x[0] ** 2)} + ${real(x[1] ** 2)}) = ${real(l2)}.`, "All vectors with the same L1 norm form a diamond, those with the same L2 norm a circle (dashed)."],
  angle: ({ x, z }, { product, degrees }) => [`x·z = ${vector(x)}·${vector(z)} = ${real(product)}.`, degrees === null ? "A vector of length 0 has no direction." : `The cosine of the angle is x·z/(‖x‖‖z‖) = ${real(product / (Math.hypot(...x) * Math.hypot(...z)), 4)}: ${real(degrees, 4)}°.${product === 0 ? " They are perpendicular." : ""}`],
  sum: ({ x, z }, { sum }) => [`θ + x = ${vector(x)} + ${vector(z)} = ${vector(sum)}: element by element, or one arrow after the other.`],
  projection: ({ x, z }, { projection, product }) => (projection ? [`The projection of x = ${vector(x)} on v = ${vector(z)} is p = (x·v/v·v) v = ${real(product)}/${real(z[0] ** 2 + z[1] ** 2)} · v = ${vector(projection, 4)}.`, `‖p‖ = ${real(Math.hypot(...projection), 4)} ≤ ‖x‖ = ${real(Math.hypot(...x), 4)} (Pythagoras): so (x·v)² ≤ ‖x‖²‖v‖², the Cauchy–Schwarz inequality.`] : ["v has length 0: there is nothing to project on."]),
  distance: ({ x, w, b }, { distance }) => (distance === null ? ["w = 0, so there is no line."] : [`The signed distance of ${vector(x)} from the line is (w·x + b)/‖w‖ = ${real(w[0] * x[0] + w[1] * x[1] + b)}/${real(Math.hypot(...w), 4)} = ${real(distance, 4)}.`, distance > 0 ? "It is positive: the point is on the side of w." : distance < 0 ? "It is negative: the point is on the other side." : "It is 0: the point is on the line."]),
  definite: ({ z }, { form, definite, determinant }) => [`zᵀΣz = ${real(form)} for z = ${vector(z)}; the determinant of Σ is ${real(determinant)}.`, definite ? "Σ is positive definite: zᵀΣz > 0 for every z other than 0, so Σz is within 90° of z. The ellipse shows its standard deviations." : "Σ is not positive definite: for some z other than 0, zᵀΣz is not positive. Can you find one?"],
};

const is = (...topics) => ({ topic }) => topics.includes(topic);
const handle = (key, at, text, label) => ({ key, at, text, label, move: (place) => ({ [key]: place.map(rounded) }) });

function handles({ topic, x, z, w, b }) {
  if (topic === "norms") return [handle("x", x, "x", "x")];
  if (topic === "sum") return [handle("x", x, "θ", "θ"), handle("z", z, "x", "x")];
  if (topic === "definite") return [handle("z", z, "z", "z")];
  if (topic === "distance") return [handle("x", x, "x", "the point"), { key: "b", at: foot([0, 0], w, b), text: "b", label: "the line", move: (place, state) => ({ b: rounded(-(state.w[0] * place[0] + state.w[1] * place[1])) }) }];
  return [handle("x", x, "x", "x"), handle("z", z, topic === "projection" ? "v" : "z", topic === "projection" ? "v" : "z")];
}

function python({ topic, x, z, w, b, sigma }) {
  const lines = { norms: ["print(geometry.l1_norm(x), geometry.l2_norm(x))"], angle: ["print(geometry.inner(x, z), geometry.angle(x, z))"], sum: ["print([a + b for a, b in zip(x, z)])"], projection: ["print(geometry.project_on_vector(x, z))"], distance: [assignment("w", w), assignment("b", b), "print(geometry.signed_distance(x, w, b))"], definite: ["import numpy as np", `sigma = np.array([[${sigma[0]}, ${sigma[1]}], [${sigma[1]}, ${sigma[2]}]])`, "print(np.linalg.eigvalsh(sigma) > 0, np.array(z) @ sigma @ z)"] }[topic];
  return script("from rosenblatt import geometry", "", assignment("x", x), assignment("z", z), ...lines);
}

export default {
  start,
  presets: { "norms": {}, "angle and inner product": { topic: "angle" }, "001-addition": { topic: "sum", x: [1, 1], z: [-2, 1] }, "projection": { topic: "projection" }, "distance from a line": { topic: "distance", x: [3, 2] }, "positive definite": { topic: "definite" }, "not positive definite": { topic: "definite", sigma: [1, 2, 1] } },
  compute,
  planes: [{ key: "plane", label: "Vectors as arrows", handles, view: () => square(HALF), paint: (pen, state, result) => { pen.grid(); PAINTS[state.topic](pen, state, result); } }],
  controls: [
    { name: "topic", type: "choice", label: "Topic", options: [["norms", "L1 and L2 norm"], ["angle", "inner product, cosine"], ["sum", "sum of vectors"], ["projection", "projection"], ["distance", "signed distance"], ["definite", "positive definite Σ"]] },
    ...[0, 1].map((k) => ({ group: "Vectors", name: `x.${k}`, type: "number", label: `first vector, ${k ? "second" : "first"} number`, when: is("norms", "angle", "sum", "projection", "distance") })),
    ...[0, 1].map((k) => ({ group: "Vectors", name: `z.${k}`, type: "number", label: `second vector, ${k ? "second" : "first"} number`, when: is("angle", "sum", "projection", "definite") })),
    ...[0, 1].map((k) => ({ group: "The line", name: `w.${k}`, type: "number", label: `w${"₁₂"[k]}`, when: is("distance") })),
    { group: "The line", name: "b", type: "number", label: "b", when: is("distance") },
    ...["Σ₁₁", "Σ₁₂", "Σ₂₂"].map((label, k) => ({ group: "Σ", name: `sigma.${k}`, type: "slider", label, min: -3, max: 3, step: 0.25, when: is("definite"), shown: (value) => real(value) })),
  ],
  sentences: (state, result) => SENTENCES[state.topic](state, result),
  tables: () => [],
  python,
};
