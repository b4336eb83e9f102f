// You are the teacher: click to present a challenge, and see the perceptron predict and learn.

import { button, choice, numberField, slider, table, toggle } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { real, vector } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { arrowScale, caption, circle, folded, removeNear, rounded, scaleText, totals } from "./drawing.js";
import { rounds } from "./rounds.js";

const HALF = 1.25; // half the side of the view: slightly larger than the unit circle
const TALLEST_BOUND = 60; // a higher bound would flatten the curve of the mistakes

/** Build the part “the teacher” of the chapter. */
export function mountTeaching(lab, stage, panel) {
  const plane = new Plane(stage, { label: "Challenges in the plane" });
  plane.setView([-HALF, HALF], [-HALF, HALF]);
  const below = caption(stage);
  const chart = new Chart(stage, {
    label: "Mistakes by round", xLabel: "round", yLabel: "mistakes", height: 170,
  });
  const record = table(folded(stage, "Round by round"), "Rounds");
  const { state } = lab;
  let answer = null;
  let next = 1;

  const set = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };
  const present = (point) => set({
    challenges: [...state.challenges, point.map(rounded)], labels: [...state.labels, next], round: 0,
  });
  const keepFirst = (count) => set({
    challenges: state.challenges.slice(0, count), labels: state.labels.slice(0, count), round: 0,
  });
  const without = (row) => set({
    challenges: state.challenges.toSpliced(row, 1), labels: state.labels.toSpliced(row, 1), round: 0,
  });

  choice(panel, {
    label: "Labels", options: [["separator", "by my w*"], ["own", "one by one"]],
    value: state.labelling, onChange: (labelling) => set({ labelling }),
  });
  const margin = slider(panel, {
    label: "Promised margin ρ", min: 0.05, max: 0.7, step: 0.05, value: state.margin,
    shown: (rho) => real(rho, 2), onInput: (rho) => set({ margin: rho }),
  });
  const label = choice(panel, {
    label: "Next label", options: [["1", "+ (circle)"], ["-1", "− (square)"]], value: "1",
    onChange: (value) => { next = Number(value); },
  });
  const typed = [0.5, 0.5];
  numberField(panel, { label: "x₁", value: typed[0], step: 0.1, onChange: (x) => { typed[0] = x; } });
  numberField(panel, { label: "x₂", value: typed[1], step: 0.1, onChange: (x) => { typed[1] = x; } });
  button(panel, "Present the challenge", () => present([...typed]));
  button(panel, "Undo last", () => keepFirst(state.challenges.length - 1));
  button(panel, "Remove all", () => keepFirst(0));
  const shown = rounds(lab, panel, () => {
    plane.draw(paint);
    drawChart();
  });
  toggle(panel, {
    label: "The learner has an offset", value: state.offset, onChange: (offset) => set({ offset }),
  });
  choice(panel, {
    label: "A score of 0 is", options: [["mistake", "a mistake"], ["negative", "−"], ["positive", "+"]],
    value: state.tie, onChange: (tie) => set({ tie }),
  });

  const star = plane.handle({
    at: unit(state.separator), label: "w*", text: "w*",
    onMove: (point) => Math.hypot(...point) > 0.05 && set({ separator: unit(point).map(toThousandths) }),
  });
  plane.onPress(
    (point) => removeNear(plane, state.challenges, point, without) || present(point),
    { label: "new challenge", does: "Enter presents it, or removes an existing point" },
  );

  function place() {
    const byStar = state.labelling === "separator";
    star.moveTo(unit(state.separator));
    star.element.hidden = margin.element.hidden = !byStar;
    label.element.hidden = byStar;
  }

  function paint(pen) {
    pen.grid();
    pen.curve(circle(1), { colour: "--axis", dash: true, width: 1.5 });
    if (state.labelling === "separator") {
      const [a, b] = unit(state.separator);
      pen.band(a, b, 0, state.margin, { colour: "--proof" });
      pen.line(a, b, 0, { colour: "--proof", dash: true });
      pen.arrow([0, 0], [a, b], { colour: "--proof" });
    }
    if (answer) paintGame(pen, answer.numbers, shown.at());
  }

  function paintGame(pen, { X, y, mistakes, weights, presented }, at) {
    const scale = at ? paintUpdate(pen, y[at - 1], weights[at - 2] ?? [0, 0, 0], weights[at - 1]) : 1;
    const seen = new Set(presented);
    const left = state.challenges.filter((_, k) => !seen.has(k));
    pen.points(left, left.map(() => 7), { faded: true, size: 3.5 });
    const classes = y.map((each) => (each > 0 ? 1 : 0));
    pen.points(X.slice(at), classes.slice(at), { faded: true });
    pen.points(X.slice(0, at), classes.slice(0, at), {});
    X.slice(0, at).forEach((x, k) => mistakes[k] && pen.ring(x, "wrong"));
    if (at) pen.ring(X[at - 1], "now");
    below.set(answer.sentences, "Circles are +, squares −. Thick ring: this round. Crossed ring: a "
      + `mistake. Faint stars: closer than ρ to the line of w*. ${scaleText(scale)}`);
  }

  function paintUpdate(pen, label, before, after) {
    const changed = before.some((part, k) => part !== after[k]);
    const scale = arrowScale([before, after], 1.1);
    const [old, now] = [before, after].map((w) => [w[0] * scale, w[1] * scale]);
    if (changed) pen.line(...before, { colour: "--old", dash: true, width: 1.5 });
    pen.line(...after, { width: 2 });
    if (changed) {
      const text = Math.hypot(...old) > 0.2 ? "old w" : "";
      pen.arrow([0, 0], old, { colour: "--old", dash: true, text });
      pen.arrow(old, now, { colour: "--add", text: label > 0 ? "+x" : "−x" });
    }
    pen.arrow([0, 0], now, { colour: "--w", text: "w" });
    return scale;
  }

  function drawChart() {
    const { mistakes, bound } = answer.numbers;
    const xs = [0, ...mistakes.map((_, k) => k + 1)];
    const made = totals(mistakes).at(-1);
    const series = [{ name: "mistakes", xs, ys: totals(mistakes), kind: "step", colour: "--wrong" }];
    const ends = [0, Math.max(1, mistakes.length)];
    if (bound !== null) {
      series.push({ name: "bound", xs: ends, ys: [bound, bound], colour: "--proof", dash: true });
    }
    const highest = Math.max(1, made, bound !== null && bound < TALLEST_BOUND ? bound : 0);
    chart.set(series, { xRange: ends, yRange: [0, highest * 1.05], cursor: shown.at() });
    const limit = bound === null ? "none" : real(bound);
    chart.describe(`${made} mistakes in ${mistakes.length} rounds; bound: ${limit}.`);
  }

  place();
  plane.draw(paint);
  return {
    show(now) {
      answer = now;
      const { X, y, answers, mistakes, weights } = answer.numbers;
      shown.count(X.length);
      record.set(["challenge", "answer", "label", "w afterwards"], X.map((x, k) => [
        `${k + 1}: ${vector(x, 3)}`, sign(answers[k]), sign(y[k]) + (mistakes[k] ? " mistake" : ""),
        vector(weights[k].slice(0, 2), 3)]));
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      drawChart();
    },
    plane,
    refuse: below.clear,
    end() {
      shown.stop();
      plane.destroy();
      chart.destroy();
    },
  };
}

const toThousandths = (part) => Math.round(part * 1000) / 1000;

const sign = (label) => (label > 0 ? "+" : "−");

function unit([a, b]) {
  const length = Math.hypot(a, b) || 1;
  return [a / length, b / length];
}
