// Bernoulli trials: ones and zeros, and the likelihood of p.

import { button, slider } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { markIcon } from "../viewer/marks.js";
import { real } from "../viewer/numbers.js";
import { caption, plainElement, rounded } from "./drawing.js";

/** Build the topic “Bernoulli” of the chapter on probability. */
export function mountBernoulli(lab, stage, panel) {
  const { state } = lab;
  const row = plainElement(stage, "p", "trials");
  const below = caption(stage);
  const chart = new Chart(stage, {
    label: "Log likelihood by p", xLabel: "p", yLabel: "log likelihood", height: 260,
  });
  let answer = null;

  const set = (part) => {
    lab.change(part);
    write();
  };
  const add = (outcome) => set({ trials: [...state.trials, outcome] });

  const share = slider(panel, {
    label: "p", min: 0, max: 1, step: 0.01, value: state.p, shown: (p) => real(p, 3),
    onInput: (p) => set({ p }),
  });
  button(panel, "Add a 1", () => add(1));
  button(panel, "Add a 0", () => add(0));
  button(panel, "Toss once", () => add(answer?.picture.next ?? 1));
  button(panel, "New tosses", () => set({ seed: (state.seed + 1) % 1000, trials: [] }));
  button(panel, "Remove last", () => set({ trials: state.trials.slice(0, -1) }));
  button(panel, "Use the most likely p", () => answer
    && set({ p: Math.round(answer.numbers.best_p * 1e4) / 1e4 }));
  chart.onPick((p) => set({ p: rounded(p) }));

  function write() {
    share.set(state.p);
    row.replaceChildren(...state.trials.flatMap((outcome) => [markIcon(outcome), `${outcome} `]));
  }

  write();
  return {
    show(now) {
      answer = now;
      const { numbers, picture } = answer;
      below.set(answer.sentences, "The likelihood is p to the number of ones times 1 − p to the number of "
        + "zeros; the curve is its logarithm. It is −∞ where the outcomes are impossible.");
      const ys = picture.by_p.map((y) => y ?? NaN);
      const top = numbers.best_log_likelihood;
      chart.set([
        { name: "log likelihood", xs: picture.shares, ys, colour: "--w" },
        { name: "largest", kind: "dots", colour: "--proof", xs: [numbers.best_p], ys: [top] },
      ], { cursor: state.p, xRange: [0, 1] });
      chart.describe(answer.sentences.join(" "));
    },
    refuse: below.clear,
    end: () => chart.destroy(),
  };
}
