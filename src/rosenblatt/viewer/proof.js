// The proof, seen happening: mistakes below their bound, ‖w‖² below m·R², w·w* above m·γ.

import { Chart } from "./chart.js";
import { counted, real, whole } from "./numbers.js";

const FAINT = 0.3;
const ROOM = 4; // a bound so many times above its curve would flatten it: it leaves the picture instead

/** Three curves that grow with each step; the rest of the run is drawn faint. */
export class Proof {
  constructor(parent, head) {
    this.head = head;
    this.proof = head.claims_apply ? head.proof : null;
    const { overview } = head;
    this.mistakes = new Chart(parent, { label: "Mistakes", xLabel: "step" });
    this.norm = new Chart(parent, { label: "‖w‖²", xLabel: "mistakes m" });
    this.charts = [this.mistakes, this.norm];
    if (overview.progress) {
      this.progress = new Chart(parent, { label: "w·w*", xLabel: "mistakes m" });
      this.charts.push(this.progress);
    }
    this.most = overview.mistakes[overview.mistakes.length - 1];
  }

  /** Call back with a step, or with a number of mistakes, that was picked in a chart. */
  onPick(byStep, byMistakes) {
    this.mistakes.onPick((x) => byStep(Math.round(x)));
    this.norm.onPick((x) => byMistakes(Math.min(this.most, Math.round(x))));
    this.progress?.onPick((x) => byMistakes(Math.min(this.most, Math.round(x))));
  }

  /** The curves up to {step, mistakes, norm2, progress}. */
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
    const inSight = bound !== null && bound <= ROOM * Math.max(1, this.most);
    const { step, mistakes } = overview;
    const series = grown("mistakes m", step, mistakes, past, [now.step, now.mistakes], "step");
    if (bound !== null) {
      const name = inSight ? "bound" : "bound, far above";
      series.push({ name, xs: [0, nSteps], ys: [bound, bound], colour: "--proof", dash: true });
    }
    const top = 1.15 * Math.max(1, this.most, inSight ? bound : 0);
    this.mistakes.set(series, {
      cursor: now.step, xRange: [0, Math.max(1, nSteps)], yRange: [0, top], wholeX: true, wholeY: true,
    });
    const against = bound === null ? "" : ` The bound is ${real(bound)}.`;
    this.mistakes.describe(`${counted(now.mistakes, "mistake")} after ${counted(now.step, "step")}; `
      + `${whole(this.most)} in the whole run.${against}`);
  }

  showNorm(now, past) {
    const { overview } = this.head;
    const series = grown("‖w‖²", overview.mistakes, overview.norm2, past, [now.mistakes, now.norm2]);
    const limit = this.proof && ceiling(this.proof, this.most, now.mistakes);
    if (limit) {
      const ends = { xs: [0, this.most], ys: [limit.start, limit.end] };
      series.push({ name: limit.name, ...ends, colour: "--proof", dash: true });
    }
    const top = Math.max(...overview.norm2, 1e-300);
    const high = limit ? Math.min(limit.end, ROOM * top) : top;
    const [xRange, yRange] = [[0, Math.max(1, this.most)], [0, 1.1 * Math.max(high, top)]];
    this.norm.set(series, { cursor: now.mistakes, xRange, yRange, wholeX: true });
    const against = limit ? `, at most ${real(limit.now)}` : "";
    this.norm.describe(`‖w‖² is ${real(now.norm2)} after ${counted(now.mistakes, "mistake")}${against}.`);
  }

  showProgress(now, past) {
    const { overview } = this.head;
    const series = grown("w·w*", overview.mistakes, overview.progress, past, [now.mistakes, now.progress]);
    const range = [0, Math.max(1, this.most)];
    const values = [...overview.progress, 0];
    if (this.proof) {
      const { margin, radius, bound, start_progress: from, start_norm2: norm2 } = this.proof;
      // where floor and ceiling meet lies the bound: shown when it is near
      if (bound !== null && bound <= ROOM * this.most) range[1] = Math.max(range[1], 1.04 * bound);
      const floor = { xs: [0, range[1]], ys: [from, from + range[1] * margin] };
      const roof = squareRoots(range[1], now.mistakes, norm2, radius);
      series.push({ name: from ? "m·γ + w₀·w*" : "m·γ", ...floor, colour: "--proof", dash: true });
      const name = norm2 ? "√(‖w₀‖² + m·R²)" : "√m·R";
      series.push({ name, ...roof, colour: "--quiet", dash: [2, 3], width: 1.5 });
      values.push(...floor.ys, Math.min(roof.ys.at(-1), ROOM * Math.max(...values, floor.ys[1])));
    }
    const [low, high] = [Math.min(...values), Math.max(...values, 1e-300)];
    this.progress.set(series, {
      cursor: now.mistakes, xRange: range, yRange: [low, high + 0.1 * (high - low)], wholeX: true,
    });
    this.describeProgress(now);
  }

  describeProgress({ mistakes, progress }) {
    const { proof } = this;
    const least = proof ? `, at least ${real(proof.start_progress + mistakes * proof.margin)}` : "";
    this.progress.describe(`w·w* is ${real(progress)} after ${counted(mistakes, "mistake")}${least}.`);
  }
}

/** The ceiling of ‖w‖² after m mistakes: ‖w₀‖² + m·R². */
export function ceiling(proof, last, m) {
  const { radius, start_norm2: start } = proof;
  const at = (mistakes) => start + mistakes * radius * radius;
  return { name: start ? "‖w₀‖² + m·R²" : "m·R²", start, end: at(last), now: at(m) };
}

// the whole curve faint, and up to now strong
function grown(name, xs, ys, past, [x, y], kind = "line") {
  const before = { xs: [...xs.slice(0, past), x], ys: [...ys.slice(0, past), y] };
  return [
    { name: "", legend: false, kind, xs, ys, colour: "--w", opacity: FAINT, width: 1.5, still: true },
    { name, kind, ...before, colour: "--w", width: 2.5 },
  ];
}

// how many of the growing steps are at most t
function upTo(steps, t) {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

// closer together near 0, where the curve bends; at m itself it must be right to the last digit
function squareRoots(last, m, norm2, radius) {
  const xs = [...Array.from({ length: 81 }, (_, k) => last * (k / 80) ** 2), m].sort((a, b) => a - b);
  return { xs, ys: xs.map((m) => Math.sqrt(norm2 + m * radius * radius)) };
}
