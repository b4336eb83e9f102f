// The uniform distribution: drag its ends and the observations.

import { button, numberField, toggle } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { Plane } from "../viewer/plane.js";
import { caption, rounded, within } from "./drawing.js";
import { grips } from "./grips.js";

const FARTHEST = 6;

/** Build the topic “uniform” of the chapter on probability. */
export function mountUniform(lab, stage, panel) {
  const { state } = lab;
  const plane = new Plane(stage, { label: "A uniform density", xLabel: "x", yLabel: "f(x)", equal: false });
  const below = caption(stage);
  const chart = new Chart(stage, {
    label: "Log likelihood by the upper end", xLabel: "upper end", yLabel: "log likelihood", height: 170,
  });
  let answer = null;

  const settled = (x) => within(state.whole ? Math.round(x) : rounded(x), -FARTHEST, FARTHEST);
  const set = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };
  const without = (row) => set({ marks: state.marks.toSpliced(row, 1) });

  const ends = ["low", "high"].map((name) => numberField(panel, {
    label: name === "low" ? "Lower end" : "Upper end", value: state[name], step: 0.5,
    onChange: (x) => set({ [name]: settled(x) }),
  }));
  toggle(panel, {
    label: "Integers only, like a die", value: state.whole,
    onChange: (whole) => {
      state.whole = whole;
      set({ whole, marks: state.marks.map(settled), low: settled(state.low), high: settled(state.high) });
    },
  });
  button(panel, "Use the most likely ends", () => answer && set({
    low: answer.numbers.best_low, high: answer.numbers.best_high,
  }));
  button(panel, "Remove last observation", () => without(state.marks.length - 1));
  button(panel, "Remove all", () => set({ marks: [] }));

  const handles = grips(plane, {
    name: "observation", along: "x",
    onMove: (row, [x]) => set({ marks: state.marks.with(row, settled(x)) }),
    onRemove: without,
  });
  const sides = ["low", "high"].map((name) => plane.handle({
    at: [state[name], 0.1], label: name === "low" ? "lower end" : "upper end",
    text: name === "low" ? "◂" : "▸", along: "x", onMove: ([x]) => set({ [name]: settled(x) }),
  }));
  plane.onPress(([x]) => set({ marks: [...state.marks, settled(x)] }),
    { label: "new observation", does: "Enter adds it" });

  function place() {
    handles.set(state.marks.map((x) => [x, 0]));
    const height = answer?.picture.height ?? 0.1;
    ["low", "high"].forEach((name, k) => {
      sides[k].moveTo([state[name], height]);
      ends[k].set(state[name]);
    });
  }

  function paint(pen) {
    pen.grid();
    if (answer) {
      const { best_low: bestLow, best_high: bestHigh } = answer.numbers;
      const { height, best_height: bestHeight, heights } = answer.picture;
      paintDensity(pen, bestLow, bestHigh, bestHeight, { colour: "--proof", dash: true });
      paintDensity(pen, state.low, state.high, height, { colour: "--w", width: 2.5 });
      const thin = { colour: "--wrong", width: 1.5 };
      if (!state.whole) state.marks.forEach((x, k) => pen.segment([x, 0], [x, heights[k] ?? 0], thin));
    }
    pen.points(state.marks.map((x) => [x, 0]), state.marks.map(() => 1), {});
  }

  function paintDensity(pen, low, high, height, style) {
    if (!state.whole) pen.curve([[low, 0], [low, height], [high, height], [high, 0]], style);
    else for (let x = low; x <= high; x += 1) pen.segment([x, 0], [x, height], { ...style, width: 4 });
  }

  place();
  plane.draw(paint);
  return {
    plane,
    show(now) {
      answer = now;
      const { picture, numbers } = answer;
      const highest = Math.max(picture.height, picture.best_height);
      plane.setView([-FARTHEST - 0.2, FARTHEST + 0.2], [-0.1 * highest, 1.25 * highest]);
      place();
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      below.set(answer.sentences, "Solid: your interval. Dashed: the likeliest one. The area, or the sum "
        + "of the bars, is always 1.");
      const ys = picture.by_high.map((y) => y ?? NaN);
      const kind = state.whole ? "dots" : "line";
      chart.set([{ name: "log likelihood", xs: picture.highs, ys, colour: "--w", kind }],
        { cursor: state.high, xRange: [-FARTHEST, FARTHEST] });
      chart.describe(`Below ${numbers.best_high} the likelihood is 0; from there on it falls.`);
    },
    refuse: below.clear,
    end() {
      [plane, chart].forEach((each) => each.destroy());
    },
  };
}
