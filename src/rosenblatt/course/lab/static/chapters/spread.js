// The effect of the order: the errors of each averaging strategy by order, and the spread of mistakes and margins.

import { Chart } from "../viewer/chart.js";
import { real } from "../viewer/numbers.js";

/** The averaging strategies, with the styles of their lines. */
export const STRATEGIES = [
  { keep: "last", colour: "--ink", dash: null },
  { keep: "averaged", colour: "--w", dash: [2, 4] },
  { keep: "voted", colour: "--add", dash: [12, 3] },
  { keep: "pocket", colour: "--proof", dash: true },
];
const BINS = 12;

/** Add charts under `parent`; `pick(run)` is called when an order is clicked. Return {show}. */
export function mountSpread(parent, pick) {
  const section = document.createElement("section");
  section.className = "below";
  section.setAttribute("aria-label", "Over all orders");
  const title = document.createElement("h2");
  title.textContent = "Over all orders";
  section.append(title);
  parent.append(section);
  const errors = new Chart(section, {
    label: "Misclassified points by order", height: 190,
    xLabel: "order (click to choose it)", yLabel: "misclassified points",
  });
  errors.onPick((x) => pick(Math.round(x)));
  const pair = document.createElement("div");
  pair.className = "pair";
  section.append(pair);
  const mistakes = new Chart(pair, { xLabel: "mistakes during training", yLabel: "orders", height: 150 });
  const margins = new Chart(pair, { xLabel: "smallest y(w·x + b)/‖w‖", yLabel: "orders", height: 150 });

  function show(numbers, state) {
    section.hidden = !numbers;
    if (!numbers) return;
    showErrors(errors, numbers, state);
    histogram(mistakes, numbers.mistakes, "mistakes", "--ink");
    histogram(margins, numbers.margins.filter(Number.isFinite), `margin of the ${state.lines} line`, "--w");
  }

  return { show };
}

/** Return the number of points that an averaging strategy misclassifies at the end, for each order. */
export function wrongIn({ accuracy, n }, keep) {
  return accuracy[keep].map((part) => Math.round((1 - part) * n));
}

/** Return the quantile for this part of the values, or the mean of two values if it lies between them. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  return (sorted[Math.floor(at)] + sorted[Math.ceil(at)]) / 2;
}

function showErrors(chart, numbers, state) {
  const runs = numbers.mistakes.map((_, run) => run);
  const wrong = Object.fromEntries(STRATEGIES.map(({ keep }) => [keep, wrongIn(numbers, keep)]));
  const most = Math.max(2, ...Object.values(wrong).flat());
  const series = STRATEGIES.map(({ keep, colour, dash }) => (
    { name: keep, xs: runs, ys: wrong[keep], kind: keep === "last" ? "dots" : "line", colour, dash }));
  const ranges = { xRange: [-0.5, runs.length - 0.5], yRange: [-0.04 * most, 1.08 * most] };
  chart.set(series, state.order === "shuffled" ? { ...ranges, cursor: state.run } : ranges);
  const span = (keep) => `${keep} ${Math.min(...wrong[keep])} to ${Math.max(...wrong[keep])}`;
  const spans = STRATEGIES.map(({ keep }) => span(keep)).join(", ");
  chart.describe(`Misclassified points in each of ${runs.length} orders: ${spans}.`);
}

function histogram(chart, values, name, colour) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const isWhole = values.every(Number.isInteger);
  const wide = isWhole ? Math.max(1, Math.ceil((high - low + 1) / BINS)) : (high - low) / BINS || 1;
  const bins = Array.from({ length: Math.floor((high - low) / wide) + 1 }, () => 0);
  for (const value of values) bins[Math.min(bins.length - 1, Math.floor((value - low) / wide))] += 1;
  const middles = bins.map((_, bin) => low + (isWhole ? bin * wide + (wide - 1) / 2 : (bin + 0.5) * wide));
  const xRange = [middles[0] - wide, middles[middles.length - 1] + wide];
  chart.set([{ name, xs: middles, ys: bins, kind: "bars", colour }], { xRange });
  chart.describe(`${name}: from ${real(low)} to ${real(high)}, median ${real(quantile(values, 0.5))}.`);
}
