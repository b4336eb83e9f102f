/** Training and test error after each pass, by the last, the averaged and the voted weights. */
import { averaged, lastScore, voted, wrongRows } from "./averaging.js";
import { trace } from "./trace.js";

/** @param {{points: number[][], labels: (-1|1)[]}} train  @param {{points: number[][], labels: (-1|1)[]}} test
 * @param {import("./trace.js").RunSettings} [settings] averaging and voting are those of this one run
 * @returns {{pass: number, train: {last: number, averaged: number, voted: number},
 *   test: {last: number, averaged: number, voted: number}}[]} shares of wrong points; a score of 0 answers −, or as `tie` */
export function errorsByPass(train, test, settings = {}) {
  const run = trace(train.points, train.labels, settings);
  const tie = settings.tie === "positive" ? "positive" : "negative";
  let steps = 0;
  return run.passes.map(({ examplesSeen }, pass) => {
    steps += examplesSeen;
    const scores = { last: lastScore(run, steps), averaged: averaged(run, steps).score, voted: voted(run, steps).votes };
    const errors = ({ points, labels }) =>
      Object.fromEntries(
        Object.entries(scores).map(([name, score]) => [name, wrongRows(score, points, labels, tie).length / points.length]),
      );
    return { pass: pass + 1, train: errors(train), test: errors(test) };
  });
}
