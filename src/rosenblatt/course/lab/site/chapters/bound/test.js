import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("bound", scene, questions);

test("bound: the points 0 (+) and 0.1 (−) cost 203 mistakes, and the bound is 405", () => {
  const { run, claims } = scene.compute({ ...start, ...scene.presets["x = 0 (+) and x = 0.1 (−)"] });
  assert.equal(run.mistakes, 203);
  assert.equal(Math.floor(claims.bound), 405);
});

test("bound: half the margin allows four times as many mistakes", () => {
  const plain = { ...start, offset: false };
  assert.equal(scene.compute({ ...plain, margin: 0.5 }).ideal, 4 * scene.compute({ ...plain, margin: 1 }).ideal);
});
