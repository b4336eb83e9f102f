// More than two classes: each against the rest, or all together; the largest score determines the class.

import { choice, group, slider, table } from "../controls.js";
import { classColour } from "../viewer/marks.js";
import { real, vector } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { cells, drawable, drawClasses, tidy } from "./classed_points.js";
import { caption } from "./drawing.js";

const KINDS = [0, 1, 2, 3, 4, 5].map((label) => ({ label, mark: label, name: String(label) }));
const HALF = 3; // half the side of the view until the first answer
const ARROW = 0.16; // as a part of half the view

export function mount(lab) {
  const plane = new Plane(lab.picture, { label: "Points of several classes and the region of each prediction" });
  plane.setView([-HALF, HALF], [-HALF, HALF]);
  const summary = caption(lab.picture);
  let answer = null;

  const change = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };
  const sets = [{ name: "three clouds", points: lab.start.points, labels: lab.start.labels }, ...SETS];
  const points = drawClasses(lab, plane, group(lab.controls, "Points"), { kinds: KINDS, sets, change });
  const controls = methodControls(group(lab.controls, "Training"), lab.state, change);
  controls.method.element.classList.add("roomy");
  const lines = table(lab.controls, "Classes");
  const confusion = table(lab.controls, "Confusion matrix");
  lines.element.classList.add("close");

  function place() {
    points.place();
    placeControls(controls, lab.state);
  }

  function paint(pen) {
    const { points: drawn, marks } = drawable(lab.state, KINDS);
    const { numbers, picture } = answer ?? {};
    if (answer) pen.regions(answer.cells);
    pen.grid();
    if (picture && hasOwnLines(answer)) paintLines(pen, numbers, picture);
    pen.points(drawn, marks, { size: 6 });
    for (const row of numbers?.wrong ?? []) if (drawn[row]) pen.ring(drawn[row], "wrong");
    for (const row of numbers?.tied ?? []) if (drawn[row]) pen.ring(drawn[row], "now");
  }

  place();
  plane.draw(paint);
  return {
    plane: () => plane,
    show(next) {
      answer = { ...next, cells: cells(next.picture.regions) };
      const { half } = answer.picture;
      plane.setView([-half, half], [-half, half]);
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      summary.set(answer.sentences, keyOf(answer));
      showLines(lines, answer);
      showConfusion(confusion, answer);
    },
    refuse() {
      answer = null;
      summary.clear();
      for (const each of [lines, confusion]) each.element.hidden = true;
      plane.draw(paint);
    },
  };
}

// ---------------------------------------------------------------- point sets

// n classes around the origin, four points each; the last class may be in the middle
function wheel(n, radius, spread) {
  return Array.from({ length: n }, (_, k) => {
    const angle = (2 * Math.PI * k) / n + 0.5;
    const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return [[x + spread, y], [x, y + spread], [x - spread, y], [x, y - spread]];
  }).flat();
}

const fours = (n) => Array.from({ length: 4 * n }, (_, at) => Math.floor(at / 4));

const ROW = [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1]];

const SETS = [
  { name: "three in a row", points: ROW, labels: [0, 0, 1, 1, 2, 2] },
  { name: "five in a circle", points: tidy(wheel(5, 2, 0.45)), labels: fours(5) },
  { name: "one inside", points: tidy([...wheel(3, 2, 0.5), ...wheel(1, 0, 0.3)]), labels: fours(4) },
  { name: "on both sides", points: [...ROW, [-0.5, -2], [0.5, -2]], labels: [0, 0, 1, 1, 0, 0, 2, 2] },
  { name: "two classes", points: [[-1, 0.5], [-1.5, -1], [0.5, 1.5], [1, -0.5], [2, 1], [1.5, -1.5]],
    labels: [0, 0, 0, 1, 1, 1] },
];

// ---------------------------------------------------------------- controls

