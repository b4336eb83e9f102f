import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("compare", scene, questions);

test("compare: no method has a larger margin than the support vector machine", () => {
  for (const part of [{}, scene.presets["a narrow gap"], scene.presets["one point far away"]]) {
    const { found } = scene.compute({ ...start, ...part });
    const [perceptron, program, best] = found.map(({ margin }) => margin);
    assert.ok(perceptron > 0 && program > 0 && best >= perceptron - 1e-12 && best >= program - 1e-12);
  }
});
