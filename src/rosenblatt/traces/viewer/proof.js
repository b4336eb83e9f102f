// The proof, step by step: mistakes below their bound, ‖w‖² below m·R², w·w* above m·γ. A rule with a
// threshold also updates on correct predictions, so its curves are drawn over its updates u.

import { Chart } from "./chart.js";
import { counted, real, whole } from "./numbers.js";

const FAINT = 0.3;
const ROOM = 4; // a bound more than this many times higher than its curve is omitted

/** Three curves that grow with each step; the rest of the run is drawn faintly. */
export class Proof {
  constructor(parent, head) {
    this.head = head;
    this.proof = head.claims_apply ? head.proof : null;
    const { overview } = head;
    [this.counted, this.letter] = countedBy(this.proof);
    const xLabel = `${this.counted} ${this.letter}`;
    this.mistakes = new Chart(parent, { label: "Mistakes", xLabel: "step" });
    this.norm = new Chart(parent, { label: "‖w‖²", xLabel });
    this.charts = [this.mistakes, this.norm];
    if (overview.progress) {
      this.progress = new Chart(parent, { label: "w·w*", xLabel });
      this.charts.push(this.progress);
    }
    this.mostMistakes = overview.mistakes.at(-1);
    this.most = overview[this.counted].at(-1);
  }

  /** Call back with the step, or the number of mistakes or updates, that was clicked in a chart. */
  onPick(byStep, byCount) {
    this.mistakes.onPick((x) => byStep(Math.round(x)));
    const pick = (x) => byCount(this.counted, Math.min(this.most, Math.round(x)));
    this.norm.onPick(pick);
    this.progress?.onPick(pick);
  }

  /** Draw the curves up to {step, mistakes, updates, norm2, progress}. */
  show(now) {
    const { overview } = this.head;
    const past = upTo(overview.step, now.step);
    this.showMistakes(now, past);
    this.showNorm(now, past);
    if (this.progress) this.showProgress(now, past);
  }

  destroy() {
    this.charts.forEach((chart) => chart.destroy());
  }

  // ---------------------------------------------------------------- each curve

  showMistakes(now, past) {
    const { overview, n_steps: nSteps } = this.head;
    const bound = this.proof?.bound ?? null;
    const isVisible = bound !== null && bound <= ROOM * Math.max(1, this.mostMistakes);
    const { step, mistakes } = overview;
    const series = grown("mistakes m", step, mistakes, past, [now.step, now.mistakes], "step");
    if (bound !== null) {
      const name = isVisible ? "bound" : "bound (above the chart)";
      series.push({ name, xs: [0, nSteps], ys: [bound, bound], colour: "--proof", dash: true });
    }
    const top = 1.15 * Math.max(1, this.mostMistakes, isVisible ? bound : 0);
    this.mistakes.set(series, {
      cursor: now.step, xRange: [0, Math.max(1, nSteps)], yRange: [0, top], wholeX: true, wholeY: true,
    });
    const against = bound === null ? "" : ` The bound is ${real(bound)}.`;
    this.mistakes.describe(`${counted(now.mistakes, "mistake")} after ${counted(now.step, "step")}; `
      + `${whole(this.mostMistakes)} in the whole run.${against}`);
  }

  showNorm(now, past) {
    const { overview } = this.head;
    const soFar = now[this.counted];
    const series = grown("‖w‖²", overview[this.counted], overview.norm2, past, [soFar, now.norm2]);
    const limit = this.proof && ceiling(this.proof, this.most, soFar);
    if (limit) {
      const ends = { xs: [0, this.most], ys: [limit.start, limit.end] };
      series.push({ name: limit.name, ...ends, colour: "--proof", dash: true });
    }
    const top = Math.max(...overview.norm2, 1e-300);
    const high = limit ? Math.min(limit.end, ROOM * top) : top;
    const [xRange, yRange] = [[0, Math.max(1, this.most)], [0, 1.1 * Math.max(high, top)]];
    this.norm.set(series, { cursor: soFar, xRange, yRange, wholeX: true });
    const against = limit ? `, at most ${real(limit.now)}` : "";
    this.norm.describe(`‖w‖² is ${real(now.norm2)} after ${this.soMany(now)}${against}.`);
  }

