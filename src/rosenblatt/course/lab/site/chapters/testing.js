// What every chapter must satisfy. No part of this file needs a page.

import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { htmlOf } from "../shell/markdown.js";
import { check } from "../shell/check.js";
import { problemOf } from "../shell/state.js";
import { Pen } from "./recording_pen.js";

/** Check the common properties of a chapter. */
export function checkChapter(key, scene, questions) {
  const states = [scene.start, ...Object.values(scene.presets ?? {}).map((part) => ({ ...scene.start, ...part }))];

  test(`${key}: the text contains only formulas that can be shown`, () => {
    const text = readFileSync(new URL(`./${key}/text.md`, import.meta.url), "utf8");
    assert.ok(htmlOf(text).includes("<p>"));
    assert.ok(text.length > 300);
  });

  test(`${key}: every example can be computed, drawn and described`, () => {
    for (const state of states) {
      assert.equal(problemOf(state, scene.start, { most: scene.points?.most ?? 300 }), "");
      show(scene, state);
      if (scene.steps) show(scene, { ...state, step: scene.steps(state, scene.compute(state)) });
    }
  });

  test(`${key}: no points, one point and one class are no error`, () => {
    if (!scene.points) return;
    const [label, other] = [scene.points.classes[0].label, scene.points.classes.at(-1).label];
    for (const [points, labels] of [[[], []], [[[1, 2]], [label]], [[[1, 2], [2, 1]], [label, label]], [[[0, 0], [0, 0]], [label, other]]]) {
      try {
        show(scene, { ...scene.start, points, labels, step: 0 });
      } catch (error) {
        if (error.constructor.name !== "BadInput") throw error;
      }
    }
  });

  test(`${key}: the opening question can be answered rightly and wrongly`, () => {
    const { opening } = questions;
    assert.equal(opening.kind, "choice");
    assert.ok(opening.options.some((option) => option.right) && opening.options.some((option) => !option.right));
    assert.ok(opening.explain);
  });

  questions.exercises.forEach((question, at) => {
    test(`${key}: exercise ${at + 1}, “${question.title}”, accepts its answer and has a hint for each other one`, () => {
      const state = { ...scene.start, ...question.start };
      if (question.start) assert.equal(problemOf(state, scene.start), "");
      const result = scene.compute(state);
      if (question.kind === "choice") {
        const right = question.options.flatMap((option, number) => (option.right ? [number] : []));
        assert.ok(question.many ? right.length : right.length === 1);
        assert.ok(check(question, question.many ? right : right[0], state, result).right);
        question.options.forEach((option, number) => {
          if (option.right) return;
          const outcome = check(question, question.many ? [number] : number, state, result);
          assert.ok(!outcome.right && outcome.hint.length > 10, `option ${number + 1} has no hint`);
        });
      } else if (question.kind === "scene") {
        assert.notEqual(question.check(state, result), true, "the picture is already right at the start");
        if (question.example) {
          const solved = { ...state, ...question.example };
          assert.equal(question.check(solved, scene.compute(solved)), true);
        }
      } else {
        const answer = typeof question.answer === "function" ? question.answer(state, result) : question.answer;
        const text = question.kind === "equation" ? `${answer.w[0]} x1 + ${answer.w[1]} x2 + ${answer.b} = 0`.replaceAll("+ -", "- ") : Array.isArray(answer) ? `(${answer.join(", ")})` : String(answer);
        assert.ok(check(question, text, state, result).right, `${text} is not accepted`);
        const other = question.kind === "equation" ? "17 x1 + 3 = 0" : question.kind === "vector" ? `(${answer.map(() => 17).join(", ")})` : "17.5";
        assert.ok(!check(question, other, state, result).right);
      }
      assert.ok(question.title && question.text && (question.explain || question.kind === "scene"));
      for (const text of [question.text, question.explain ?? ""]) if (typeof text === "string") htmlOf(text || ".");
    });
  });

  if (questions.predict) {
    test(`${key}: every step of the initial run has a question with one right answer`, () => {
      const result = scene.compute(scene.start);
      for (let step = 0; step < Math.min(scene.steps(scene.start, result), 60); step += 1) {
        const question = questions.predict({ ...scene.start, step }, result);
        if (question?.kind === "choice") assert.equal(question.options.filter((option) => option.right).length, 1);
      }
    });
  }
}

/** Compute, draw and describe a state. */
export function show(scene, state) {
  const result = scene.compute(state);
  for (const spec of scene.planes) {
    const view = spec.view(state, result);
    for (const [low, high] of view) assert.ok(low < high && Number.isFinite(high - low), `the view of ${spec.key} is ${view}`);
    spec.paint(new Pen(view), state, result);
    spec.handles?.(state, result).forEach((handle) => assert.ok(handle.at.every(Number.isFinite) && handle.label));
  }
  const sentences = scene.sentences(state, result);
  assert.ok(sentences.every((sentence) => sentence && !/undefined|NaN|\[object/.test(sentence)), sentences.join(" "));
  for (const { caption, head, rows } of scene.tables?.(state, result) ?? []) {
    assert.ok(caption && rows.every((row) => row.length === head.length), `${caption}: rows and head differ in length`);
    assert.ok(!/undefined|NaN/.test(JSON.stringify(rows)), caption);
  }
  const code = scene.python(state, result);
  assert.ok(code && !/undefined|NaN/.test(code), code);
  return result;
}
