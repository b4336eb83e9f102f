/**
 * More than two classes. One-vs-rest: a perceptron for each class against all others. Shared mistakes (Crammer & Singer
 * 2003): a row of class y is a mistake if a rival's score is not below that of y; then w_y ← w_y + x and
 * w_r ← w_r − share_r·x with Σ share_r = 1, where E is the set of those rivals:
 *
 *   worst         1 for the rival with the largest score; ties go to the first
 *   uniform       1/|E|
 *   proportional  the lead of r, divided by the sum of the leads in E; equal if all leads are 0
 *
 * @typedef {Object} ClassesStep
 * @property {number} pass  @property {number} row  @property {number} own   index of the row's class
 * @property {number[]} wrong   one-vs-rest: the perceptrons that made a mistake; shared: the rival that won, or none
 * @property {{w: number[], b: number}[]} weights   after the step
 *
 * @typedef {Object} ClassesRun
 * @property {number[]} classes            in rising order
 * @property {{w: number[], b: number}[]} weights   one for each class (one perceptron, of the second class, for two)
 * @property {ClassesStep[]} steps
 * @property {number} mistakes
 * @property {number[]} mistakesPerClass
 * @property {number} passes
 * @property {boolean} converged
 * @property {(x: number[]) => number[]} scores    one for each class
 * @property {(x: number[]) => {answer: number, tied: boolean}} predict   the exact maximum; ties go to the first class
 * @property {number[][]} confusion        rows: class, columns: prediction
 */
import { averaged } from "./averaging.js";
import { require } from "./errors.js";
import { exact, minus, nearest, plus, signOf, times } from "./exact.js";
import { kernelTrace } from "./kernel_trace.js";
import { checkOrder, isSearch, rowsOfPass } from "./orders.js";
import { runSeed } from "./random.js";
import { exactScore } from "./score.js";
import { checkExamples, trace } from "./trace.js";

const DEFAULTS = {
  method: "one_vs_rest", sharing: "worst", keep: "last", order: "given", epochs: 20, until: "separated", randomState: 0, rule: "rosenblatt",
};

/** @param {number[][]} points  @param {number[]} labels whole numbers
 * @param {{method?: "one_vs_rest"|"ultraconservative"|"kernel", sharing?: "worst"|"uniform"|"proportional",
 *   keep?: "last"|"averaged", order?: "given"|"shuffled"|number[], epochs?: number, until?: "separated"|null,
 *   randomState?: number, rule?: string|{name: string}, kernel?: import("./kernels.js").Kernel}} [given]
 * @returns {ClassesRun} */
export function trainClasses(points, labels, given = {}) {
  const settings = { ...DEFAULTS, ...given };
  checkExamples(points, labels, null);
  checkOrder(settings.order, points.length);
  require(!isSearch(settings.order), `order: ${settings.order} searches by the score of one perceptron`);
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  require(classes.length > 1, `labels: all points are of class ${classes[0]}; add one of another class`);
  const own = labels.map((label) => classes.indexOf(label));
  const isShared = settings.method === "ultraconservative" && classes.length > 2;
  const found = isShared ? trainShared(points, own, classes.length, settings) : trainApart(points, own, classes.length, settings);
  const predict = (x) => {
    const at = largest(found.exactScores(x));
    return { answer: classes[at.first], tied: at.tied };
  };
  const answers = points.map((x) => classes.indexOf(predict(x).answer));
  const confusion = classes.map((_, c) => classes.map((__, d) => answers.filter((a, row) => own[row] === c && a === d).length));
  const divisor = settings.keep === "averaged" && settings.method !== "kernel" ? found.steps.length : 1;
  const scores = (x) => found.exactScores(x).map((score) => nearest(score) / divisor);
  return { ...found, classes, predict, scores, confusion, mistakes: found.mistakesPerClass.reduce((a, b) => a + b, 0) };
}

/** Return Kesler's points: a w through the origin that separates them is a set of linear scores of which the right one is
 * largest on every row.  @param {number[][]} points  @param {number[]} labels  @returns {number[][]} all with label +1 */
export function keslerPoints(points, labels) {
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  return points.flatMap((x, row) =>
    classes
      .filter((rival) => rival !== labels[row])
      .map((rival) => classes.flatMap((c) => [...x, 1].map((xj) => xj * (Number(c === labels[row]) - Number(c === rival))))),
  );
}