function methodControls(parent, state, change) {
  return {
    method: choice(parent, {
      label: "Method", value: state.method, onChange: (method) => change({ method }),
      options: [["one_vs_rest", "one-vs-rest"], ["ultraconservative", "shared mistakes"],
        ["kernel", "one-vs-rest with a kernel"]],
    }),
    sharing: choice(parent, {
      label: "x is subtracted from", value: state.sharing, onChange: (sharing) => change({ sharing }),
      options: [["worst", "the highest rival"], ["uniform", "all rivals at least tied, equally"],
        ["proportional", "all rivals at least tied, by their lead"]],
    }),
    kernel: choice(parent, {
      label: "K(x, z)", value: state.kernel, onChange: (kernel) => change({ kernel }),
      options: [["gaussian", "exp(−γ‖x − z‖²)"], ["polynomial", "(x·z + 1)ᵈ"]],
    }),
    degree: slider(parent, {
      label: "Degree d", min: 1, max: 8, step: 1, value: state.degree,
      onInput: (degree) => change({ degree }),
    }),
    gamma: slider(parent, {
      label: "γ", min: -1.3, max: 1, step: 0.05, value: Math.log10(state.gamma),
      onInput: (place) => change({ gamma: widthAt(place) }), shown: (place) => real(widthAt(place)),
    }),
    keep: choice(parent, {
      label: "Weights used", value: state.keep, onChange: (keep) => change({ keep }),
      options: [["last", "last w"], ["averaged", "averaged w"]],
    }),
    passes: slider(parent, {
      label: "Maximum passes", min: 1, max: 100, step: 1, value: state.passes,
      onInput: (passes) => change({ passes }),
    }),
  };
}

function placeControls(controls, { method, kernel, ...state }) {
  const isKernel = method === "kernel";
  const shown = {
    sharing: method === "ultraconservative",
    kernel: isKernel,
    degree: isKernel && kernel === "polynomial",
    gamma: isKernel && kernel === "gaussian",
  };
  const values = { method, kernel, ...state, gamma: Math.log10(state.gamma) };
  for (const [name, control] of Object.entries(controls)) {
    control.element.hidden = !(shown[name] ?? true);
    control.set(values[name]);
  }
}

const widthAt = (place) => Number((10 ** place).toPrecision(2));

// ---------------------------------------------------------------- pictures and tables

// only perceptrons trained separately have one line each; with two classes there is one line
const hasOwnLines = ({ numbers }) => Boolean(numbers.w && (numbers.claims || numbers.w.length === 1));

// draw the line of each class in its colour, with w pointing to the side of the class
function paintLines(pen, { w, b }, { classes, half }) {
  w.forEach(([w1, w2], at) => {
    const colour = w.length === 1 ? "--ink" : classColour(classes[at]);
    const length = Math.hypot(w1, w2);
    if (!length) return;
    pen.line(w1, w2, b[at], { colour, width: 2 });
    const foot = [(-b[at] * w1) / length ** 2, (-b[at] * w2) / length ** 2];
    const tip = [foot[0] + (ARROW * half * w1) / length, foot[1] + (ARROW * half * w2) / length];
    pen.arrow(foot, tip, { colour, text: String(w.length === 1 ? classes[1] : classes[at]) });
  });
}

function keyOf(answer) {
  const { numbers } = answer;
  const parts = [];
  if (hasOwnLines(answer)) parts.push("On each line the score of its class is 0; the arrow is on its side.");
  if (numbers.tied?.length) parts.push("Thick ring: a tie for the largest score.");
  if (numbers.wrong.length) parts.push("Crossed ring: wrong.");
  return parts.join(" ");
}

function showLines(lines, { numbers, picture }) {
  const [first, second, ...others] = picture.classes;
  const names = others.length ? picture.classes.map(String) : [`${second} against ${first}`];
  const rows = names.map((name, at) => [name, String(numbers.mistakes_per_class[at])]);
  if (numbers.w) {
    const divided = (at) => ({ true: "yes", false: "no" })[numbers.separable[at]] ?? "not decided";
    rows.forEach((row, at) => row.push(vector(numbers.w[at], 3), real(numbers.b[at], 3), divided(at)));
  }
  lines.set(["class", "mistakes", ...(numbers.w ? ["w", "b", "separable"] : [])], rows);
  lines.element.hidden = false;
}

function showConfusion(confusion, { numbers, picture }) {
  confusion.set(["true, predicted", ...picture.classes.map(String)], numbers.confusion.map(
    (row, at) => [String(picture.classes[at]), ...row.map(String)]));
  confusion.element.hidden = false;
}
