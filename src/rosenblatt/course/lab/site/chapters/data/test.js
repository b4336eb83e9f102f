import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { checkChapter, show } from "../testing.js";
import * as questions from "./questions.js";
import scene, { choicesOf, start } from "./scene.js";
import { remember } from "./tables.js";

test("data: before its file is loaded, a state asks for it", () => {
  assert.match(scene.sentences({ ...start, file: "mine.csv" }, scene.compute({ ...start, file: "mine.csv" }))[0], /Load mine\.csv/);
});

remember("flowers.csv", readFileSync(new URL("./flowers.csv", import.meta.url), "utf8"));
checkChapter("data", scene, questions);

test("data: a hyperplane separates setosa from the other flowers, and none separates versicolor", () => {
  assert.equal(scene.compute({ ...start, positive: "setosa", view: "projection" }).separable, true);
  assert.equal(scene.compute({ ...start, positive: "versicolor", view: "projection" }).separable, false);
});

test("data: the contributions of the columns and b sum to the score", () => {
  const state = { ...start, positive: "setosa", view: "projection", chosen: 3 };
  const rows = scene.tables(state, scene.compute(state))[1].rows;
  const number = (text) => Number(text.replace("−", "-"));
  const parts = rows.slice(0, -1).reduce((sum, row) => sum + number(row[3]), 0);
  assert.ok(Math.abs(parts - number(rows.at(-1)[3])) < 0.01);
});

test("data: semicolons with decimal commas and a missing value are read", () => {
  const table = remember("own.csv", "length;width;kind\n1,5;2,5;a\n2,5;;b\n3,5;1,0;a\n0,5;0,5;b\n");
  assert.deepEqual(table.names, ["length", "width", "kind"]);
  const result = show(scene, { ...start, file: "own.csv" });
  assert.equal(result.points.length, 3);
  assert.equal(result.missing, 1);
});

test("data: row numbers are no features, and an empty column is no label", () => {
  const table = remember("numbered.csv", "id,length,kind,\n1,2.5,a,\n2,1.5,b,\n3,3.5,a,\n4,0.5,b,\n");
  const { target, features } = choicesOf({ ...start, file: "numbered.csv" }, table);
  assert.equal(target, "kind");
  assert.deepEqual(features, ["length"]);
});
