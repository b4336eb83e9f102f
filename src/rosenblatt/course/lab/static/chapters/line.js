// The line and its two sides: drag w and b, click to classify.

import { button, choice, numberField, table } from "../controls.js";
import { real, vector } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { rounded } from "./drawing.js";

const HALF = 5.5; // of the view, in both directions

export function mount(lab) {
  const plane = new Plane(lab.picture, { label: "A line and points on its two sides" });
  plane.setView([-HALF, HALF], [-HALF, HALF]);
  let numbers = null;

  const nearest = () => foot([0, 0], lab.state.w, lab.state.b);
  const set = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };

  const tip = plane.handle({
    at: lab.state.w, label: "w", text: "w",
    onMove: (point) => set({ w: point.map(rounded) }),
  });
  const middle = plane.handle({
    at: nearest(), label: "the line", text: "b",
    onMove: (point) => set({ b: rounded(-dot(lab.state.w, point)) }),
  });
  const fields = [
    numberField(lab.controls, { label: "w₁", value: lab.state.w[0], onChange: (x) => set({ w: [x, lab.state.w[1]] }) }),
    numberField(lab.controls, { label: "w₂", value: lab.state.w[1], onChange: (x) => set({ w: [lab.state.w[0], x] }) }),
    numberField(lab.controls, { label: "b", value: lab.state.b, onChange: (b) => set({ b }) }),
  ];
  const examples = choice(lab.controls, {
    label: "Worked example", value: "", options: [["", "own line"], ...Object.keys(lab.offers.lines)],
    onChange: (name) => name && set(structuredClone(lab.offers.lines[name])),
  });
  button(lab.controls, "Without offset", () => set({ b: 0 }));
  button(lab.controls, "Remove points", () => set({ points: [] }));
  const scores = table(lab.controls, "Points and their scores");
  plane.onPress((point) => set({ points: [...lab.state.points, point.map(rounded)] }));

  function place() {
    const { w, b, points } = lab.state;
    const same = ([, line]) => JSON.stringify([line.w, line.b, line.points]) === JSON.stringify([w, b, points]);
    examples.set(Object.entries(lab.offers.lines).find(same)?.[0] ?? "");
    tip.moveTo(w);
    middle.moveTo(nearest());
    [w[0], w[1], b].forEach((value, at) => fields[at].set(value));
  }

  function paint(pen) {
    const { w, b, points } = lab.state;
    pen.halves(w[0], w[1], b);
    pen.grid();
    pen.line(w[0], w[1], b, { width: 2 });
    pen.arrow([0, 0], w, { colour: "--w" });
    points.forEach((point) => pen.segment(point, foot(point, w, b), { colour: "--quiet", dash: [4, 4] }));
    const sides = points.map((point) => Math.sign(dot(w, point) + b));
    const off = points.filter((_, at) => sides[at] !== 0);
    pen.points(off, sides.filter((side) => side !== 0).map((side) => (side > 0 ? 1 : 0)), {});
    pen.rings(points.filter((_, at) => sides[at] === 0)); // on the line, so in neither class
    if (numbers && numbers.scores.length === points.length) {
      points.forEach((point, at) => pen.text([point[0] + 0.25, point[1] + 0.25], real(numbers.scores[at]), { align: "left" }));
    }
  }

  place();
  plane.draw(paint);
  return {
    plane: () => plane,
    show(answer) {
      numbers = answer.numbers;
      scores.set(["point", "score", "answer", "distance"], lab.state.points.map((point, at) => [
        vector(point), real(numbers.scores[at]), ["−", "on the line", "+"][numbers.answers[at] + 1],
        real(numbers.distances[at])]));
      plane.draw(paint);
    },
    refuse() {
      numbers = null;
      scores.set([], []);
      plane.draw(paint);
    },
  };
}

const dot = (v, x) => v[0] * x[0] + v[1] * x[1];

/** Return the foot of the perpendicular from a point to the line. */
function foot(point, w, b) {
  const along = (dot(w, point) + b) / (dot(w, w) || 1);
  return [point[0] - along * w[0], point[1] - along * w[1]];
}
