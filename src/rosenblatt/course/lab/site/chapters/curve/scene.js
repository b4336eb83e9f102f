// Curve fitting and overfitting: degree, noise and λ against the error on new points.

import { chooseL2, fitCurve, rootMeanSquare } from "../../engine/curve.js";
import { Random } from "../../engine/random.js";
import { real } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { rounded } from "../common.js";

const TEST = 200;
const HIGHEST = 15;
const CANDIDATES = [0, ...Array.from({ length: 11 }, (_, k) => Number(`1e${k - 9}`))];

/** Return `n` points of sin(πx) with noise. */
export function drawPoints(n, noise, ...seeds) {
  const random = new Random(...seeds);
  return Array.from({ length: n }, (_, k) => {
    const x = seeds.length > 1 ? random.uniform(-1, 1) : n > 1 ? -1 + (2 * k) / (n - 1) : 0;
    return [rounded(x), Number((Math.sin(Math.PI * x) + noise * random.normal()).toFixed(3))];
  });
}

const FIRST = drawPointsOf({ n: 10, noise: 0.2, seed: 2 });
function drawPointsOf({ n, noise, seed }) {
  const points = drawPoints(n, noise, seed);
  return { points, labels: points.map(() => 0) };
}

export const start = { ...FIRST, n: 10, noise: 0.2, seed: 2, degree: 9, l2: 0, auto: false, test: false };

export function compute({ points, noise, seed, degree, l2, auto }) {
  if (!points.length) return { curve: null };
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const fresh = drawPoints(TEST, noise, seed, 1);
  const [testX, testY] = [fresh.map(([x]) => x), fresh.map(([, y]) => y)];
  const chosen = auto ? chooseL2(xs, ys, { degree, candidates: CANDIDATES }) : null;
  const penalty = chosen ? chosen.l2 : l2;
  const errorsOf = (curve) => ({ train: rootMeanSquare(curve, xs, ys), test: rootMeanSquare(curve, testX, testY) });
  const curve = fitCurve(xs, ys, { degree, l2: penalty });
  const byDegree = Array.from({ length: HIGHEST + 1 }, (_, M) => ({ at: M, ...errorsOf(fitCurve(xs, ys, { degree: M, l2: penalty })) }));
  return { curve, fresh, l2: penalty, ...errorsOf(curve), byDegree, separable: null };
}

const along = Array.from({ length: 261 }, (_, k) => -1.3 + k / 100);

function paint(pen, { points, test }, { curve, fresh }) {
  pen.grid();
  if (test && fresh) pen.points(fresh, fresh.map(() => 2), { size: 2.5, faded: true });
  pen.curve(along.map((x) => [x, Math.sin(Math.PI * x)]), { colour: "--old", dash: true });
  if (curve) {
    points.forEach(([x, y]) => pen.segment([x, y], [x, curve.predict(x)], { colour: "--wrong", width: 1.5 }));
    pen.curve(along.map((x) => [x, Math.max(-9, Math.min(9, curve.predict(x)))]), { colour: "--w", width: 2.5 });
  }
  pen.points(points, points.map(() => 1), { size: 6 });
}

// errors above 10 are drawn as 10, on a logarithmic scale
const logged = (error) => Math.log10(Math.max(1e-3, Math.min(10, error)));

function paintErrors(pen, { degree }, { byDegree }) {
  pen.grid();
  if (!byDegree) return;
  pen.curve(byDegree.map(({ at, train }) => [at, logged(train)]), { colour: "--class-1" });
  pen.curve(byDegree.map(({ at, test }) => [at, logged(test)]), { colour: "--class-0", dash: true });
  const now = byDegree[degree];
  pen.rings([[degree, logged(now.train)], [degree, logged(now.test)]], "support");
  pen.text([HIGHEST * 0.97, logged(byDegree.at(-1).test)], "new points", { align: "right", colour: "--class-0" });
  pen.text([0.3, logged(byDegree[0].train) - 0.25], "training points", { colour: "--class-1" });
}

function sentences({ degree, points, noise }, { curve, train, test, l2 }) {
  if (!curve) return ["Click to add points."];
  const largest = Math.max(...curve.coefficients.map(Math.abs));
  return [
    `Degree ${degree}, λ = ${real(l2, 3)}: the error (root mean square) is ${real(train, 3)} on the ${points.length} training points and ${real(test, 3)} on ${TEST} new points.`,
    `The noise is ${real(noise)}; on average no curve has a smaller error on new points. The largest coefficient is ${real(largest, 3)}.`,
  ];
}

const drawn = (part, state) => ({ ...part, ...drawPointsOf({ ...state, ...part }) });

export default {
  start,
  presets: { "degree 9 through ten points": {}, "degree 3": { degree: 3 }, "degree 9 with λ = 10⁻³": { l2: 1e-3 }, "40 points": { n: 40, ...drawPointsOf({ n: 40, noise: 0.2, seed: 2 }) } },
  points: { classes: [{ label: 0, mark: 1, name: "point" }], most: 40 },
  compute,
  planes: [
    { key: "plane", label: "Points, a polynomial through them, and the sine", points: true, equal: false, xLabel: "x", yLabel: "y", paint, view: () => [[-1.3, 1.3], [-2.2, 2.2]] },
    { key: "errors", title: "Error by degree (powers of ten)", label: "Training and test error by degree", small: true, equal: false, xLabel: "M", yLabel: "", paint: paintErrors, view: () => [[0, HIGHEST], [-3, 1]], onPress: ([x]) => ({ degree: Math.max(0, Math.min(HIGHEST, Math.round(x))) }), pressLabel: "degree", pressDoes: "Enter chooses this degree" },
  ],
  controls: [
    { group: "Curve", name: "degree", type: "slider", label: "Degree M", min: 0, max: HIGHEST },
    { group: "Curve", name: "auto", type: "toggle", label: "choose λ on held-out points" },
    { group: "Curve", name: "l2", type: "slider", label: "λ", min: -10, max: 1, step: 0.5, to: (place) => (place <= -10 ? 0 : Number((10 ** place).toPrecision(2))), from: (l2) => (l2 ? Math.log10(l2) : -10), shown: (l2) => real(l2, 2), when: ({ auto }) => !auto },
    { group: "Points", name: "n", type: "slider", label: "Number", min: 1, max: 40, set: (n, state) => drawn({ n }, state) },
    { group: "Points", name: "noise", type: "slider", label: "Noise", min: 0, max: 1, step: 0.05, set: (noise, state) => drawn({ noise }, state), shown: (x) => real(x, 2) },
    { group: "Points", name: "seed", type: "number", label: "Seed", min: 0, max: 999, step: 1, set: (seed, state) => drawn({ seed }, state) },
    { group: "Points", name: "test", type: "toggle", label: "show the new points" },
  ],
  sentences,
  tables: (state, { curve }) => (curve ? [{ caption: "Coefficients", head: ["power of x", "w"], rows: curve.coefficients.map((value, at) => [String(at), real(value, 5)]) }] : []),
  python: ({ points, degree, l2, auto }) => script("import numpy as np", "from rosenblatt.foundations import PolynomialCurve", "", assignment("x", points.map(([x]) => x)), assignment("y", points.map(([, y]) => y)), `model = PolynomialCurve(degree=${degree}, l2=${auto ? '"auto"' : l2}).fit(np.array(x)[:, None], y)`, "print(model.l2_, model.training_error_, model.coef_)"),
};
