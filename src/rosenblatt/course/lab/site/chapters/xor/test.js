import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("xor", scene, questions);

test("xor: a line cycles, and (x·z)² ends after two mistakes", () => {
  assert.ok(scene.compute(start).run.cycle);
  const { run, verdict } = scene.compute({ ...start, method: "polynomial" });
  assert.ok(run.separated);
  assert.equal(run.mistakes, 2);
  assert.equal(verdict.mostMistakes, 2n);
});

test("xor: a budget keeps the last updates, and one that is never full changes nothing", () => {
  const spiral = { ...start, ...scene.presets["a spiral on a budget"] };
  const { run } = scene.compute(spiral);
  assert.ok(run.separated && run.steps.every(({ support }) => support <= 10));
  const [free, wide] = [0, 400].map((budget) => scene.compute({ ...spiral, budget }).run);
  assert.deepEqual(wide.steps, free.steps);
  assert.deepEqual([run.mistakes, free.mistakes], [18, 11]);
});

test("xor: on {0, 1}² a constant is needed, unless a score of 0 is predicted as −", () => {
  const bits = { ...start, points: [[0, 0], [0, 1], [1, 0], [1, 1]], method: "polynomial" };
  assert.ok(!scene.compute(bits).separated);
  assert.equal(scene.compute({ ...bits, tie: "negative" }).run.mistakes, 5);
  assert.equal(scene.compute({ ...bits, c: 1 }).run.mistakes, 21);
});
