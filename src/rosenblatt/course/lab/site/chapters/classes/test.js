import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("classes", scene, questions);

test("classes: three in a row need shared mistakes", () => {
  const row = { ...start, ...scene.presets["three in a row"] };
  const alone = scene.compute(row);
  assert.deepEqual(alone.alone, [true, false, true]);
  assert.equal(alone.run.mistakes, 87);
  const shared = scene.compute({ ...row, method: "ultraconservative" });
  assert.ok(shared.separated && shared.together);
  assert.equal(shared.run.mistakes, 9);
});
