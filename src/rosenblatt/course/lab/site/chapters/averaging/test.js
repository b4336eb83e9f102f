import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { kept, start } from "./scene.js";

checkChapter("averaging", scene, questions);

test("averaging: the running sum is the sum of the weights after every step", () => {
  const result = scene.compute(start);
  let sum = [0, 0];
  result.run.steps.forEach(({ w }, at) => {
    sum = sum.map((x, k) => x + w[k]);
    assert.deepEqual(kept({ ...start, step: at + 1 }, result).mean.sum.w, sum);
  });
});

test("averaging: the votes of all vectors sum to the number of steps", () => {
  const result = scene.compute(start);
  const { committee } = kept({ ...start, step: 12 }, result);
  assert.equal(committee.members.reduce((total, { survival }) => total + survival, 0), 12);
});
