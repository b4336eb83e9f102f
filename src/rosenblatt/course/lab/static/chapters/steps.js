// Step by step: draw points, choose the settings of the run, and replay it.

import { button, choice, group, numberField, slider, textField, toggle } from "../controls.js";
import { vector } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { mountReplay } from "../viewer/player.js";
import { removeNear, rounded } from "./drawing.js";

const ROOM = [[-4, -4], [4, 4]]; // the smallest view while points are drawn
const BETWEEN_LINKS = 300; // milliseconds between changes of the link while a replay plays

export function mount(lab) {
  lab.picture.parentElement.classList.add("full-width");
  let viewer = null;
  let adding = 1;
  let linkTimer = null;
  let pressed = null;

  // an example is a state: changes apply to its state, and the other settings stay
  const named = ({ example }) => lab.offers.numbered[example] ?? example; // a link may contain "xor: 2"
  const current = () => ({ ...lab.state, ...lab.offers.examples[named(lab.state)] });
  const change = (part) => {
    lab.change({ ...lab.offers.examples[named(lab.state)], example: "", step: 0, ...part });
    place();
  };
  const add = (point, label) => {
    if (pointsAreFixed()) return;
    const { points, labels } = current();
    change({ points: [...points, point.map(rounded)], labels: [...labels, label] });
  };
  const remove = (row) => {
    if (pointsAreFixed()) return;
    const { points, labels } = current();
    change({ points: points.filter((_, at) => at !== row), labels: labels.filter((_, at) => at !== row) });
  };
  // an example with more than two features can be replayed, but points cannot be added by clicks
  const pointsAreFixed = () => current().points.some((point) => point.length !== 2);

  const drawing = group(lab.controls, "Points");
  choice(drawing, {
    label: "Click adds", options: [["1", "a point of class +"], ["-1", "a point of class −"]], value: "1",
    onChange: (label) => { adding = Number(label); },
  });
  const byKeys = [0, 0];
  numberField(drawing, { label: "x₁", value: 0, onChange: (x) => { byKeys[0] = x; } });
  numberField(drawing, { label: "x₂", value: 0, onChange: (x) => { byKeys[1] = x; } });
  button(drawing, "Add point", () => add([...byKeys], adding));
  button(drawing, "Remove last", () => remove(current().points.length - 1));
  button(drawing, "Remove all", () => change({ points: [], labels: [] }));
  const examples = choice(drawing, {
    label: "Worked example", options: [["", "own points"], ...Object.keys(lab.offers.examples)],
    value: named(lab.state),
    onChange: (example) => {
      lab.change({ example, step: 0 });
      place();
    },
  });

  const run = group(lab.controls, "The run");
  const controls = {
    order: choice(run, {
      label: "Order", value: lab.state.order,
      options: [["given", "as given"], ["shuffled", "shuffled"], ["first_mistake", "the first mistake"],
        ["worst_mistake", "the worst mistake"], ["listed", "custom"]],
      onChange: (order) => change({ order }),
    }),
    listed: textField(run, {
      label: "Row order", value: lab.state.listed.join(" "),
      onChange: (text) => change({ order: "listed", listed: (text.match(/-?\d+/g) ?? []).map(Number) }),
    }),
    seed: numberField(run, { label: "Shuffle seed", step: 1, value: lab.state.seed, onChange: (seed) => change({ seed }) }),
    tie: choice(run, {
      label: "A score of 0 is", value: lab.state.tie,
      options: [["mistake", "a mistake"], ["negative", "predicted as −"], ["positive", "predicted as +"]],
      onChange: (tie) => change({ tie }),
    }),
    offset: toggle(run, { label: "with an offset b", value: lab.state.offset, onChange: (offset) => change({ offset }) }),
    init: choice(run, {
      label: "Start", value: lab.state.init,
      options: [["zeros", "w = 0"], ["unit", "the unit vector"], ["w0", "custom w₀"]],
      onChange: (init) => change({ init }),
    }),
    w1: numberField(run, { label: "w₀, first", value: lab.state.w0[0], onChange: (x) => change({ init: "w0", w0: [x, current().w0[1]] }) }),
    w2: numberField(run, { label: "w₀, second", value: lab.state.w0[1], onChange: (x) => change({ init: "w0", w0: [current().w0[0], x] }) }),
    b0: numberField(run, { label: "b₀", value: lab.state.b0, onChange: (b0) => change({ init: "w0", b0 }) }),
    passes: slider(run, {
      label: "Passes", min: 0, max: 50, step: 1, value: lab.state.passes,
      shown: (passes) => (passes ? String(passes) : "as needed"), onInput: (passes) => change({ passes }),
    }),
  };

  function place() {
    const state = current();
    examples.set(named(state));
    for (const name of ["order", "seed", "tie", "offset", "init", "b0", "passes"]) controls[name].set(state[name]);
    controls.listed.set(state.listed.join(" "));
    [controls.w1, controls.w2].forEach((control, at) => control.set(state.w0[at]));
    controls.listed.element.hidden = state.order !== "listed";
    controls.seed.element.hidden = state.order !== "shuffled";
    for (const name of ["w1", "w2"]) controls[name].element.hidden = state.init !== "w0";
    controls.b0.element.hidden = state.init !== "w0" || !state.offset;
    run.disabled = pointsAreFixed();
  }

  function press(point, plane) {
    if (pointsAreFixed()) return;
    pressed = point;
    if (!removeNear(plane, current().points, point, remove)) add(point, adding);
  }

  function keepStep(step) {
    lab.state.step = step;
    clearTimeout(linkTimer);
    linkTimer = setTimeout(() => lab.writeLink(), BETWEEN_LINKS);
  }

  // keep the keyboard focus: on the crosshair, or on the control of the replay that was used last
  function withFocusKept(remake) {
    const held = lab.picture.contains(document.activeElement) ? document.activeElement : null;
    const name = held?.classList.contains("cross") ? ".cross" : held?.getAttribute("aria-label");
    remake();
    if (!held) return;
    const again = name === ".cross" ? lab.picture.querySelector(name)
      : [...lab.picture.querySelectorAll("[aria-label]")].find((each) => each.getAttribute("aria-label") === name);
    again?.focus({ preventScroll: true });
  }

  function show(next) {
    withFocusKept(() => remount(next));
  }

  function remount(next) {
    viewer?.destroy();
    viewer = mountReplay(lab.picture, next.replay.head, lab.chunksOf(next.replay), {
      step: lab.state.step, onStep: keepStep, include: next.replay.head.n_features === 2 ? ROOM : [], ownsPage: true,
    });
    const { plane } = viewer;
    plane.onPress((point) => press(point, plane), { from: pressed });
  }

  place();
  return {
    show,
    plane: () => viewer.plane,
    refuse() {
      withFocusKept(() => {
        viewer?.destroy();
        const plane = emptyPlane(lab, press, pressed);
        viewer = { plane, destroy: () => plane.destroy() };
      });
    },
  };
}

/** Show an empty plane for the first points while there is no run. */
function emptyPlane(lab, press, from) {
  const plane = new Plane(lab.picture, { label: "A plane; click to add points" });
  plane.setView([ROOM[0][0], ROOM[1][0]], [ROOM[0][1], ROOM[1][1]]);
  plane.draw((pen) => {
    pen.grid();
    pen.points(lab.state.points, lab.state.labels.map((label) => (label > 0 ? 1 : 0)), {});
    lab.state.points.forEach((point) => pen.text([point[0] + 0.15, point[1]], vector(point), { align: "left" }));
  });
  plane.onPress((point) => press(point, plane), { from });
  return plane;
}
