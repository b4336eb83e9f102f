import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { fewestErrors } from "./scene.js";

checkChapter("boundaries", scene, questions);

test("boundaries: every line misclassifies at least one of the points of XOR", () => {
  assert.equal(fewestErrors([[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1]), 1);
});

test("boundaries: three points in a row, + − +, leave one mistake, and separable points none", () => {
  assert.equal(fewestErrors([[0, 0], [1, 1], [2, 2]], [1, -1, 1]), 1);
  assert.equal(fewestErrors(scene.start.points, scene.start.labels), 0);
});

test("boundaries: a line through a point counts the point as −, exactly", () => {
  const { sides, wrong } = scene.compute({ ...scene.start, points: [[0.1, 0.1], [0.3, 0.3], [1, 0]], labels: [-1, 1, -1], a: [0, 0], z: [0.7, 0.7] });
  assert.deepEqual(sides.slice(0, 2), [0, 0]);
  assert.deepEqual(wrong.filter((row) => row < 2), [1]);
});