  showProgress(now, past) {
    const { overview } = this.head;
    const soFar = now[this.counted];
    const series = grown("w·w*", overview[this.counted], overview.progress, past, [soFar, now.progress]);
    const range = [0, Math.max(1, this.most)];
    const values = [...overview.progress, 0];
    if (this.proof) {
      const { progress, growth, bound, start_progress: from, start_norm2: norm2 } = this.proof;
      const { letter: m, proof: { progress_name: each, growth_name: most } } = this;
      // the bound lies where the lower and the upper curve meet; it is shown if it is near
      if (bound !== null && bound <= ROOM * this.most) range[1] = Math.max(range[1], 1.04 * bound);
      const floor = { xs: [0, range[1]], ys: [from, from + range[1] * progress] };
      const roof = squareRoots(range[1], soFar, norm2, growth);
      series.push({
        name: `${m}·${each}${from ? " + w₀·w*" : ""}`, ...floor, colour: "--proof", dash: true,
      });
      const plain = !norm2 && most === "R²";
      const name = plain ? "√m·R" : `√(${norm2 ? "‖w₀‖² + " : ""}${m}·${most})`;
      series.push({ name, ...roof, colour: "--quiet", dash: [2, 3], width: 1.5 });
      values.push(...floor.ys, Math.min(roof.ys.at(-1), ROOM * Math.max(...values, floor.ys[1])));
    }
    const [low, high] = [Math.min(...values), Math.max(...values, 1e-300)];
    this.progress.set(series, {
      cursor: soFar, xRange: range, yRange: [low, high + 0.1 * (high - low)], wholeX: true,
    });
    this.describeProgress(now);
  }

  describeProgress(now) {
    const { proof } = this;
    const floor = proof && proof.start_progress + now[this.counted] * proof.progress;
    const least = proof ? `, at least ${real(floor)}` : "";
    this.progress.describe(`w·w* is ${real(now.progress)} after ${this.soMany(now)}${least}.`);
  }

  soMany(now) {
    return counted(now[this.counted], this.counted.slice(0, -1));
  }
}

/** Return the events that the proof counts (mistakes or updates), and their symbol. */
export function countedBy(proof) {
  return proof?.each === "update" ? ["updates", "u"] : ["mistakes", "m"];
}

/** Return the upper bound of ‖w‖² after m mistakes (or updates): ‖w₀‖² + m·R² for Rosenblatt's rule. */
export function ceiling(proof, last, m) {
  const { growth, growth_name: most, start_norm2: start } = proof;
  const at = (count) => start + count * growth;
  const name = `${start ? "‖w₀‖² + " : ""}${countedBy(proof)[1]}·${most}`;
  return { name, start, end: at(last), now: at(m) };
}

// the whole curve faintly, and the part up to the current step strongly
function grown(name, xs, ys, past, [x, y], kind = "line") {
  const before = { xs: [...xs.slice(0, past), x], ys: [...ys.slice(0, past), y] };
  return [
    { name: "", legend: false, kind, xs, ys, colour: "--w", opacity: FAINT, width: 1.5, still: true },
    { name, kind, ...before, colour: "--w", width: 2.5 },
  ];
}

// the number of the increasing steps that are at most t
function upTo(steps, t) {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

// denser near 0, where the curve bends; the value at m itself must be exact
function squareRoots(last, m, norm2, growth) {
  const xs = [...Array.from({ length: 81 }, (_, k) => last * (k / 80) ** 2), m].sort((a, b) => a - b);
  return { xs, ys: xs.map((m) => Math.sqrt(norm2 + m * growth)) };
}
