// How sure is w? The replay of a second-order rule, and the result of a first-order rule.

import { button, choice, group, numberField, slider, table, toggle } from "../controls.js";
import { whole } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { mountReplay } from "../viewer/player.js";
import { drawable } from "./cloud.js";
import { removeNear, rounded } from "./drawing.js";

const ROOM = [[-4, -3], [4, 3]]; // the smallest view while points are drawn
const BETWEEN_LINKS = 300; // milliseconds between changes of the link while a replay plays
const OPTIONS = {
  rule: [["arow", "AROW"], ["confidence_weighted", "confidence-weighted"], ["scw1", "soft confidence-weighted"],
    ["normal_herd", "normal herding"], ["second_order", "second-order perceptron"]],
  covariance: [["full", "full matrix"], ["diagonal", "diagonal"]],
  first: [["rosenblatt", "Rosenblatt"], ["passive_aggressive_1", "passive-aggressive I"]],
};

export function mount(lab) {
  lab.picture.parentElement.classList.add("full-width");
  let viewer = null;
  let adding = 1;
  let pressed = null;
  let linkTimer = null;

  const change = (part) => {
    lab.change({ step: 0, ...part });
    place();
  };
  const add = (point, label) => {
    const { points, labels } = lab.state;
    change({ points: [...points, point.map(rounded)], labels: [...labels, label] });
  };
  const remove = (row) => {
    const without = (list) => list.filter((_, at) => at !== row);
    change({ points: without(lab.state.points), labels: without(lab.state.labels) });
  };

  const drawing = group(lab.controls, "Points");
  choice(drawing, {
    label: "Click adds", options: [["1", "a point of class +"], ["-1", "a point of class −"]], value: "1",
    onChange: (label) => { adding = Number(label); },
  });
  const byKeys = [0, 0];
  numberField(drawing, { label: "x₁", value: 0, onChange: (x) => { byKeys[0] = x; } });
  numberField(drawing, { label: "x₂", value: 0, onChange: (x) => { byKeys[1] = x; } });
  button(drawing, "Add point", () => add([...byKeys], adding));
  button(drawing, "Remove last", () => remove(lab.state.points.length - 1));
  button(drawing, "Remove all", () => change({ points: [], labels: [] }));

  const run = group(lab.controls, "The run");
  const chosen = (name, label) => choice(run, {
    label, value: lab.state[name], options: OPTIONS[name], onChange: (value) => change({ [name]: value }),
  });
  const controls = {
    rule: chosen("rule", "Second-order rule"),
    covariance: chosen("covariance", "Covariance"),
    first: chosen("first", "Compare with"),
    epochs: slider(run, {
      label: "Passes", min: 1, max: 20, step: 1, value: lab.state.epochs,
      onInput: (epochs) => change({ epochs }),
    }),
    offset: toggle(run, {
      label: "with an offset b", value: lab.state.offset === true, onChange: (offset) => change({ offset }),
    }),
  };
  const compared = table(lab.controls, "First and second order");

  function place() {
    for (const [name, control] of Object.entries(controls)) control.set(lab.state[name]);
  }

  function press(point, plane) {
    pressed = point;
    if (!removeNear(plane, lab.state.points, point, remove)) add(point, adding);
  }

  function keepStep(step) {
    lab.state.step = step;
    clearTimeout(linkTimer);
    linkTimer = setTimeout(() => lab.writeLink(), BETWEEN_LINKS);
  }

  function show({ numbers, replay }) {
    viewer?.destroy();
    viewer = mountReplay(lab.picture, replay.head, lab.chunksOf(replay), {
      step: lab.state.step, onStep: keepStep, include: ROOM, ownsPage: true,
    });
    const { plane } = viewer;
    plane.onPress((point) => press(point, plane), { from: pressed });
    const named = { sure: nameOf("rule"), plain: nameOf("first") };
    compared.element.hidden = false;
    const counts = ["mistakes", "updates", "wrong"];
    compared.set(["rule", "mistakes", "updates", "misclassified"], Object.entries(named).map(
      ([which, name]) => [name, ...counts.map((what) => whole(numbers[what][which]))],
    ));
  }

  const nameOf = (name) => OPTIONS[name].find(([value]) => value === lab.state[name])?.[1] ?? "";

  place();
  return {
    show,
    plane: () => viewer.plane,
    refuse() {
      viewer?.destroy();
      compared.element.hidden = true;
      const plane = emptyPlane(lab, press, pressed);
      viewer = { plane, destroy: () => plane.destroy() };
    },
  };
}

/** Show an empty plane for the first points while there is no run. */
function emptyPlane(lab, press, from) {
  const plane = new Plane(lab.picture, { label: "A plane; click to add points" });
  plane.setView([ROOM[0][0], ROOM[1][0]], [ROOM[0][1], ROOM[1][1]]);
  const { points, classes } = drawable(lab.state);
  plane.draw((pen) => {
    pen.grid();
    pen.points(points, classes, {});
  });
  plane.onPress((point) => press(point, plane), { from });
  return plane;
}
