import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("sure", scene, questions);

test("sure: a diagonal covariance has an ellipse without a slope", () => {
  const { sure } = scene.compute({ ...start, covariance: "diagonal" });
  assert.ok(sure.steps.every(({ sigma }) => sigma[0][1] === 0));
  assert.ok(scene.compute(start).sure.steps.some(({ sigma }) => sigma[0][1] !== 0));
});

test("sure: the first update from Σ = I moves w by x/(x·x + r)", () => {
  const { sure } = scene.compute({ ...start, points: [[1, 2]], labels: [1], epochs: 1 });
  assert.ok(Math.abs(sure.w[0] - 1 / 6) < 1e-12 && Math.abs(sure.w[1] - 1 / 3) < 1e-12);
});
