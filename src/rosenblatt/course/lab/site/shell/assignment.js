// Assignments as links and answers as codes, without a server. No part of this file needs a page.

import { changesOf, writeHash } from "./state.js";
import { check } from "./check.js";

/** Most characters of a question or a name. */
export const LONGEST_TEXT = 1000;

/**
 * Return the part of a link after # for an assignment: a state and its `task`.
 * A task is {q: number of an exercise of the chapter} or {ask: {kind, text, answer or options or goal}}, with
 * `allow`: names of the permitted controls, and `tries`: number of answers.
 */
export function assignmentHash(state, start, task) {
  return writeHash({ ...changesOf({ ...state, task: undefined }, start), task });
}

/** Return why a task is not usable, or "". */
export function problemOfTask(task, exercises) {
  if (task === null || typeof task !== "object" || Array.isArray(task)) return "the task is not an object";
  if (!Number.isInteger(task.tries) || task.tries < 1 || task.tries > 99) return "the number of tries must be 1 to 99";
  if (!Array.isArray(task.allow) || task.allow.some((name) => typeof name !== "string")) return "the list of controls is not a list of names";
  if ("q" in task) return Number.isInteger(task.q) && exercises[task.q] ? "" : `the chapter has no exercise ${task.q}`;
  const ask = task.ask ?? {};
  if (typeof ask.text !== "string" || !ask.text || ask.text.length > LONGEST_TEXT) return `the question must have 1 to ${LONGEST_TEXT} characters`;
  if (ask.kind === "scene") return ask.goal in GOALS ? "" : `the goal must be one of ${Object.keys(GOALS).join(", ")}`;
  if (ask.kind === "choice") return ask.options?.length >= 2 && ask.options.some((option) => option.right) ? "" : "a choice needs two options, one of them right";
  return ["number", "vector", "equation"].includes(ask.kind) ? "" : "the kind of question is not known";
}

/** Goals for questions that a teacher writes: the picture itself is the answer. */
export const GOALS = {
  separated: { text: "the run ends without mistakes", check: (state, result) => result?.separated === true || "The run has not separated the points." },
  never: { text: "the points are not separable", check: (state, result) => result?.separable === false || "Some line separates these points." },
};

/** Return the question of a task. */
export function questionOf(task, exercises) {
  if ("q" in task) return exercises[task.q];
  if (task.ask.kind === "scene") return { ...task.ask, check: GOALS[task.ask.goal].check };
  return task.ask;
}

// ---------------------------------------------------------------- codes

/** Return a short code for the answers given to the assignment in a link. */
export function codeOf({ chapter, hash, name = "", answers }) {
  const body = JSON.stringify([1, chapter, checksum(hash), name.slice(0, 80), answers]);
  const text = toBase64(new TextEncoder().encode(body));
  return `R${text}-${checksum(text).toString(36)}`;
}

/** Read a code. Throw a SyntaxError that says what is wrong. */
export function readCode(code) {
  const found = /^R([\w-]+)-([0-9a-z]+)$/.exec(code.trim());
  if (!found) throw new SyntaxError("this is not an answer code; a code starts with R and has no spaces");
  const [, text, sum] = found;
  if (checksum(text).toString(36) !== sum) throw new SyntaxError("the code is incomplete or was changed");
  const [version, chapter, of, name, answers] = JSON.parse(new TextDecoder().decode(fromBase64(text)));
  if (version !== 1) throw new SyntaxError("the code is from a newer lab");
  return { chapter, of, name, answers };
}

/**
 * Replay the answers of a code for the assignment in `hash`, with the same exact checks as the student's page.
 * `start` and `compute` are of the chapter. An answer is {a: answer, s: changes of the state}.
 */
export function replayCode(code, { chapter, hash, task, changes, start, compute, exercises }) {
  const { of, name, answers, chapter: made } = readCode(code);
  if (made !== chapter || of !== checksum(hash)) throw new SyntaxError("the code belongs to another assignment");
  const question = questionOf(task, exercises);
  const outcomes = answers.slice(0, task.tries).map(({ a, s }) => {
    const state = { ...structuredClone(start), ...changes, ...onlyAllowed(s, task, changes, start) };
    return { answer: a, ...check(question, a, state, compute(state)) };
  });
  return { name, outcomes, right: outcomes.some((outcome) => outcome.right), tooMany: answers.length > task.tries };
}

// a code may change only what the assignment permits
function onlyAllowed(changes = {}, task, before, start) {
  for (const key of Object.keys(changes)) {
    if (!(key in start)) throw new SyntaxError(`the code changes ${key}, which the chapter does not have`);
    const names = [key, ...(key === "points" || key === "labels" ? ["points", "handles", "presets"] : ["handles", "presets"])];
    const listed = task.allow.some((name) => names.includes(name) || name.split(".")[0] === key) || key === "step";
    if (!listed) throw new SyntaxError(`the code changes ${key}, which the assignment does not allow`);
  }
  return changes;
}

/** Return a 32-bit checksum (FNV-1a) of a text. It finds damage; it is no protection against forgery. */
export function checksum(text) {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}

function toBase64(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
}
