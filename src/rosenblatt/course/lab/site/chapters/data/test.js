import { strict as assert } from "node:assert";
import { test } from "node:test";
import scene, { start } from "./scene.js";

test("data: before its file is loaded, a state asks for it", () => {
  assert.match(scene.sentences({ ...start, file: "mine.csv" }, scene.compute({ ...start, file: "mine.csv" }))[0], /Load mine\.csv/);
});
