import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter } from "../testing.js";
import * as questions from "./questions.js";
import scene, { start } from "./scene.js";

checkChapter("steps", scene, questions);

test("steps: a run never makes more mistakes than the bound allows", () => {
  const { run, verdict } = scene.compute(start);
  assert.ok(BigInt(run.mistakes) <= verdict.mostMistakes);
});
