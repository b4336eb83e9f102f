import { strict as assert } from "node:assert";
import { test } from "node:test";
import { codeOf, problemOfTask, readCode, replayCode } from "./assignment.js";
import { check, equationText } from "./check.js";
import { compareLines, readEquation, readNumber, readVector } from "./exact.js";
import { htmlOf } from "./markdown.js";
import { Store, changesOf, problemOf, readHash, writeHash } from "./state.js";

test("an equation is read exactly in any arrangement", () => {
  const line = { w: [2, 3], b: -6 };
  for (const text of ["2x1 + 3x2 − 6 = 0", "2x1+3x2-6=0", "x2 = -2/3 x1 + 2", "0 = 6 - 2·x₁ - 3·x₂", "2(x1 - 3) = -3x2", "x_2 = 2 - (2/3)*x_1", "0.2x + 0.3y = 0.6", "6 = 2 x1 + 3 x2", "x1/3 + x2/2 = 1"]) {
    assert.ok(["same", "turned"].includes(compareLines(readEquation(text), line)), text);
  }
  assert.equal(compareLines(readEquation("2x1 + 3x2 = 6.0000000000000001"), line), "parallel");
  assert.equal(compareLines(readEquation("0.1x1 + 0.2x2 = 0.3"), { w: [1, 2], b: -3 }), "same");
});

test("what is no equation gets a reason", () => {
  for (const text of ["", "2x1 + 3x2", "2x1 = 3 = x2", "x1·x2 = 1", "2x1 + = 3", "x3 = 1", "1/0 x1 = 2", "x1 = 2)"]) {
    const outcome = check({ kind: "equation", answer: { w: [1, 0], b: -2 } }, text);
    assert.ok(!outcome.right && outcome.unreadable && outcome.hint.length > 10, text);
  }
});

test("numbers and vectors are compared exactly", () => {
  assert.ok(readNumber("−0.5").equals("-1/2"));
  assert.ok(readNumber("1e-3").equals("1/1000"));
  assert.ok(readVector("(2, −1/3)", 2)[1].equals("-1/3"));
  assert.throws(() => readVector("1, 2, 3", 2), SyntaxError);
  assert.throws(() => readNumber("two"), SyntaxError);
  assert.ok(!check({ kind: "number", answer: "1/3" }, "0.3333").right);
  assert.match(check({ kind: "number", answer: "1/3" }, "0.3333").hint, /exact/);
});

test("a hint depends on the mistake", () => {
  const question = { kind: "equation", answer: { w: [2, 3], b: -6 }, side: true, points: [[3, 0], [0, 2]] };
  const hints = ["−2x1 − 3x2 + 6 = 0", "2x1 + 3x2 = 5", "3x1 + 2x2 = 6"].map((text) => check(question, text).hint);
  assert.match(hints[0], /other side/);
  assert.match(hints[1], /shifted/);
  assert.match(hints[2], /\(3, 0\)/);
  assert.match(check({ kind: "vector", answer: [1, 2] }, "(2, 1)").hint, /swapped/);
  assert.match(check({ kind: "vector", answer: [1, 2] }, "(−1, −2)").hint, /sign/);
});

test("an equation is written without factors of 1", () => {
  assert.equal(equationText({ w: [1, "-2/3"], b: 0 }), "x₁ − 2/3x₂ = 0");
});

test("a link contains the whole state, and only what differs", () => {
  const start = { points: [[1, 2]], labels: [1], tie: "mistake" };
  const state = { ...start, points: [[0.1, -2.5]] };
  const hash = writeHash(changesOf(state, start));
  assert.deepEqual({ ...start, ...readHash(hash).changes }, state);
  assert.ok(!hash.includes("tie"));
  assert.equal(writeHash({}), "");
  assert.ok(readHash("#%7Bbroken").error);
  assert.ok(readHash("#[1]").error);
});

