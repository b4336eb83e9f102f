/** Training and test error after each pass, by the last, averaged and voted weights. */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {{points: number[][], labels: number[]}} train  @param {{points: number[][], labels: number[]}} test
 * @param {import("./trace.js").RunSettings} settings
 * @returns {{pass: number, train: {last: number, averaged: number, voted: number},
 *   test: {last: number, averaged: number, voted: number}}[]} shares of wrong points */
export function errorsByPass(train, test, settings = {}) { return todo(train, test, settings); }
