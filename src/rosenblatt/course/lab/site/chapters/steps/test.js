import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start, updatesShown } from "./scene.js";
import { PRESETS } from "./presets.js";

checkChapter("steps", scene, questions);

test("steps: the run of note 001 passes through (2, 1) and ends at (2, −1)", () => {
  const { run } = scene.compute({ ...start, ...PRESETS["001-perceptron"] });
  assert.deepEqual(run.steps[0].w, [2, 1]);
  assert.deepEqual(run.w, [2, -1]);
});

test("steps: the points of note 003 cycle without an offset and are separated with one", () => {
  const cycling = scene.compute({ ...start, ...PRESETS["003-cycle: without offset"] });
  assert.ok(cycling.run.cycle && !cycling.separated);
  assert.ok(scene.compute({ ...start, ...PRESETS["003-cycle: with offset"] }).separated);
});

test("steps: a run never makes more mistakes than the bound allows", () => {
  const { run, verdict } = scene.compute(start);
  assert.ok(BigInt(run.mistakes) <= verdict.mostMistakes);
});

test("steps: the marks of the mistake bound count the mistakes of the steps shown", () => {
  const { run, claims } = scene.compute(start);
  let mistakes = 0;
  assert.equal(updatesShown({ step: 0 }, claims), 0);
  run.steps.forEach(({ updated }, k) => {
    mistakes += Number(updated);
    assert.equal(updatesShown({ step: k + 1 }, claims), mistakes);
  });
});
