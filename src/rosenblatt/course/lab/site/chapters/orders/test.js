import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("orders", scene, questions);

test("orders: the averaged weights differ less between orders than the last weights", () => {
  const spread = ({ runs }) => Math.max(...runs.map((run) => run.wrong)) - Math.min(...runs.map((run) => run.wrong));
  assert.ok(spread(scene.compute({ ...start, lines: "averaged" })) < spread(scene.compute(start)));
});

test("orders: the pocket never misclassifies more points than the last weights of a separable run", () => {
  const { wrong } = scene.compute({ ...start, ...scene.presets["separable classes"] });
  assert.equal(wrong.pocket, 0);
});
