import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("teacher", scene, questions);

test("teacher: the hardest teacher forces 100 mistakes with ρ = 0.1 and three features, 43 in a plane", () => {
  assert.equal(scene.compute({ ...start, ...scene.presets["the hardest teacher, 3 features"] }).mistakes, 100);
  assert.equal(scene.compute({ ...start, ...scene.presets["the hardest teacher in a plane"] }).mistakes, 43);
});
