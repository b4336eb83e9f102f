import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { draw, start } from "./scene.js";

checkChapter("errors", scene, questions);

test("errors: the averaged weights jump less from pass to pass than the last weights", () => {
  const { errors } = scene.compute(start);
  const jumps = (name) => errors.slice(1).reduce((sum, each, at) => sum + Math.abs(each.test[name] - errors[at].test[name]), 0);
  assert.ok(jumps("averaged") < jumps("last"));
});

test("errors: the same seed draws the same points, and training and test points differ", () => {
  assert.deepEqual(draw(10, 2, 0, 3), draw(10, 2, 0, 3));
  assert.notDeepEqual(draw(10, 2, 0, 3), draw(10, 2, 0, 3, 1));
});
