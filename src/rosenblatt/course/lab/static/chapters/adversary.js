// The adversarial teacher: the two claims leave fewer and fewer vectors w, until no further mistake is possible.

import { slider } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { real } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { caption } from "./drawing.js";
import { rounds } from "./rounds.js";

/** Build the part “a witness” of the chapter. */
export function mountAdversary(lab, stage, panel) {
  const plane = new Plane(stage, { label: "The path of w", xLabel: "along w*", yLabel: "across" });
  const below = caption(stage);
  const chart = new Chart(stage, { label: "The two claims", xLabel: "mistakes t", height: 210 });
  const { state } = lab;
  let answer = null;

  const set = (part) => lab.change({ ...part, round: 0 });
  slider(panel, {
    label: "Margin ρ", min: 0.05, max: 0.7, step: 0.01, value: state.margin, shown: (rho) => real(rho, 2),
    onInput: (margin) => set({ margin }),
  });
  slider(panel, {
    label: "Features", min: 2, max: 10, step: 1, value: state.n_features,
    onInput: (n) => set({ n_features: n }),
  });
  const shown = rounds(lab, panel, draw);

  function paint(pen) {
    const { path } = answer.picture;
    const t = shown.at();
    const [low, radius] = [t * state.margin, Math.sqrt(t)];
    pen.grid();
    pen.area(lens(low, radius, state.n_features === 2), { colour: "--band", opacity: 0.22 });
    pen.curve(arc(radius, state.n_features === 2), { colour: "--add", dash: true, width: 1.5 });
    pen.line(1, 0, -low, { colour: "--proof", dash: true, width: 1.5 });
    pen.curve([[0, 0], ...path.slice(0, t)], { colour: "--old", width: 1.5 });
    if (t) pen.arrow([0, 0], path[t - 1], { colour: "--w", text: "w" });
    pen.text([low, 0.93 * plane.view.y[1]], "tρ", { colour: "--proof", align: "right", bold: true });
    pen.text([0, radius], "√t", { colour: "--add", bold: true });
  }

  function draw() {
    const { progress, lengths, bound } = answer.numbers;
    const t = shown.at();
    plane.draw(paint);
    const [near, far] = [real(t * state.margin, 4), real(Math.sqrt(t), 4)];
    below.set(answer.sentences, `After t = ${t} mistakes w lies right of tρ = ${near} (claim 1) `
      + `and within √t = ${far} of the origin (claim 2): in the shaded region. `
      + "At t = 1/ρ² only a single point remains.");
    const most = Math.max(2, Math.ceil(bound));
    // squares, because the square root is steep at 0; and t itself, where the page reads the value
    const counts = [...Array.from({ length: 81 }, (_, k) => most * (k / 80) ** 2), t].sort((a, b) => a - b);
    const xs = [0, ...progress.map((_, k) => k + 1)];
    chart.set([
      { name: "√t", xs: counts, ys: counts.map(Math.sqrt), colour: "--add", dash: true },
      { name: "‖w‖", xs, ys: [0, ...lengths], colour: "--w" },
      { name: "w·w*", xs, ys: [0, ...progress], colour: "--old" },
      { name: "tρ", xs: [0, most], ys: [0, most * state.margin], colour: "--proof", dash: true },
    ], { xRange: [0, most], cursor: t });
    chart.describe(answer.sentences.join(" "));
  }

  return {
    show(now) {
      answer = now;
      shown.count(answer.numbers.progress.length);
      const reach = 1.08 / state.margin;
      const low = state.n_features === 2 ? -reach / 2 : -0.06 * reach;
      plane.setView([-0.06 * reach, reach], [low, state.n_features === 2 ? reach / 2 : reach]);
      plane.describe(answer.sentences.join(" "));
      draw();
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

// points on the circle from one angle to another
function arc(radius, whole, from = whole ? -Math.PI / 2 : 0, to = Math.PI / 2) {
  return Array.from({ length: 61 }, (_, k) => {
    const angle = from + (k * (to - from)) / 60;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

// the region that both claims allow: inside the circle and to the right of the line
function lens(low, radius, whole) {
  if (low >= radius) return [[low, 0]];
  const angle = Math.acos(low / radius);
  return whole ? arc(radius, true, -angle, angle) : [...arc(radius, false, 0, angle), [low, 0]];
}
