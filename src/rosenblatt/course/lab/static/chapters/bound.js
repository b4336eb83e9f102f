// The bound: handles for margin and radius, the proof for the points of the page, and a run.

import { button, choice, group, note, numberField, table, toggle } from "../controls.js";
import { real, whole } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { drawable, drawPoints, named } from "./cloud.js";
import { mountIdeal } from "./ideal.js";
import { mountSqueeze } from "./squeeze.js";

export function mount(lab) {
  let found = null;
  const pair = element(lab.picture, "div", "pair");
  const idea = figure(pair, "Idea: a circle and a band");
  const own = figure(pair, "Your points and the proof");
  const change = (part) => {
    lab.change(part);
    if ("points" in part) found = null;
    place();
  };
  const ideal = mountIdeal(lab, idea, (part) => lab.change(part));
  const plane = new Plane(own, { label: "Points of two classes" });
  const legend = note(own);
  const drawn = drawPoints(lab, plane, own, change);
  const squeeze = mountSqueeze(lab.picture);
  const proof = proofOf(lab.picture);

  const run = group(lab.controls, "The run");
  const offset = toggle(run, {
    label: "with an offset b", value: lab.state.offset === true,
    onChange: (value) => change({ offset: value }),
  });
  const order = choice(run, {
    label: "Order", value: lab.state.order, options: [["given", "as given"], ["shuffled", "shuffled"]],
    onChange: (value) => change({ order: value }),
  });
  const seed = numberField(run, {
    label: "Shuffle seed", step: 1, value: lab.state.seed,
    onChange: (value) => change({ seed: value }),
  });
  const examples = group(lab.controls, "Examples");
  for (const [name, state] of Object.entries(lab.offers.examples)) {
    button(examples, name, () => {
      change({ order: "given", offset: true, ...state });
      drawn.fit();
    });
  }
  button(examples, "Use R and γ of these points", () => {
    if (found?.numbers.separable) change(idealOf(found));
  });
  const figures = table(lab.controls, "Radius, margin, bound");
  const cancelling = table(lab.controls, "Points of the proof");

  function place() {
    offset.set(lab.state.offset === true);
    order.set(lab.state.order);
    seed.set(lab.state.seed);
    seed.element.hidden = lab.state.order !== "shuffled";
    ideal.place();
    plane.draw(paint);
  }

  function paint(pen) {
    const { points, classes } = drawable(lab.state);
    pen.grid();
    if (found?.numbers.separable) paintSeparated(pen, found);
    pen.points(points, classes, {});
    if (!found) return;
    found.numbers.support.forEach((row) => points[row] && pen.ring(points[row], "support"));
    if (found.picture.meeting) paintMeeting(pen, found, points, lab.state.labels);
  }

  function show(answer) {
    found = answer;
    const { numbers, picture } = answer;
    ideal.show(numbers);
    plane.draw(paint);
    legend.textContent = legendOf(answer);
    plane.describe(answer.sentences.join(" "));
    squeeze.show(picture.curves, numbers);
    proof.show(picture.proof, numbers.checked);
    figures.element.hidden = false;
    figures.set(...rowsOf(numbers, picture.offset));
    cancelling.element.hidden = !numbers.cancelling;
    if (!numbers.cancelling) return;
    const here = numbers.cancelling.filter((row) => row < lab.state.points.length);
    cancelling.set(["point", picture.offset ? "share of its class" : "share"],
      here.map((row, at) => [named(lab.state, row), `${real(100 * numbers.shares[at], 4)} %`]));
  }

  drawn.fit();
  place();
  return {
    show,
    plane: () => plane,
    refuse() {
      found = null;
      legend.textContent = "";
      squeeze.show(null);
      proof.show(null);
      figures.element.hidden = cancelling.element.hidden = true;
      plane.draw(paint);
    },
  };
}

// ---------------------------------------------------------------- the points

