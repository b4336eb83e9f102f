// The Gaussian: drag the observations and μ, and see the likelihood of the data.

import { button, slider } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { real } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { caption, rounded, within } from "./drawing.js";
import { grips } from "./grips.js";

const FARTHEST = 6;

/** Build the topic “Gaussian” of the chapter on probability. */
export function mountGaussian(lab, stage, panel) {
  const { state } = lab;
  const plane = new Plane(stage, { label: "A bell curve", xLabel: "x", yLabel: "f(x)", equal: false });
  const below = caption(stage);
  const sheet = { yLabel: "log likelihood", height: 170 };
  const byMean = new Chart(stage, { label: "Log likelihood by μ", xLabel: "μ", ...sheet });
  const byVariance = new Chart(stage, {
    label: "Log likelihood by σ²", xLabel: "σ², at the best μ", ...sheet,
  });
  let answer = null;

  const set = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };
  const without = (row) => set({ data: state.data.toSpliced(row, 1) });

  const mean = slider(panel, {
    label: "μ", min: -FARTHEST, max: FARTHEST, step: 0.05, value: state.mean,
    shown: (value) => real(value, 3), onInput: (value) => set({ mean: value }),
  });
  const variance = slider(panel, {
    label: "σ²", min: 0.05, max: 9, step: 0.05, value: state.variance, shown: (value) => real(value, 3),
    onInput: (value) => set({ variance: value }),
  });
  button(panel, "Use the most likely μ and σ²", () => answer && set({
    mean: Math.round(answer.numbers.best_mean * 1e4) / 1e4,
    variance: within(Math.round(answer.numbers.best_variance * 1e4) / 1e4, 0.05, 9),
  }));
  button(panel, "Remove last observation", () => without(state.data.length - 1));
  button(panel, "Remove all", () => set({ data: [] }));

  const handles = grips(plane, {
    name: "observation", along: "x",
    onMove: (row, [x]) => set({ data: state.data.with(row, rounded(within(x, -FARTHEST, FARTHEST))) }),
    onRemove: without,
  });
  const top = plane.handle({
    at: [state.mean, 0.4], label: "μ", text: "μ", along: "x",
    onMove: ([x]) => set({ mean: rounded(within(x, -FARTHEST, FARTHEST)) }),
  });
  plane.onPress(([x]) => set({ data: [...state.data, rounded(within(x, -FARTHEST, FARTHEST))] }),
    { label: "new observation", does: "Enter adds it" });
  byMean.onPick((x) => set({ mean: rounded(x) }));
  byVariance.onPick((x) => set({ variance: within(rounded(x), 0.05, 9) }));

  const peak = () => 1 / Math.sqrt(2 * Math.PI * state.variance); // position of the handle of μ

  function place() {
    handles.set(state.data.map((x) => [x, 0]));
    top.moveTo([state.mean, peak()]);
    mean.set(state.mean);
    variance.set(state.variance);
  }

  function paint(pen) {
    pen.grid();
    if (answer) {
      const { curve, best, heights } = answer.picture;
      pen.curve(best, { colour: "--proof", dash: true });
      pen.curve(curve, { colour: "--w", width: 2.5 });
      const thin = { colour: "--wrong", width: 1.5 };
      state.data.forEach((x, k) => pen.segment([x, 0], [x, heights[k] ?? 0], thin));
    }
    pen.points(state.data.map((x) => [x, 0]), state.data.map(() => 1), {});
  }

  function drawCharts({ best_mean, best_variance, best_log_likelihood }, picture) {
    const best = { name: "largest", kind: "dots", colour: "--proof" };
    byMean.set([
      { name: "log likelihood", xs: picture.means, ys: picture.by_mean, colour: "--w" },
      { ...best, xs: [best_mean], ys: [picture.top_by_mean] },
    ], { cursor: state.mean, xRange: [-FARTHEST, FARTHEST] });
    byVariance.set([
      { name: "log likelihood", xs: picture.variances, ys: picture.by_variance, colour: "--w" },
      { ...best, xs: [best_variance], ys: [best_log_likelihood] },
    ], {
      cursor: state.variance, xRange: [0, 9], yRange: rangeBelow(best_log_likelihood, picture.by_variance),
    });
    [byMean, byVariance].forEach((chart) => chart.describe(answer.sentences.join(" ")));
  }

  place();
  plane.draw(paint);
  return {
    plane,
    show(now) {
      answer = now;
      const highest = Math.max(...[...answer.picture.curve, ...answer.picture.best].map(([, y]) => y));
      plane.setView([-FARTHEST - 0.2, FARTHEST + 0.2], [-0.1 * highest, 1.15 * highest]);
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      below.set(answer.sentences, "Solid: the density for your μ and σ². Dashed: for the likeliest ones. "
        + "Vertical lines: the density at each observation; their product is the likelihood.");
      drawCharts(answer.numbers, answer.picture);
    },
    refuse: below.clear,
    end() {
      [plane, byMean, byVariance].forEach((each) => each.destroy());
    },
  };
}

// near σ² = 0 the curve falls without bound, so values far below its maximum are not shown
function rangeBelow(top, values) {
  const low = Math.max(Math.min(...values), top - 4 * (top - values.at(-1)) - 2);
  return [low, top + 0.06 * (top - low)];
}