test("a state of another shape is refused with a reason", () => {
  const start = { points: [[1, 2]], labels: [1], b: 0 };
  assert.equal(problemOf(start, start), "");
  assert.match(problemOf({ ...start, b: "0" }, start), /b must be a number/);
  assert.match(problemOf({ ...start, other: 1 }, start), /no setting other/);
  assert.match(problemOf({ ...start, labels: [1, 1] }, start), /1 points but 2 labels/);
  assert.match(problemOf({ ...start, points: [[1, null]] }, start), /number|finite|list/);
});

test("undo and redo return to each state, and a drag is one step", () => {
  const store = new Store({ b: 0 });
  store.change({ b: 1 }, "drag");
  store.change({ b: 2 }, "drag");
  store.settle();
  store.change({ b: 3 }, "drag");
  assert.ok(store.undo());
  assert.equal(store.state.b, 2);
  assert.ok(store.undo());
  assert.equal(store.state.b, 0);
  assert.ok(!store.undo());
  store.redo();
  store.redo();
  assert.equal(store.state.b, 3);
});

const start = { b: 0, points: [], labels: [] };
const task = { ask: { kind: "number", text: "What is b?", answer: "2/3" }, allow: ["b"], tries: 2 };
const assignment = { chapter: "line", hash: "#x", task, changes: {}, start, compute: () => null, exercises: [] };

test("a code replays the answers of an assignment exactly", () => {
  const code = codeOf({ chapter: "line", hash: "#x", name: "Ada Łovelace", answers: [{ a: "0.6667", s: {} }, { a: "2/3", s: { b: 1 } }] });
  assert.match(code, /^R[\w-]+$/);
  const { name, outcomes, right } = replayCode(code, assignment);
  assert.equal(name, "Ada Łovelace");
  assert.deepEqual(outcomes.map((outcome) => outcome.right), [false, true]);
  assert.ok(right);
});

test("a code that was changed, is of another assignment, or changes more than is allowed, is refused", () => {
  const code = codeOf({ chapter: "line", hash: "#x", answers: [{ a: "1", s: {} }] });
  assert.throws(() => readCode(`${code.slice(0, 8)}x${code.slice(9)}`), /changed|not an answer/);
  assert.throws(() => replayCode(codeOf({ chapter: "line", hash: "#y", answers: [] }), assignment), /another assignment/);
  const cheat = codeOf({ chapter: "line", hash: "#x", answers: [{ a: "1", s: { points: [[1, 1]] } }] });
  assert.throws(() => replayCode(cheat, assignment), /does not allow/);
});

test("answers beyond the number of tries do not count", () => {
  const answers = ["1", "2", "2/3"].map((a) => ({ a, s: {} }));
  const { right, tooMany } = replayCode(codeOf({ chapter: "line", hash: "#x", answers }), assignment);
  assert.ok(!right && tooMany);
});

test("a damaged task is refused with a reason", () => {
  assert.equal(problemOfTask(task, []), "");
  for (const bad of [null, {}, { ...task, tries: 0 }, { ...task, ask: { kind: "number", text: "" } }, { q: 3, allow: [], tries: 1 }, { ...task, ask: { kind: "magic", text: "?" } }]) {
    assert.ok(problemOfTask(bad, []), JSON.stringify(bad));
  }
});

test("texts are escaped, and formulas become MathML", () => {
  const html = htmlOf("A **bold** <script> and $w \\cdot x \\le \\frac{1}{2}$.\n\n1. one\n2. two");
  assert.match(htmlOf("**the last $w$.**"), /<strong>the last <math>.*<\/math>\.<\/strong>/);
  assert.ok(htmlOf("$$ a \\text{ if so} , \\qquad b $$").includes("\u00a0if\u00a0so") && htmlOf("$$ a , \\qquad b $$").split("<math").length === 3);
  assert.ok(html.includes("<strong>bold</strong>") && html.includes("&lt;script&gt;") && html.includes("<mfrac>") && html.includes("<li>two</li>"));
});
