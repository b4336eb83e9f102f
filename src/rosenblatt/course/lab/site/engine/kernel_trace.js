/**
 * The perceptron in dual form: w = Σ delta·φ(x), score(x) = Σ delta·(K(x_k, x) + offset), summed in the order of the
 * updates.
 *
 * @typedef {Object} KernelStep
 * @property {number} pass  @property {number} row  @property {number[]} x  @property {-1|1} y
 * @property {number} score  @property {number} margin  @property {boolean} mistake  @property {boolean} updated
 * @property {number} delta        coefficient·y; 0 without an update
 * @property {number} support      number of support rows after the step
 * @property {number} marginAfter  @property {number} norm2  ‖w‖² in feature space after the step
 *
 * @typedef {Object} KernelRun   as `Run` of trace.js, with these instead of w and b
 * @property {KernelStep[]} steps
 * @property {Map<number, number>} coefficients   row → Σ delta, in the order of the first updates
 * @property {(x: number[], t?: number) => number} score      by w after step t (by default the last)
 * @property {(x: number[], t?: number) => number} averagedScore
 * @property {number[]} wrong   rows with a wrong last score
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {import("./kernels.js").Kernel} kernel
 * @param {import("./trace.js").RunSettings} [settings] without init; offset is false by default
 * @returns {KernelRun} */
export function kernelTrace(points, labels, kernel, settings = {}) { return todo(points, labels, kernel, settings); }