function paintSeparated(pen, { numbers, picture }) {
  const [a, b, c] = picture.hyperplane;
  pen.band(a, b, c, numbers.margin[0], { colour: "--proof", opacity: 0.18 });
  if (numbers.separated) {
    pen.band(...numbers.w, numbers.b, numbers.reached, { colour: "--w", opacity: 0.25 });
  }
  pen.line(a, b, c, { colour: "--proof", width: 2.5 });
  pen.line(...numbers.w, numbers.b, { colour: "--w", dash: true });
  if (picture.nearest) pen.segment(...picture.nearest, { colour: "--proof", width: 1.5, dash: [2, 3] });
}

// with an offset both hulls have this point; without one the origin is in the hull of all y·x
function paintMeeting(pen, { numbers, picture }, points, labels) {
  const through = (row) => (labels[row] < 0 && !picture.offset ? points[row].map((x) => -x) : points[row]);
  for (const row of numbers.cancelling) {
    if (!points[row]) continue;
    const colour = labels[row] > 0 ? "--class-1" : "--class-0";
    pen.segment(through(row), picture.meeting, { colour, width: 1.5 });
  }
  pen.ring(picture.meeting, "now");
}

function legendOf({ numbers, picture }) {
  if (numbers.separable) {
    const run = numbers.separated ? "the line that the run found, and its band" : "the line of the run so far";
    return `Solid, with its band: the best line, proved; the ringed points decide it. Dashed: ${run}.`;
  }
  return picture.offset
    ? "No line separates these points: the large ring is a point of both convex hulls, made of the ringed points."
    : "No line through the origin separates these points: the origin is a convex combination of the ringed y·x.";
}

function rowsOf(numbers, offset) {
  const most = numbers.most === undefined ? "none" : real(numbers.most, 7);
  const head = offset ? ["", "points x", "points (x, 1)"] : ["", "points x"];
  const both = (name, plain, lifted) => (offset ? [name, plain, lifted ?? ""] : [name, plain]);
  const short = (value) => (value === undefined ? "" : real(value, 4));
  const ratio = (radius, margin) => real((radius / margin) ** 2);
  const rows = [
    both("radius R", short(numbers.radius), short(numbers.lifted_radius)),
    both("best margin γ", short(numbers.margin[0]), short(numbers.lifted_margin?.[0])),
  ];
  if (numbers.separable) {
    rows.push(both("(R/γ)²", ratio(numbers.radius, numbers.margin[0]),
      numbers.lifted_margin ? ratio(numbers.lifted_radius, numbers.lifted_margin[0]) : ""));
  }
  rows.push(both("mistakes, at most", offset ? "" : most, most));
  rows.push(both("mistakes made", offset ? "" : whole(numbers.mistakes), whole(numbers.mistakes)));
  if (numbers.separated) rows.push(both("margin reached", real(numbers.reached, 3)));
  return [head, rows];
}

// set the handles to the circle and the band of the points, for the proved line
function idealOf({ numbers, picture }) {
  const [a, b, c] = picture.hyperplane;
  const short = (value) => Number(value.toPrecision(5));
  const margin = short(numbers.margin[0]);
  const distance = picture.offset ? short(Math.abs(c) / Math.hypot(a, b)) : 0;
  // rounding must not move the band out of the circle
  const radius = Math.max(short(numbers.radius), distance + margin);
  return { ideal_radius: radius, ideal_margin: margin, ideal_distance: distance };
}

// ---------------------------------------------------------------- pieces of the page

function element(parent, tag, className = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  parent.append(made);
  return made;
}

function figure(parent, title) {
  const made = element(parent, "div");
  element(made, "h2").textContent = title;
  return made;
}

/** Show the proof file, for reading and for download. */
function proofOf(parent) {
  const details = element(parent, "details", "below");
  element(details, "summary").textContent = "The proof as a file";
  const checked = note(details);
  const text = element(details, "pre");
  text.tabIndex = 0;
  text.setAttribute("aria-label", "The proof as JSON");
  let kept = "";
  button(details, "Download the proof", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([kept], { type: "application/json" }));
    link.download = "proof.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return {
    show(json, sentence) {
      details.hidden = !json;
      kept = json ? `${json}\n` : "";
      checked.textContent = sentence ?? "";
      text.textContent = json ? JSON.stringify(JSON.parse(json), null, 1) : "";
    },
  };
}
