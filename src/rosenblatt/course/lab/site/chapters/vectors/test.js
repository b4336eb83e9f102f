import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("vectors", scene, questions);

test("vectors: a matrix with a positive form in every direction is positive definite", () => {
  for (const sigma of [[2, 1, 1], [1, 2, 1], [1, 1, 1], [-1, 0, -1]]) {
    const { definite } = scene.compute({ ...start, sigma });
    const forms = Array.from({ length: 180 }, (_, k) => scene.compute({ ...start, sigma, z: [Math.cos((k * Math.PI) / 180), Math.sin((k * Math.PI) / 180)] }).form);
    assert.equal(definite, forms.every((form) => form > 1e-3), String(sigma));
  }
});
