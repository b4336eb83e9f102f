import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("probability", scene, questions);

test("probability: one red ball makes box 2 as likely as 9/13", () => {
  const { working } = scene.compute(start);
  assert.deepEqual(working.steps.map(({ posterior }) => String(posterior)), ["4/13", "9/13"]);
  assert.equal(String(working.total), "13/24");
});

test("probability: without replacement a fourth red ball is impossible in both boxes", () => {
  const { working } = scene.compute({ ...start, drawn: [0, 0, 0, 0], replacement: false });
  assert.equal(working.total.sign(), 0);
});
