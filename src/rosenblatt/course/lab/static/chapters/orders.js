// Order, averaging, voting: the same points in many orders, and four averaging strategies for one of them.

import { button, choice, group, note, numberField, slider, table, toggle } from "../controls.js";
import { counted, real, whole } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { drawable, drawPoints } from "./cloud.js";
import { STRATEGIES, mountSpread, quantile, wrongIn } from "./spread.js";

const GAP = [NaN, NaN]; // ends a segment of a curve
const OPTIONS = {
  rule: [["rosenblatt", "Rosenblatt"], ["margin", "with a margin"],
    ["passive_aggressive_1", "passive-aggressive I"], ["forgetting", "forgetting"]],
  init: [["zeros", "w = 0"], ["unit", "the unit vector"]],
  lines: [["last", "the last w"], ["averaged", "the averaged w"], ["pocket", "the pocket"]],
  order: [["shuffled", "a shuffled order"], ["given", "as given"], ["by class", "all +, then all −"]],
};

export function mount(lab) {
  let found = null;
  const plane = new Plane(lab.picture, { label: "Points of two classes and the lines of many orders" });
  legendOf(lab.picture);
  const change = (part) => {
    lab.change(part);
    if ("points" in part) found = null;
    place();
  };
  const drawn = drawPoints(lab, plane, group(lab.picture, "Points"), change);
  const spread = mountSpread(lab.picture, (run) => change({ order: "shuffled", run }));
  const controls = settings(lab, change);
  const examples = group(lab.controls, "Examples");
  for (const [name, state] of Object.entries(lab.offers.examples)) {
    button(examples, name, () => {
      change({ order: "shuffled", init: "zeros", ...state });
      drawn.fit();
    });
  }
  const errors = table(lab.controls, "Misclassified points");
  const votes = note(lab.controls);

  function place() {
    controls.place();
    plane.draw(paint);
  }

  function paint(pen) {
    const { points, classes } = drawable(lab.state);
    if (found) paintRegions(pen, found.picture.voted);
    pen.grid();
    if (found) paintLines(pen, found);
    pen.points(points, classes, {});
  }

  function show(answer) {
    found = answer;
    const { numbers, picture } = answer;
    plane.setView(...picture.voted.shown);
    plane.draw(paint);
    plane.describe(answer.sentences.join(" "));
    spread.show(numbers, lab.state);
    errors.element.hidden = votes.hidden = false;
    errors.set(["weights", "here", "min", "median", "max"], STRATEGIES.map(({ keep }) => {
      const wrong = wrongIn(numbers, keep);
      const parts = [0, 0.5, 1].map((part) => real(quantile(wrong, part), 3));
      return [keep, whole(numbers.wrong[keep]), ...parts];
    }));
    votes.textContent = sayVotes(picture.made, numbers.survival);
  }

  drawn.fit();
  place();
  return {
    show,
    plane: () => plane,
    refuse() {
      found = null;
      spread.show(null);
      errors.element.hidden = votes.hidden = true;
      plane.draw(paint);
    },
  };
}

// ---------------------------------------------------------------- the picture

function paintRegions(pen, { columns, rows, classes, x, y }) {
  pen.regions({ columns, rows, classes, view: { x, y }, opacity: 0.13 });
}

function paintLines(pen, { numbers, picture }) {
  for (const [a, b, c] of numbers.lines) pen.line(a, b, c, { colour: "--quiet", width: 1, opacity: 0.45 });
  for (const { keep, colour, dash } of STRATEGIES) {
    const pieces = picture.voted.boundary.flatMap((ends) => [...ends, GAP]);
    if (keep === "voted") pen.curve(pieces, { colour, dash, width: 3 });
    else pen.line(...numbers.boundaries[keep], { colour, dash, width: 2.5 });
  }
}

function legendOf(parent) {
  const legend = document.createElement("ul");
  legend.className = "legend";
  const styles = [...STRATEGIES, { keep: "one line for each order", colour: "--quiet", dash: null }];
  for (const { keep, colour, dash } of styles) {
    const item = document.createElement("li");
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.dataset.kind = dash ? "dash" : "line";
    swatch.style.setProperty("--swatch", `var(${colour})`);
    item.append(swatch, keep);
    legend.append(item);
  }
  parent.append(legend);
}

function sayVotes(made, survival) {
  const all = survival.reduce((sum, steps) => sum + steps, 0);
  return `This order made ${counted(made, "mistake")}, so ${whole(survival.length)} vectors vote; `
    + `the one that survived longest has ${whole(Math.max(...survival))} of ${whole(all)} votes.`;
}

// ---------------------------------------------------------------- the settings

function settings(lab, change) {
  const { state } = lab;
  const to = (name) => (value) => change({ [name]: value });
  const chosen = (parent, name, label) => choice(parent, {
    label, value: state[name], options: OPTIONS[name], onChange: to(name),
  });
  const all = group(lab.controls, "All orders");
  const made = { rule: chosen(all, "rule", "Rule") };
  const offset = toggle(all, {
    label: "with an offset b", value: state.offset === true, onChange: to("offset"),
  });
  made.init = chosen(all, "init", "Start");
  made.epochs = slider(all, {
    label: "Passes", min: 1, max: 20, step: 1, value: state.epochs, onInput: to("epochs"),
  });
  made.orders = slider(all, {
    label: "Orders", min: 2, max: 40, step: 1, value: state.orders,
    onInput: (orders) => change({ orders, run: Math.min(lab.state.run, orders - 1) }),
  });
  made.lines = chosen(all, "lines", "Thin lines show");
  const one = group(lab.controls, "One order, four strategies");
  made.order = chosen(one, "order", "Order");
  made.run = numberField(one, { label: "Shuffle number", step: 1, value: state.run, onChange: to("run") });
  return {
    place() {
      for (const [name, control] of Object.entries(made)) control.set(lab.state[name]);
      offset.set(lab.state.offset === true);
      made.run.element.hidden = lab.state.order !== "shuffled";
    },
  };
}
