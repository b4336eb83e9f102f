/** What the tests call: each driver takes one case and returns plain numbers; its Python twin is in the test. */
import * as averaging from "./engine/averaging.js";
import * as bayes from "./engine/bayes.js";
import * as bound from "./engine/bound.js";
import { readCsv } from "./engine/csv.js";
import * as curves from "./engine/curve.js";
import * as distributions from "./engine/distributions.js";
import * as exact from "./engine/exact.js";
import { errorsByPass } from "./engine/errors_by_pass.js";
import { Fraction } from "./engine/fraction.js";
import * as geometry from "./engine/geometry.js";
import { jointGaussian, fitJointGaussian } from "./engine/joint_gaussian.js";
import { kernelTrace } from "./engine/kernel_trace.js";
import { KERNELS, polynomialKernel } from "./engine/kernels.js";
import { Learner } from "./engine/learner.js";
import { separatorByLinearProgram } from "./engine/linear_program.js";
import { keslerPoints, trainClasses } from "./engine/multiclass.js";
import * as polynomials from "./engine/polynomials.js";
import { EXAMPLES } from "./engine/presets.js";
import { Random, runSeed } from "./engine/random.js";
import { exactScore, fastScore, score } from "./engine/score.js";
import { separate, verify } from "./engine/separation.js";
import { Adversary, play } from "./engine/teachers.js";
import { cycleText, trace } from "./engine/trace.js";
import { compareSeparators } from "./engine/comparison.js";
import { ellipse } from "./engine/arow.js";

const makeKernel = ({ name, ...parameters }) => KERNELS[name](parameters);
const stepNumbers = ({ row, score, mistake, updated, w, b, marginAfter, norm2 }) => ({ row, score, mistake, updated, w, b, marginAfter, norm2 });

