// XOR and what helps: the line whose run cycles, polynomials, kernels and budgets.

import { choice, group, slider, table, toggle } from "../controls.js";
import { real, vector } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { mountReplay } from "../viewer/player.js";
import { cells, drawable, drawClasses, tidy } from "./classed_points.js";
import { caption, folded } from "./drawing.js";

const KINDS = [{ label: -1, mark: 0, name: "class −" }, { label: 1, mark: 1, name: "class +" }];
const XOR_LABELS = [-1, 1, 1, -1];
const MOST_ROWS = 12; // rows of the support table
const MOST_TERMS = 15; // terms of a polynomial written in a sentence
const BETWEEN_LINKS = 300; // milliseconds between changes of the link while a replay plays
const HALF = 1.5; // half the side of the view until the first answer

export function mount(lab) {
  const plane = new Plane(lab.picture, { label: "Points of two classes and the region of each prediction" });
  plane.setView([-HALF, HALF], [-HALF, HALF]);
  const summary = caption(lab.picture);
  const written = writtenOut(lab.picture);
  const replayed = stepByStep(lab);
  let answer = null;

  const change = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };
  const drawing = group(lab.controls, "Points");
  const points = drawClasses(lab, plane, drawing, { kinds: KINDS, sets: SETS, change });
  const controls = methodControls(group(lab.controls, "Model"), lab.state, change);
  const tables = {
    lines: table(lab.controls, "One cycle"),
    support: table(lab.controls, "Coefficients"),
  };

  function place() {
    points.place();
    placeControls(controls, lab.state);
  }

  function paint(pen) {
    const { points: drawn, marks } = drawable(lab.state, KINDS);
    const { numbers, picture } = answer ?? {};
    if (answer?.cells) pen.regions(answer.cells);
    if (picture?.lines && !numbers.cycle) pen.halves(...numbers.w, numbers.b);
    pen.grid();
    if (picture?.lines) paintLines(pen, numbers, picture.lines, plane.view);
    pen.points(drawn, marks, { size: 6 });
    const ring = (rows, kind) => rows?.forEach((row) => drawn[row] && pen.ring(drawn[row], kind));
    ring(numbers?.support, "support");
    if (!numbers?.cycle) ring(numbers?.wrong, "wrong");
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
      written.set(answer.numbers);
      showTables(tables, answer, lab.state);
      replayed.show(answer.replay);
    },
    refuse() {
      answer = null;
      summary.clear();
      written.set({});
      for (const each of Object.values(tables)) each.element.hidden = true;
      replayed.show(null);
      plane.draw(paint);
    },
  };
}

// ---------------------------------------------------------------- point sets

const around = (n, radius, turn = 0) => Array.from({ length: n }, (_, k) => {
  const angle = (2 * Math.PI * (k + turn)) / n;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
});

function moons() {
  const arc = Array.from({ length: 12 }, (_, k) => (Math.PI * k) / 11);
  return [
    ...arc.map((angle) => [Math.cos(angle) - 0.5, Math.sin(angle) - 0.25]),
    ...arc.map((angle) => [0.5 - Math.cos(angle), 0.25 - Math.sin(angle)]),
  ];
}

function spiral() {
  const arm = Array.from({ length: 18 }, (_, k) => [0.35 + 0.09 * k, 0.5 + 0.3 * k]);
  return [1, -1].flatMap((side) => arm.map(
    ([radius, angle]) => [side * radius * Math.cos(angle), side * radius * Math.sin(angle)]));
}

const signs = (n, first) => Array.from({ length: 2 * n }, (_, k) => (k < n ? first : -first));

const SETS = [
  { name: "XOR on {−1, 1}²", points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: XOR_LABELS },
  { name: "XOR on {0, 1}²", points: [[0, 0], [0, 1], [1, 0], [1, 1]], labels: XOR_LABELS },
  { name: "circles", points: tidy([...around(12, 0.6), ...around(12, 1.2, 0.5)]), labels: signs(12, 1) },
  { name: "two moons", points: tidy(moons()), labels: signs(12, 1) },
  { name: "a spiral", points: tidy(spiral()), labels: signs(18, 1) },
];

// ---------------------------------------------------------------- controls

