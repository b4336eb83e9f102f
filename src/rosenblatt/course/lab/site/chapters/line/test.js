import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { lineText } from "./scene.js";

checkChapter("line", scene, questions);

test("line: the four points of note 001 have the scores −2, 1, 7, −3", () => {
  const { scores } = scene.compute({ ...scene.start, ...scene.presets["w = (−3, 2), b = 2 (note 001)"] });
  assert.deepEqual(scores, [-2, 1, 7, -3]);
});

test("line: an equation leaves out factors of 1 and terms of 0", () => {
  assert.equal(lineText({ w: [-1, 2], b: 0 }), "−x₁ + 2x₂ = 0");
});
