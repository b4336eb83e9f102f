// A joint Gaussian of two numbers: drag the points, and the ellipse of their covariance follows.

import { button, numberField, table } from "../controls.js";
import { real } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { caption, rounded, within } from "./drawing.js";
import { grips } from "./grips.js";

const FARTHEST = 6;
const HALF = 4.5; // of the view

/** Build the topic “joint Gaussian” of the chapter on probability. */
export function mountJoint(lab, stage, panel) {
  const { state } = lab;
  const plane = new Plane(stage, { label: "Points and an ellipse" });
  plane.setView([-HALF, HALF], [-HALF, HALF]);
  const below = caption(stage);
  let answer = null;

  const settled = (point) => point.map((x) => rounded(within(x, -FARTHEST, FARTHEST)));
  const set = (part) => {
    lab.change(part);
    handles.set(state.points);
    plane.draw(paint);
  };
  const without = (row) => set({ points: state.points.toSpliced(row, 1) });
  const add = (point) => set({ points: [...state.points, settled(point)] });

  const typed = [1, 1];
  numberField(panel, { label: "x₁", value: typed[0], step: 0.5, onChange: (x) => { typed[0] = x; } });
  numberField(panel, { label: "x₂", value: typed[1], step: 0.5, onChange: (x) => { typed[1] = x; } });
  button(panel, "Add point", () => add([...typed]));
  button(panel, "Remove last point", () => without(state.points.length - 1));
  button(panel, "Remove all", () => set({ points: [] }));
  const covariance = table(panel, "Covariance Σ");

  const handles = grips(plane, {
    onMove: (row, point) => set({ points: state.points.with(row, settled(point)) }), onRemove: without,
  });
  handles.set(state.points);
  plane.onPress(add, { label: "new point", does: "Enter adds it" });

  function paint(pen) {
    pen.grid();
    if (answer) {
      const { ellipses, apart } = answer.picture;
      pen.area(ellipses[0], { colour: "--w", opacity: 0.14 });
      pen.area(ellipses[1], { colour: "--w", opacity: 0.1 });
      ellipses.forEach((ellipse) => pen.curve(ellipse, { colour: "--w" }));
      pen.curve(apart, { colour: "--old", dash: true, width: 1.5 });
      pen.points([answer.numbers.mean], [8], { size: 6 });
      pen.text(answer.numbers.mean, "  mean", { bold: true });
    }
    pen.points(state.points, state.points.map(() => 1), {});
  }

  plane.draw(paint);
  return {
    plane,
    show(now) {
      answer = now;
      const [first, second] = answer.numbers.covariance;
      covariance.set(["", "x₁", "x₂"], [first, second].map((row, k) => [
        ["x₁", "x₂"][k], ...row.map((entry) => real(entry, 4))]));
      plane.draw(paint);
      plane.describe(answer.sentences.join(" "));
      below.set(answer.sentences, "Solid: 1 and 2 standard deviations of the fitted density. Dashed: the "
        + "same with covariance 0.");
    },
    refuse: below.clear,
    end: () => plane.destroy(),
  };
}
