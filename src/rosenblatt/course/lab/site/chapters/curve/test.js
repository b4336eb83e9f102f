import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("curve", scene, questions);

test("curve: degree 9 passes through ten points and is worse on new points than degree 3", () => {
  const nine = scene.compute(start);
  const three = scene.compute({ ...start, degree: 3 });
  assert.ok(nine.train < 1e-6 && three.train > 0.01);
  assert.ok(nine.test > three.test);
});