const DRIVERS = {
  nearestDouble: ({ u, v }) => exact.nearest(exact.dot(u, v)),
  sums: ({ w, b, x }) => ({ ...score(w, b, x), ...fastScore(w, b, x), value: score(w, b, x).value, fast: fastScore(w, b, x).value, sign: exact.signOf(exactScore(w, b, x)) }),
  fractions: ({ a, b }) => {
    const [p, q] = [Fraction.of(a), Fraction.of(b)];
    const other = q.sign() ? p.over(q) : q;
    const found = [p.plus(q), p.minus(q), p.times(q), other].map(String);
    return { found, numbers: [p, other].map((f) => f.toNumber()), root: p.times(p).plus(q.times(q)).root(), compare: p.compare(q), floor: p.floor() };
  },
  exactly: ({ x }) => Fraction.exactly(x),
  shuffle: ({ seeds, n }) => new Random(...seeds).shuffle(Array.from({ length: n }, (_, k) => k)),
  uniform: ({ seeds, n }) => Array.from({ length: n }, () => new Random(...seeds)).map((random) => random.uniform(-1, 3)),
  runSeed: ({ randomState }) => runSeed(randomState),
  trace: ({ points, labels, settings }) => {
    const run = trace(points, labels, settings);
    const { w, b, mistakes, updates, separated, cycle, stopped } = run;
    const last = run.steps[run.steps.length - 1];
    return {
      w, b, mistakes, updates, separated, cycle, stopped, steps: run.steps.map(stepNumbers), passes: run.passes.length,
      sigma: last?.sigma ?? null, text: cycle && cycleText(cycle, settings.epochs ?? null),
    };
  },
  averages: ({ points, labels, settings, probes }) => {
    const run = trace(points, labels, settings);
    const [mean, committee, best] = [averaging.averaged(run), averaging.voted(run), averaging.pocket(run)];
    return {
      mean: { w: mean.w, b: mean.b, sum: mean.sum, scores: probes.map(mean.score) },
      voted: { survival: committee.members.map((member) => member.survival), votes: probes.map(committee.votes) },
      pocket: { w: best.w, b: best.b },
      sums: run.steps.map((_, k) => averaging.averaged(run, k + 1).sum),
      vectors: run.steps.map(({ w, b }) => ({ w, b })),
    };
  },
  kernelTrace: ({ points, labels, kernel, settings }) => {
    const run = kernelTrace(points, labels, makeKernel(kernel), settings);
    const { mistakes, updates, separated, cycle } = run;
    const steps = run.steps.map(({ row, score, mistake, updated, delta, support, norm2 }) => ({ row, score, mistake, updated, delta, support, norm2 }));
    return {
      mistakes, updates, separated, cycle, steps, coefficients: [...run.coefficients], wrong: run.wrong,
      averaged: points.map((x) => run.averagedScore(x)), scores: points.map((x) => run.score(x)),
    };
  },
  features: ({ x, z, kernel, coefficients }) => {
    const map = polynomials.monomials(x.length, kernel);
    const { value } = polynomialKernel(kernel);
    return { phi: map.map(x), powers: map.powers, value: value(x, z), text: polynomials.polynomialText(map.powers, coefficients) };
  },
  products: ({ x, degree, constant }) => polynomials.orderedProducts(x, degree, constant),
  classes: ({ points, labels, settings, probes }) => {
    const kernel = settings.kernel && makeKernel(settings.kernel);
    const run = trainClasses(points, labels, { ...settings, kernel });
    const { weights, mistakes, mistakesPerClass, passes, converged, confusion } = run;
    return { weights, mistakes, mistakesPerClass, passes, converged, confusion, answers: probes.map(run.predict), scores: probes.map(run.scores) };
  },
  kesler: ({ points, labels }) => keslerPoints(points, labels),
  game: ({ margin, nFeatures, settings, rounds }) => {
    const learner = new Learner(nFeatures, settings);
    const records = play(learner, new Adversary(margin, nFeatures), rounds);
    return { rounds: records.length, mistakes: learner.mistakes, bound: records[records.length - 1]?.bound ?? null, xs: records.map(({ x }) => x) };
  },
  separate: ({ points, labels, settings }) => {
    const kernel = settings.kernel ? makeKernel(settings.kernel) : null;
    const verdict = separate(points, labels, { ...settings, kernel });
    return { ...verdict, verified: kernel ? null : verify(verdict, points, labels) };
  },
  forgeries: ({ points, labels, settings }) => {
    const verdict = separate(points, labels, settings);
    const bigger = { ...verdict, margin2: verdict.margin2.plus(Fraction.of("1/1000000")) };
    const lighter = { ...verdict, weights: verdict.weights.slice(1) };
    return [{ ...verdict, separable: !verdict.separable }, bigger, lighter].map((forged) => verify(forged, points, labels));
  },
  claims: ({ points, labels, settings, star, starB }) => bound.checkClaims(trace(points, labels, settings), star, starB),
  mostUpdates: (numbers) => bound.mostUpdates(numbers),
  linearProgram: ({ points, labels, settings }) => separatorByLinearProgram(points, labels, settings),
  comparison: ({ points, labels }) => compareSeparators(points, labels),
  errorsByPass: ({ train, test, settings }) => errorsByPass(train, test, settings),
  geometry: ({ x, z, b }) => ({
    l1: geometry.l1Norm(x), l2: geometry.l2Norm(x), inner: geometry.inner(x, z), angle: geometry.angle(x, z), cosine: geometry.cosine(x, z),
    onVector: geometry.projectOnVector(x, z), foot: geometry.project(x, z, b), distance: geometry.signedDistance(x, z, b),
  }),
  positiveDefinite: ({ matrix }) => geometry.isPositiveDefinite(matrix),
  ellipse: ({ matrix }) => ellipse(matrix[0][0], matrix[0][1], matrix[1][1]),
  curve: ({ xs, ys, degree, l2, at }) => {
    const { coefficients, trainingError, predict } = curves.fitCurve(xs, ys, { degree, l2 });
    return { coefficients, trainingError, values: at.map(predict) };
  },
  chooseL2: ({ xs, ys, settings }) => curves.chooseL2(xs, ys, settings),
  distribution: ({ kind, data, given, at }) => {
    const [own, best] = [distributions[kind](...given), distributions.fitDistribution(kind, data)];
    return {
      likelihood: own.logLikelihood(data), best: best.logLikelihood(data), mean: best.mean, variance: best.variance,
      heights: at.map(own.density ?? own.probability), below: own.cumulative ? at.map(own.cumulative) : null,
    };
  },
  joint: ({ points, at }) => {
    const [fitted, apart] = [fitJointGaussian(points), fitJointGaussian(points).independent()];
    const given = jointGaussian(fitted.mean, fitted.covariance).conditional(at[0]);
    const { mean, covariance, correlation } = fitted;
    return { mean, covariance, correlation, density: fitted.density(at), best: fitted.logLikelihood(points), apart: apart.logLikelihood(points), given };
  },
  boxes: ({ contents, prior, drawn, replacement }) => {
    const boxes = new bayes.Boxes(contents, prior);
    const { steps, total } = boxes.working(drawn, replacement);
    return { total, posterior: steps.map((step) => step.posterior), joint: boxes.joint().map((cell) => cell.probability) };
  },
  bayesRule: ({ prior, likelihood }) => [...bayes.bayesRule(new Map(prior), new Map(likelihood)).values()],
  presets: () => EXAMPLES,
  csv: ({ bytes, ...settings }) => readCsv(Uint8Array.from(bytes), settings),
  // an error's message instead of a result
  message: ({ driver, given }) => {
    try {
      DRIVERS[driver](given);
    } catch (error) {
      return `${error.constructor.name}: ${error.message}`;
    }
    return "";
  },
};

const plain = (_, value) => {
  if (typeof value === "bigint" || value instanceof Fraction) return String(value);
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) return Object.is(value, -0) ? "-0" : String(value);
  return value;
};

/** Call a driver for each case; both are JSON.  @param {string} given  @returns {string} */
export function callAll(given) {
  const { driver, cases } = JSON.parse(given);
  return JSON.stringify(cases.map(DRIVERS[driver]), plain);
}
