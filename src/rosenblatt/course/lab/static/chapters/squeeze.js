// The proof as curves: t·γ ≤ w·w* ≤ ‖w‖ ≤ √t·R after t mistakes, and the increase at each mistake.

import { note } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { counted, real, whole } from "../viewer/numbers.js";

const SPARSE = 8; // for larger ratios of bound to mistakes, the axis is logarithmic

/** Add three charts under `parent`; return {show(curves, numbers)}, which hides them if there are no curves. */
export function mountSqueeze(parent) {
  const section = document.createElement("section");
  section.className = "below";
  section.setAttribute("aria-label", "The proof, mistake by mistake");
  const title = document.createElement("h2");
  title.textContent = "The proof, mistake by mistake";
  section.append(title);
  parent.append(section);
  const between = new Chart(section, { label: "Both claims", xLabel: "mistakes t", height: 240 });
  const meets = note(section);
  const pair = document.createElement("div");
  pair.className = "pair";
  section.append(pair);
  const gains = [
    new Chart(pair, { label: "Claim 1", xLabel: "mistake", yLabel: "increase of w·w*", height: 150 }),
    new Chart(pair, { label: "Claim 2", xLabel: "mistake", yLabel: "increase of ‖w‖²", height: 150 }),
  ];

  function show(curves, numbers) {
    section.hidden = !curves;
    if (!curves) return;
    const { t, along, length, margin, radius } = curves;
    const end = (radius / margin) ** 2;
    const made = t.at(-1);
    const byLogarithm = end > SPARSE * made;
    const grid = spread(1, Math.max(end * 1.1, made), 80, byLogarithm);
    between.set([
      { name: "√t·R", xs: grid, ys: grid.map((k) => Math.sqrt(k) * radius), dash: true, colour: "--quiet" },
      { name: "‖w‖", xs: t, ys: length, colour: "--w", kind: t.length > 1 ? "line" : "dots", width: 3 },
      { name: "w·w*", xs: t, ys: along, colour: "--add", kind: t.length > 1 ? "line" : "dots", width: 3 },
      { name: "t·γ", xs: grid, ys: grid.map((k) => k * margin), dash: true, colour: "--proof" },
    ], { logX: byLogarithm, logY: byLogarithm });
    meets.textContent = `γ = ${real(margin)} and R = ${real(radius)}: the dashed curves cross at the bound, `
      + `t = (R/γ)² = ${real(end)}. This run made ${counted(numbers.mistakes, "mistake")}.`
      + (byLogarithm ? " Both axes are logarithmic." : "");
    const ends = [made * margin, along.at(-1), length.at(-1), Math.sqrt(made) * radius];
    between.describe("After t mistakes t·γ ≤ w·w* ≤ ‖w‖ ≤ √t·R. "
      + `After ${whole(made)}: ${ends.map((value) => real(value)).join(" ≤ ")}.`);
    gain(gains[0], t, curves.progress, "w·w* at each mistake", margin, "γ, the minimum", "--add");
    gain(gains[1], t, curves.growth, "‖w‖² at each mistake", radius ** 2, "R², the maximum", "--w");
  }

  return { show };
}

function gain(chart, t, values, name, limit, limitName, colour) {
  const ends = [0, t.at(-1) + 1];
  chart.set([
    { name, xs: t, ys: values, kind: "dots", colour },
    { name: limitName, xs: ends, ys: [limit, limit], dash: true, colour: "--ink" },
  ], { xRange: ends, yRange: yRange([...values, limit, 0]) });
  const [low, high] = [Math.min(...values), Math.max(...values)];
  chart.describe(`${name}: from ${real(low)} to ${real(high)}; ${limitName}: ${real(limit)}.`);
}

function yRange(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return [low - 0.08 * (high - low), high + 0.08 * (high - low)];
}

function spread(from, to, count, byLogarithm) {
  const part = (k) => k / (count - 1);
  return Array.from({ length: count }, (_, k) =>
    (byLogarithm ? from * (to / from) ** part(k) : from + (to - from) * part(k)));
}