function methodControls(parent, state, change) {
  return {
    method: choice(parent, {
      label: "Method", value: state.method, onChange: (method) => change({ method }),
      options: [["line", "a line"], ["polynomial", "a polynomial"], ["kernel", "a kernel"]],
    }),
    kernel: choice(parent, {
      label: "K(x, z)", value: state.kernel, onChange: (kernel) => change({ kernel }),
      options: [["homogeneous", "(x·z)ᵈ"], ["polynomial", "(x·z + c)ᵈ"], ["gaussian", "exp(−γ‖x − z‖²)"],
        ["laplacian", "exp(−γ‖x − z‖₁)"]],
    }),
    degree: slider(parent, {
      label: "Degree d", min: 1, max: 8, step: 1, value: state.degree,
      onInput: (degree) => change({ degree }),
    }),
    c: slider(parent, {
      label: "c", min: 0.1, max: 5, step: 0.1, value: state.c, onInput: (c) => change({ c }), shown: real,
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
      label: "Maximum passes", min: 1, max: 50, step: 1, value: state.passes,
      onInput: (passes) => change({ passes }),
    }),
    budget: slider(parent, {
      label: "Support points", min: 0, max: 30, step: 1, value: state.budget,
      shown: (budget) => (budget ? `at most ${budget}` : "no limit"),
      onInput: (budget) => change({ budget }),
    }),
    forgetting: choice(parent, {
      label: "When the budget is full", value: state.forgetting, onChange: (forgetting) => change({ forgetting }),
      options: [["projectron", "project: Projectron"], ["projectron++", "project: Projectron++"],
        ["forgetron", "fade and remove: Forgetron"], ["oldest", "remove the oldest"],
        ["random", "remove a random one"]],
    }),
    replay: toggle(parent, {
      label: "replay the run step by step", value: state.replay,
      onChange: (replay) => change({ replay, step: 0 }),
    }),
  };
}

function placeControls(controls, { method, kernel, budget, ...state }) {
  const isKernel = method === "kernel";
  const isPower = isKernel && ["homogeneous", "polynomial"].includes(kernel);
  const shown = {
    method: true,
    kernel: isKernel,
    degree: method === "polynomial" || isPower,
    c: isKernel && kernel === "polynomial",
    gamma: isKernel && !isPower,
    keep: method !== "line",
    passes: method !== "line",
    budget: isKernel,
    forgetting: isKernel && budget > 0,
    replay: true,
  };
  const values = { method, kernel, budget, ...state, gamma: Math.log10(state.gamma) };
  for (const [name, control] of Object.entries(controls)) {
    control.element.hidden = !shown[name];
    control.set(values[name]);
  }
}

const widthAt = (place) => Number((10 ** place).toPrecision(2));

// ---------------------------------------------------------------- pictures and tables

// the lines of one cycle, numbered in order; or the last line of the run
function paintLines(pen, numbers, lines, view) {
  if (!numbers.cycle) {
    pen.line(...numbers.w, numbers.b, { width: 2 });
    return;
  }
  lines.forEach(([w1, w2, b], at) => {
    pen.line(w1, w2, b, { dash: true, width: 2, colour: "--w" });
    pen.text(onLine(w1, w2, b, view), String(at + 1), { align: "center", colour: "--w", bold: true });
  });
}

// a position on the line near the edge of the view, where its number does not cover the points
function onLine(w1, w2, b, { x, y }) {
  const [right, top] = [x[0] + 0.94 * (x[1] - x[0]), y[0] + 0.94 * (y[1] - y[0])];
  const height = w2 ? -(w1 * right + b) / w2 : Infinity;
  if (height >= y[0] && height <= top) return [right, height];
  return [-(w2 * top + b) / w1, top];
}

function keyOf({ numbers, picture }) {
  if (picture.lines) {
    const rings = `Ringed: the points that ${numbers.separable ? "decide the margin" : "prove that no line separates"}.`;
    return numbers.cycle ? `Dashed: the lines of one cycle, in order. ${rings}` : rings;
  }
  const support = numbers.support ? "Ringed: the support points. " : "";
  return `${support}${numbers.wrong.length ? "Crossed ring: wrong." : ""}`;
}

// a section with a polynomial that has too many terms for a sentence
function writtenOut(parent) {
  const details = folded(parent, "All terms of p");
  const text = document.createElement("p");
  details.append(text);
  return {
    set({ polynomial = "", monomials = 0 }) {
      details.hidden = monomials <= MOST_TERMS;
      text.textContent = `p(x) = ${polynomial}`;
    },
  };
}

// the run below the picture, step by step; the link contains the step
function stepByStep(lab) {
  const stage = document.createElement("div");
  lab.picture.append(stage);
  let [viewer, timer] = [null, null];
  const onStep = (step) => {
    lab.state.step = step;
    clearTimeout(timer);
    timer = setTimeout(() => lab.writeLink(), BETWEEN_LINKS);
  };
  return {
    show(replay) {
      viewer?.destroy();
      viewer = replay && mountReplay(stage, replay.head, lab.chunksOf(replay), { step: lab.state.step, onStep });
    },
  };
}

function showTables({ lines, support }, { numbers, picture }, state) {
  lines.element.hidden = !picture.lines?.length;
  lines.set(["line", "w", "b"], (picture.lines ?? []).map(
    ([w1, w2, b], at) => [String(at + 1), vector([w1, w2]), real(b)]));
  support.element.hidden = !numbers.coefficients?.length;
  const parts = (numbers.coefficients ?? []).slice(0, MOST_ROWS);
  support.set(["point", "x", "coefficient"], parts.map((part, at) => {
    const row = numbers.support[at];
    return [String(row), vector(state.points[row] ?? []), real(part)];
  }));
}