/** Train one perceptron for each class (for two classes one in all), all in the same passes. */
function trainApart(points, own, count, { method, keep, kernel, ...settings }) {
  const positive = count === 2 ? [1] : Array.from({ length: count }, (_, c) => c);
  const train = (epochs) =>
    positive.map((c) => {
      const labels = own.map((label) => (label === c ? 1 : -1));
      const same = { ...settings, epochs, until: null }; // a pass counts for all perceptrons together
      return method === "kernel" ? kernelTrace(points, labels, kernel, same) : trace(points, labels, same);
    });
  let runs = train(settings.epochs);
  const clean = runs[0].passes.findIndex((_, pass) => runs.every((run) => run.passes[pass].mistakes === 0));
  if (settings.until === "separated" && clean >= 0) runs = train(clean + 1);
  const means = keep === "averaged" && method !== "kernel" ? runs.map((run) => averaged(run)) : null;
  const scoreOf = (run, x) => exact(keep === "averaged" ? run.averagedScore(x) : run.score(x));
  const ofRun = (run, k, x) => {
    if (method === "kernel") return scoreOf(run, x);
    return means ? means[k].exactSum(x) : exactScore(run.w, run.b, x);
  };
  const exactScores = (x) => {
    const values = runs.map((run, k) => ofRun(run, k, x));
    return count === 2 ? [{ m: 0n, e: 0 }, ...values] : values;
  };
  const steps = method === "kernel" ? [] : runs[0].steps.map(({ pass, row }, k) => ({
    pass, row, own: own[row], wrong: positive.filter((_, c) => runs[c].steps[k].mistake),
    weights: runs.map((run) => ({ w: run.steps[k].w, b: run.steps[k].b })),
  }));
  return {
    exactScores, steps,
    weights: method === "kernel" ? [] : runs.map((run, k) => ({ w: (means?.[k] ?? run).w, b: (means?.[k] ?? run).b })),
    mistakesPerClass: runs.map((run) => run.mistakes),
    passes: runs[0].passes.length,
    converged: runs.every((run) => run.passes[run.passes.length - 1].mistakes === 0),
  };
}

/** Train classes that share their mistakes. */
function trainShared(points, own, count, { sharing, keep, order, epochs, until, randomState, rule }) {
  require(rule === "rosenblatt", "rule: shared mistakes are available for Rosenblatt's rule");
  const [width, seed] = [points[0].length + 1, runSeed(randomState)];
  let weights = Array.from({ length: count }, () => new Array(width).fill(0));
  const corrections = weights.map((w) => [...w]);
  const mistakesPerClass = new Array(count).fill(0);
  const steps = [];
  let [passes, converged] = [0, false];
  for (; passes < epochs && !(converged && until === "separated"); passes += 1) {
    converged = true;
    for (const row of rowsOfPass(order, points.length, seed, passes)) {
      const [x, y] = [points[row], own[row]];
      const scores = weights.map((w) => exactScore(w.slice(0, -1), w[width - 1], x));
      const leads = scores.map((score) => plus(score, minus(scores[y])));
      const rivals = leads.flatMap((lead, r) => (r !== y && signOf(lead) >= 0 ? [r] : []));
      let wrong = [];
      if (rivals.length) {
        wrong = [rivals[largest(rivals.map((r) => scores[r])).first]];
        mistakesPerClass[y] += 1;
        converged = false;
        const shares = shareOut(sharing, rivals, wrong[0], leads);
        const lifted = [...x, 1];
        weights = weights.map((w, c) => {
          const delta = c === y ? 1 : -(shares.get(c) ?? 0);
          if (!delta) return w;
          for (let j = 0; j < width; j += 1) corrections[c][j] += delta * steps.length * lifted[j];
          return w.map((weight, j) => weight + delta * lifted[j]);
        });
      }
      steps.push({ pass: passes + 1, row, own: y, wrong, weights: weights.map((w) => ({ w: w.slice(0, -1), b: w[width - 1] })) });
    }
  }
  const t = steps.length;
  const scoreBy = (w, x) => exactScore(w.slice(0, -1), w[width - 1], x);
  const isMean = keep === "averaged";
  // t times the score by the mean, without rounding
  const ofMean = (w, c, x) => plus(times(exact(t), scoreBy(w, x)), minus(scoreBy(corrections[c], x)));
  const returned = isMean ? weights.map((w, c) => w.map((weight, j) => (t * weight - corrections[c][j]) / t)) : weights;
  return {
    exactScores: (x) => weights.map((w, c) => (isMean ? ofMean(w, c, x) : scoreBy(w, x))),
    steps, mistakesPerClass, passes, converged,
    weights: returned.map((w) => ({ w: w.slice(0, -1), b: w[width - 1] })),
  };
}

/** Return the share of each rival in the mistake.  @returns {Map<number, number>} */
function shareOut(sharing, rivals, worst, leads) {
  if (sharing === "worst") return new Map([[worst, 1]]);
  require(sharing === "uniform" || sharing === "proportional", `sharing: expected worst, uniform or proportional, got ${sharing}`);
  const sizes = rivals.map((r) => (sharing === "uniform" ? 0 : nearest(leads[r])));
  const total = sizes.reduce((a, b) => a + b, 0);
  return new Map(rivals.map((r, k) => [r, total > 0 ? sizes[k] / total : 1 / rivals.length]));
}

/** Return the first of the largest numbers, and whether there are several. */
function largest(numbers) {
  let [first, tied] = [0, false];
  numbers.forEach((number, k) => {
    const ahead = k ? signOf(plus(number, minus(numbers[first]))) : 0;
    if (ahead > 0) [first, tied] = [k, false];
    else if (k && ahead === 0) tied = true;
  });
  return { first, tied };
}
