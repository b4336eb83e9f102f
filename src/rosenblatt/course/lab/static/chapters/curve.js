// Curve fitting: drag the points, choose degree and λ, and compare the errors on training points and new points.

import { button, slider, table, toggle } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { real, superscript } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { caption, folded, rounded } from "./drawing.js";
import { grips } from "./grips.js";

const WIDE = 1.3;
const TALL = 2.1;
const HIGHEST_ERROR = 1.2; // upper end of the charts; a flat line has an error of 0.7
const HIGHEST_DEGREE = 20;

/** Build the chapter in the page; return the object that shows its answers. */
export function mount(lab) {
  const { state } = lab;
  const plane = new Plane(lab.picture, { label: "A curve", xLabel: "x", yLabel: "y", equal: false });
  plane.setView([-WIDE, WIDE], [-TALL, TALL]);
  const below = caption(lab.picture);
  const sheet = { yLabel: "root mean square", height: 170 };
  const byDegree = new Chart(lab.picture, { label: "Errors by degree", xLabel: "degree M", ...sheet });
  const byPenalty = new Chart(lab.picture, { label: "Errors by λ", xLabel: "λ", ...sheet });
  let answer = null;

  const points = () => (state.points.length ? state.points : answer?.picture.points ?? []);
  const set = (part) => {
    lab.change(part);
    place();
    plane.draw(paint);
  };
  const without = (row) => points().length > 1 && set({ points: points().toSpliced(row, 1) });
  const redraw = (part) => set({ ...part, points: [] });

  const degree = slider(lab.controls, {
    label: "Degree M", min: 0, max: HIGHEST_DEGREE, step: 1, value: state.degree,
    onInput: (M) => set({ degree: M }),
  });
  const penalty = slider(lab.controls, {
    label: "λ", min: 0, max: 21, step: 1, value: 0, shown: (at) => real(penaltyAt(at)),
    onInput: (at) => set({ l2: penaltyAt(at), auto: false }),
  });
  const auto = toggle(lab.controls, {
    label: "Choose λ on held-out points", value: state.auto, onChange: (on) => set({ auto: on }),
  });
  slider(lab.controls, {
    label: "Points N", min: 1, max: 40, step: 1, value: state.n_points,
    onInput: (n) => redraw({ n_points: n }),
  });
  slider(lab.controls, {
    label: "Noise", min: 0, max: 1, step: 0.05, value: state.noise, shown: (noise) => real(noise, 2),
    onInput: (noise) => redraw({ noise }),
  });
  button(lab.controls, "New points", () => redraw({ seed: (state.seed + 1) % 1000 }));
  button(lab.controls, "Degree N − 1", () => set(
    { degree: Math.min(HIGHEST_DEGREE, points().length - 1), l2: 0, auto: false }));
  button(lab.controls, "Remove last point", () => without(points().length - 1));
  const wide = folded(lab.controls, "Coefficients", { open: true });
  const coefficients = table(wide, "Coefficients of the powers of x");

  const handles = grips(plane, {
    onMove: (row, point) => set({ points: points().with(row, point.map(rounded)) }),
    onRemove: without,
  });
  plane.onPress((point) => set({ points: [...points(), point.map(rounded)] }),
    { label: "new point", does: "Enter adds a point" });
  byDegree.onPick((M) => set({ degree: Math.round(M) }));
  byPenalty.onPick((l2) => set({ l2: penaltyAt(placeOf(l2)), auto: false }));

  function place() {
    handles.set(points());
    degree.set(state.degree);
    auto.set(state.auto);
    penalty.set(placeOf(state.auto && answer ? answer.numbers.l2 : state.l2));
  }

  function paint(pen) {
    pen.grid();
    if (!answer) return;
    const { truth, curve, points: fittedTo, fitted } = answer.picture;
    pen.curve(truth, { colour: "--proof", dash: true });
    fittedTo.forEach(([x, y], k) => pen.segment([x, y], [x, fitted[k]], { colour: "--wrong", width: 1.5 }));
    pen.curve(curve, { colour: "--w", width: 2.5 });
    pen.points(points(), points().map(() => 1), {});
  }

  function drawErrors(chart, xs, errors, options, more = []) {
    chart.set([
      { name: "training points", xs, ys: errors.map(([training]) => training), colour: "--w" },
      { name: "new points", xs, ys: errors.map(([, test]) => test), colour: "--wrong", dash: true },
      ...more,
    ], { yRange: [0, HIGHEST_ERROR], ...options });
    chart.describe(answer.sentences[0]);
  }

  function drawByPenalty({ l2, by_l2: errors, held_out: tried = [] }, [, least, ...others]) {
    const most = others.at(-1);
    const held = tried.filter(([each]) => each >= least && each <= most);
    drawErrors(byPenalty, [least, ...others], errors.slice(1), {
      logX: true, xRange: [least, most], cursor: l2 >= least ? Math.min(l2, most) : undefined,
    }, held.length ? [{
      name: "held-out points", colour: "--add", dash: [2, 3],
      xs: held.map(([each]) => each), ys: held.map(([, error]) => error),
    }] : []);
  }

  plane.draw(paint);
  return {
    show(now) {
      answer = now;
      const { numbers, picture } = answer;
      place();
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      below.set(answer.sentences, "Solid: the fitted curve. Dashed: sin(πx), without noise. "
        + "Thin vertical lines: the errors on the training points.");
      drawErrors(byDegree, numbers.by_degree.map((_, M) => M), numbers.by_degree, { cursor: state.degree });
      drawByPenalty(numbers, picture.penalties);
      coefficients.set(["power", "coefficient"],
        numbers.coefficients.map((w, k) => [`x${superscript(k)}`, real(w, 6)]));
    },
    refuse: below.clear,
    plane: () => plane,
  };
}

// positions of the slider: 0, then 1 and 3 times the powers of ten from 10⁻⁹ on
function penaltyAt(place) {
  if (place <= 0) return 0;
  return Number(`${place % 2 ? 1 : 3}e${Math.floor((place - 1) / 2) - 9}`);
}

function placeOf(l2) {
  if (!(l2 > 0)) return 0;
  const places = Array.from({ length: 21 }, (_, k) => k + 1);
  const away = (place) => Math.abs(Math.log(penaltyAt(place) / l2));
  return places.reduce((best, place) => (away(place) < away(best) ? place : best), 1);
}
