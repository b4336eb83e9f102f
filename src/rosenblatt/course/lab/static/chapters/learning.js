// You are the learner: classify the challenges of a hidden w*, and compare your mistakes with the perceptron's.

import { button, slider, toggle } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { real } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { caption, circle, rounded, totals } from "./drawing.js";

const HALF = 1.25;

/** Build the part “the learner” of the chapter. */
export function mountLearning(lab, stage, panel) {
  const plane = new Plane(stage, { label: "The challenges so far" });
  plane.setView([-HALF, HALF], [-HALF, HALF]);
  const below = caption(stage);
  const chart = new Chart(stage, {
    label: "Mistakes by round", xLabel: "round", yLabel: "mistakes", height: 170,
  });
  const { state } = lab;
  let answer = null;

  const set = (part) => {
    lab.change(part);
    mine.moveTo(state.your_w);
    plane.draw(paint);
  };
  const say = (given) => state.your_answers.length < answer?.numbers.challenges.length
    && set({ your_answers: [...state.your_answers, given] });

  const buttons = [
    button(panel, "It is +", () => say(1)),
    button(panel, "It is −", () => say(-1)),
    button(panel, "Answer with my w", () => say(answer.numbers.by_your_w.at(-1))),
  ];
  button(panel, "Undo last", () => set({ your_answers: state.your_answers.slice(0, -1) }));
  button(panel, "New game", () => set({ seed: (state.seed + 1) % 1000, your_answers: [], revealed: false }));
  slider(panel, {
    label: "Margin ρ", min: 0.05, max: 0.7, step: 0.05, value: state.margin, shown: (rho) => real(rho, 2),
    onInput: (margin) => set({ margin, your_answers: [] }),
  });
  const revealed = toggle(panel, {
    label: "Show the hidden w*", value: state.revealed, onChange: (on) => set({ revealed: on }),
  });
  const mine = plane.handle({
    at: state.your_w, label: "your w", text: "w", onMove: (point) => set({ your_w: point.map(rounded) }),
  });

  function paint(pen) {
    const { your_w: w } = state;
    pen.halves(w[0], w[1], 0);
    pen.grid();
    pen.curve(circle(1), { colour: "--axis", dash: true, width: 1.5 });
    pen.line(w[0], w[1], 0, { width: 2 });
    pen.arrow([0, 0], w, { colour: "--w" });
    if (!answer) return;
    const { challenges, labels, your_mistakes: mistakes, its_w: its, hidden } = answer.numbers;
    pen.line(its[0], its[1], 0, { colour: "--old", dash: true, width: 1.5 });
    if (hidden) {
      pen.band(...hidden, 0, state.margin, { colour: "--proof" });
      pen.line(...hidden, 0, { colour: "--proof", dash: [2, 4] });
      pen.arrow([0, 0], hidden, { colour: "--proof", text: "w*" });
    }
    pen.points(challenges.slice(0, labels.length), labels.map((label) => (label > 0 ? 1 : 0)), {});
    mistakes.forEach((wrong, k) => wrong && pen.ring(challenges[k], "wrong"));
    challenges.slice(labels.length).forEach((x) => {
      pen.points([x], [7], { size: 3.5 });
      pen.ring(x, "now");
      pen.text([x[0], x[1] + 0.14], "+ or −?", { align: "center", bold: true });
    });
  }

  function drawChart({ your_mistakes: yours, its_mistakes: its, bound }, length) {
    const xs = [0, ...yours.map((_, k) => k + 1)];
    const [you, it] = [totals(yours).at(-1), totals(its).at(-1)];
    chart.set([
      { name: "you", xs, ys: totals(yours), kind: "step", colour: "--add" },
      { name: "the perceptron", xs, ys: totals(its), kind: "step", colour: "--old", dash: true },
    ], { xRange: [0, length], yRange: [0, Math.max(4, you, it) * 1.05], cursor: yours.length });
    chart.describe(`You: ${you} mistakes, the perceptron: ${it}, its bound: ${real(bound)}.`);
  }

  plane.draw(paint);
  return {
    show(now) {
      answer = now;
      const { numbers, picture } = answer;
      const over = numbers.challenges.length === numbers.labels.length;
      buttons.forEach((each) => { each.disabled = over; });
      buttons[2].textContent = `Answer with my w (${numbers.by_your_w.at(-1) > 0 ? "+" : "−"})`;
      revealed.set(Boolean(numbers.hidden));
      below.set(answer.sentences, "Circles are +, squares −. A crossed ring is a mistake of yours. "
        + "Drag w to turn your line (solid); the dashed line is the perceptron’s.");
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      drawChart(numbers, picture.rounds);
    },
    plane,
    refuse: below.clear,
    end() {
      plane.destroy();
      chart.destroy();
    },
  };
}
