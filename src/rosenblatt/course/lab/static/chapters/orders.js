// Order, averaging, voting: the same points in many orders, and four averaging strategies for one of them.

import { button, choice, group, note, numberField, slider, table, toggle } from "../controls.js";
import { counted, real, whole } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { cells } from "./classed_points.js";
import { drawable, drawPoints } from "./cloud.js";
import { STRATEGIES, mountSpread, quantile, wrongIn } from "./spread.js";

const GAP = [NaN, NaN]; // ends a segment of a curve
const SMOOTHINGS = 8; // times that each point of the border moves to the mean of its neighbours
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
    if (found) pen.regions({ ...found.cells, opacity: 0.13 });
    pen.grid();
    if (found) paintLines(pen, found);
    pen.points(points, classes, {});
  }

  function show(answer) {
    const { numbers, picture } = answer;
    found = { ...answer, cells: cells(picture.voted) };
    found.border = borderOf(found.cells);
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

const CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]];

/** Return segments of the smoothed curve between grid cells with different predictions. */
function borderOf({ columns, rows, classes, view: { x, y } }) {
  const [wide, high] = [(x[1] - x[0]) / columns, (y[1] - y[0]) / rows];
  const nodes = new Map();
  const nodeAt = (...place) => {
    const key = String(place);
    if (!nodes.has(key)) nodes.set(key, { at: place, near: [] });
    return nodes.get(key);
  };
  const segments = [];
  for (let row = 0; row + 1 < rows; row += 1) {
    for (let column = 0; column + 1 < columns; column += 1) {
      const found = CORNERS.map(([right, down]) => classes[(row + down) * columns + column + right]);
      const middles = CORNERS.slice(1).map(([right, down], k) => [right + CORNERS[k][0], down + CORNERS[k][1]])
        .filter((_, k) => found[k] !== found[k + 1]);
      const ends = middles.map(([right, down]) => nodeAt(column + (right + 1) / 2, row + (down + 1) / 2));
      for (let k = 0; k < ends.length; k += 2) {
        segments.push([ends[k], ends[k + 1]]);
        ends[k].near.push(ends[k + 1]);
        ends[k + 1].near.push(ends[k]);
      }
    }
  }
  for (let round = 0; round < SMOOTHINGS; round += 1) {
    for (const node of nodes.values()) {
      const of = [node, ...node.near];
      node.next = [0, 1].map((axis) => of.reduce((sum, { at }) => sum + at[axis], 0) / of.length);
    }
    for (const node of nodes.values()) if (node.near.length > 1) node.at = node.next;
  }
  const place = ({ at: [column, row] }) => [x[0] + column * wide, y[1] - row * high];
  return segments.flatMap(([one, other]) => [place(one), place(other), GAP]);
}

function paintLines(pen, { numbers, border }) {
  for (const [a, b, c] of numbers.lines) pen.line(a, b, c, { colour: "--quiet", width: 1, opacity: 0.45 });
  for (const { keep, colour, dash } of STRATEGIES) {
    if (keep === "voted") pen.curve(border, { colour, dash, width: 3 });
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
