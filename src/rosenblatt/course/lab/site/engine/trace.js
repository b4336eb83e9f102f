/**
 * A run step by step, as `rosenblatt.trace` records it.
 *
 * @typedef {import("./learner.js").LearnerSettings & {
 *   order?: "given"|"shuffled"|"first_mistake"|"worst_mistake"|number[],
 *   epochs?: number|null, until?: "separated"|null, randomState?: number, maxSteps?: number|null}} RunSettings
 *   defaults: order "given", epochs 10 (null: no limit, needs until), until null, randomState 0, maxSteps null
 *
 * @typedef {Object} Step
 * @property {number} pass   from 1
 * @property {number} row
 * @property {number[]} x
 * @property {-1|1} y
 * @property {number} score        before the step
 * @property {number} margin       y(w·x + b) before the step
 * @property {boolean} mistake
 * @property {boolean} updated
 * @property {number} delta        coefficient·y; 0 without an update
 * @property {boolean} wasExact
 * @property {number[]} w          after the step
 * @property {number} b            after the step
 * @property {number} marginAfter  of the same example, after the step
 * @property {number} norm2        ‖w‖² + b² after the step
 * @property {[number, number, number]|null} sigma   Σ₁₁, Σ₁₂, Σ₂₂ after the step (AROW in the plane)
 *
 * @typedef {{start: number, period: number, passes: number, updates: number}} Cycle
 *
 * @typedef {Object} Run
 * @property {Step[]} steps
 * @property {number[][]} points
 * @property {number[]} labels
 * @property {RunSettings} settings   with all defaults
 * @property {number[]} startW
 * @property {number} startB
 * @property {number[]} w
 * @property {number} b
 * @property {number} mistakes
 * @property {number} updates
 * @property {{mistakes: number, updates: number, examplesSeen: number}[]} passes   one record for each pass, also for
 *   an incomplete last one
 * @property {boolean} separated   the last pass visited every row and made no mistake
 * @property {Cycle|null} cycle    the state after step `start` recurs every `period` steps
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {number[][]} points  @param {(-1|1)[]} labels  @param {RunSettings} [settings]  @returns {Run} */
export function trace(points, labels, settings = {}) { return todo(points, labels, settings); }
/** The sentence of a cycle.  @param {Cycle} cycle  @param {number|null} epochs  @returns {string} */
export function cycleText(cycle, epochs = null) { return todo(cycle, epochs); }
