import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { draw, start } from "./scene.js";

checkChapter("realizable", scene, questions);

test("realizable: without wrong labels the mistakes end below the bound", () => {
  const { separable, separated, mistakes, verdict } = scene.compute({ ...start, passes: 60 });
  assert.ok(separable && separated);
  assert.ok(BigInt(mistakes.at(-1)) <= verdict.mostMistakes);
});

test("realizable: with five wrong labels no line separates the points, and every pass has a mistake", () => {
  const { separable, run, fewest } = scene.compute({ ...start, ...draw({ n: 30, gap: 0.2, wrong: 5, seed: 3 }) });
  assert.equal(separable, false);
  assert.ok(fewest >= 1 && fewest <= 5);
  assert.ok(run.passes.every(({ mistakes }) => mistakes >= fewest));
});
