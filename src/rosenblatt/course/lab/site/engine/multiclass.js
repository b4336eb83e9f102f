/**
 * More than two classes. One-vs-rest: a perceptron for each class against all others. Shared mistakes (Crammer & Singer
 * 2003): if a rival's score is not below that of the row's class y, w_y ← w_y + x and w_r ← w_r − share_r·x with
 * Σ share_r = 1: "worst" (the rival with the largest score), "uniform", or "proportional" to its lead.
 *
 * @typedef {Object} ClassesRun
 * @property {number[]} classes            in rising order
 * @property {{w: number[], b: number}[]} weights   (last or averaged) one for each class; one for two classes
 * @property {{pass: number, row: number, mistakes: number[], weights: {w: number[], b: number}[]}[]} steps
 *   mistakes: the classes whose perceptron was wrong (one-vs-rest), or [own, winning rival]
 * @property {number} mistakes
 * @property {number[]} mistakesPerClass
 * @property {number} passes
 * @property {boolean} converged
 * @property {(x: number[]) => number[]} scores    one for each class; one for two classes
 * @property {(x: number[]) => {answer: number, tied: boolean}} predict   exact argmax; ties go to the first class
 * @property {number[][]} confusion        rows: class, columns: prediction
 */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {number[][]} points  @param {number[]} labels whole numbers
 * @param {{method?: "one_vs_rest"|"ultraconservative"|"kernel", sharing?: "worst"|"uniform"|"proportional",
 *   keep?: "last"|"averaged", order?: "given"|"shuffled"|number[], epochs?: number, until?: "separated"|null,
 *   randomState?: number, rule?: string|{name: string}, kernel?: import("./kernels.js").Kernel}} [settings]
 * @returns {ClassesRun} */
export function trainClasses(points, labels, settings = {}) { return todo(points, labels, settings); }
/** Kesler's construction: points whose separability through the origin means that linear scores fit all labels.
 * @returns {number[][]} all with label +1 */
export function keslerPoints(points, labels) { return todo(points, labels); }
