// Probability: Bayes' rule with boxes and balls, distributions and their likelihoods.

import { Boxes } from "../../engine/bayes.js";
import { bernoulli, fitDistribution, gaussian, uniform } from "../../engine/distributions.js";
import { ellipse } from "../../engine/arow.js";
import { fitJointGaussian } from "../../engine/joint_gaussian.js";
import { counted, real } from "../../viewer/numbers.js";
import { assignment, literal, script } from "../../shell/python.js";
import { rounded } from "../common.js";

const COLOURS = ["red", "green", "blue"];
const MARKS = [0, 2, 1]; // shapes and colours of the balls
const NAMES = ["box 1", "box 2"];
const MOST_DRAWN = 12;

export const start = {
  topic: "boxes", counts: [2, 3, 1, 3, 1, 0], picks: [1, 1], drawn: [0], replacement: true,
  data: [-1.8, -0.4, 0.3, 1.1, 1.6, 3.4], mean: 0, variance: 1,
  trials: [1, 0, 1, 1, 0, 1, 1, 0], p: 0.5, low: -4, high: 4,
  cloud: [[-2.5, -1.5], [-1.5, -1.8], [-1, 0.2], [0, -0.3], [0.4, 0.9], [1.2, 0.1], [2, 1.9], [3.1, 1.4]],
};

export function compute(state) {
  return { topic: state.topic, separable: null, ...{ boxes: boxesOf, bernoulli: bernoulliOf, uniform: uniformOf, gaussian: gaussianOf, joint: jointOf }[state.topic](state) };
}

function boxesOf({ counts, picks, drawn, replacement }) {
  const contents = Object.fromEntries(NAMES.map((name, at) => [name, Object.fromEntries(COLOURS.map((colour, k) => [colour, counts[3 * at + k]]))]));
  const sum = picks[0] + picks[1];
  const boxes = new Boxes(contents, Object.fromEntries(NAMES.map((name, at) => [name, `${picks[at]}/${sum}`])));
  const names = drawn.map((ball) => COLOURS[ball]);
  const working = boxes.working(names, replacement);
  const history = names.map((_, at) => boxes.working(names.slice(0, at + 1), replacement).steps.map(({ posterior }) => posterior?.toNumber() ?? null));
  return { contents, working, history: [NAMES.map((_, at) => picks[at] / sum), ...history] };
}

const ones = (trials) => trials.reduce((sum, x) => sum + x, 0);
const bernoulliOf = ({ trials, p }) => ({ chosen: bernoulli(p), best: trials.length ? fitDistribution("bernoulli", trials) : null });
const uniformOf = ({ data, low, high }) => ({ chosen: uniform(Math.min(low, high - 0.01), high), best: new Set(data).size > 1 ? fitDistribution("uniform", data) : null });
const gaussianOf = ({ data, mean, variance }) => ({ chosen: gaussian(mean, variance), best: new Set(data).size > 1 ? fitDistribution("gaussian", data) : null });

function jointOf({ cloud }) {
  try {
    return { best: fitJointGaussian(cloud) };
  } catch {
    return { best: null }; // the points lie on a line
  }
}

// ---------------------------------------------------------------- pictures

const PAINTS = {
  boxes(pen, { counts, drawn }) {
    NAMES.forEach((name, at) => {
      const left = 5 * at;
      pen.curve([[left, 3.6], [left, 0], [left + 4.2, 0], [left + 4.2, 3.6]], { width: 2.5 });
      pen.text([left + 2.1, 4], name, { align: "center", bold: true });
      const balls = COLOURS.flatMap((_, k) => Array(Math.min(20, counts[3 * at + k])).fill(k));
      pen.points(balls.map((_, k) => [left + 0.5 + 0.65 * (k % 6), 0.45 + 0.65 * Math.floor(k / 6)]), balls.map((k) => MARKS[k]), { size: 8 });
    });
    pen.text([-0.4, -1], "drawn:");
    pen.points(drawn.map((_, k) => [1.2 + 0.65 * k, -1]), drawn.map((k) => MARKS[k]), { size: 8 });
  },
  bernoulli(pen, { trials, p }, { best }) {
    pen.grid();
    const likelihood = (x) => x ** ones(trials) * (1 - x) ** (trials.length - ones(trials));
    const top = best ? likelihood(best.p) || 1 : 1;
    pen.curve(Array.from({ length: 201 }, (_, k) => [k / 200, likelihood(k / 200) / top]), { colour: "--w", width: 2.5 });
    if (best) pen.segment([best.p, 0], [best.p, 1], { colour: "--proof", dash: true });
    pen.segment([p, 0], [p, likelihood(p) / top], { width: 2 });
  },
  uniform(pen, { data }, { chosen, best }) {
    pen.grid();
    if (best) pen.curve(box(best), { colour: "--proof", dash: true });
    pen.curve(box(chosen), { colour: "--w", width: 2.5 });
    pen.points(data.map((x) => [x, 0]), data.map((x) => (x < chosen.a || x > chosen.b ? 0 : 1)), { size: 6 });
  },
  gaussian(pen, { data }, { chosen, best }) {
    pen.grid();
    const bell = ({ density }) => Array.from({ length: 241 }, (_, k) => [-6 + k / 20, density(-6 + k / 20)]);
    if (best) pen.curve(bell(best), { colour: "--proof", dash: true });
    pen.curve(bell(chosen), { colour: "--w", width: 2.5 });
    data.forEach((x) => pen.segment([x, 0], [x, chosen.density(x)], { colour: "--quiet", width: 1.2 }));
    pen.points(data.map((x) => [x, 0]), data.map(() => 1), { size: 6 });
  },
  joint(pen, { cloud }, { best }) {
    pen.grid();
    if (best) {
      const [[s11, s12], [, s22]] = best.covariance;
      for (const size of [2, 1]) {
        const outline = ellipseAt(best.mean, s11, s12, s22, size);
        pen.area(outline, { colour: "--w", opacity: 0.1 });
        pen.curve(outline, { colour: "--w", width: size === 1 ? 2.5 : 1.2 });
      }
      pen.ring(best.mean, "support");
    }
    pen.points(cloud, cloud.map(() => 1), { size: 6 });
  },
};

const box = ({ a, b }) => [[-6, 0], [a, 0], [a, 1 / (b - a)], [b, 1 / (b - a)], [b, 0], [6, 0]];

function ellipseAt([x, y], s11, s12, s22, size) {
  const { axes, angle } = ellipse(s11, s12, s22);
  return Array.from({ length: 73 }, (_, k) => {
    const [u, v] = [size * axes[0] * Math.cos((k * Math.PI) / 36), size * axes[1] * Math.sin((k * Math.PI) / 36)];
    return [x + u * Math.cos(angle) - v * Math.sin(angle), y + u * Math.sin(angle) + v * Math.cos(angle)];
  });
}

// the posterior after each draw, or the log likelihood around the chosen value
function paintSmall(pen, { topic, data, mean, variance, trials, p }, result) {
  pen.grid();
  if (topic === "boxes") {
    result.history.forEach((shares, at) => shares.forEach((share, k) => share !== null && pen.area([[at - 0.4 + 0.4 * k, 0], [at - 0.4 + 0.4 * k, share], [at + 0.4 * k - 0.02, share], [at + 0.4 * k - 0.02, 0]], { colour: k ? "--class-0" : "--class-1", opacity: 0.85 })));
  } else if (topic === "gaussian" && data.length) {
    pen.curve(Array.from({ length: 121 }, (_, k) => [-3 + k / 20, gaussian(-3 + k / 20, variance).logLikelihood(data)]), { colour: "--w" });
    pen.ring([mean, result.chosen.logLikelihood(data)], "support");
  } else if (topic === "bernoulli" && trials.length) {
    const at = (x) => ones(trials) * Math.log(x) + (trials.length - ones(trials)) * Math.log(1 - x);
    pen.curve(Array.from({ length: 99 }, (_, k) => [(k + 1) / 100, at((k + 1) / 100)]), { colour: "--w" });
    if (p > 0 && p < 1) pen.ring([p, at(p)], "support");
  }
}

function smallView({ topic, data, trials, drawn, variance }) {
  if (topic === "boxes") return [[-0.6, Math.max(3, drawn.length) + 0.6], [0, 1]];
  if (topic === "gaussian" && data.length) {
    const values = [-3, 3, data.reduce((sum, x) => sum + x, 0) / data.length].map((x) => gaussian(x, variance).logLikelihood(data));
    return [[-3, 3], [Math.min(...values) - 1, Math.max(...values) + 1]];
  }
  if (topic === "bernoulli" && trials.length) return [[0, 1], [-0.7 * trials.length - 4, 0]];
  return [[0, 1], [0, 1]];
}

// ---------------------------------------------------------------- words

const fraction = (value) => (String(value).length <= 22 ? String(value) : real(value.toNumber(), 5));

const SENTENCES = {
  boxes({ drawn }, { working }) {
    if (!drawn.length) return ["Nothing has been drawn: each box has its prior probability."];
    if (working.total.sign() === 0) return ["No box can contain these balls: their probability is 0. Take the last draw back."];
    const [first, second] = working.steps;
    return [`After ${counted(drawn.length, "draw")}: P(box 1 | drawn) = ${fraction(first.posterior)}, P(box 2 | drawn) = ${fraction(second.posterior)}.`, `The probability of exactly these draws is ${fraction(working.total)}: the sum of prior × likelihood over the boxes.`];
  },
  bernoulli({ trials, p }, { chosen, best }) {
    const at = trials.length ? chosen.logLikelihood(trials) : 0;
    return [`${counted(ones(trials), "one")} in ${counted(trials.length, "trial")}. With p = ${real(p, 3)} the log likelihood is ${real(at, 5)}.`, best ? `The most likely p is the share of ones, ${ones(trials)}/${trials.length} = ${real(best.p, 4)}. Mean p = ${real(chosen.mean, 3)}, variance p(1 − p) = ${real(chosen.variance, 4)}.` : "Add a trial."];
  },
  uniform({ data }, { chosen, best }) {
    const at = chosen.logLikelihood(data);
    return [Number.isFinite(at) ? `The log likelihood is ${real(at, 5)}: each observation has the density 1/(b − a) = ${real(1 / (chosen.b - chosen.a), 4)}.` : "An observation lies outside: the likelihood is 0.", best ? `The most likely ends are the smallest and the largest observation, ${real(best.a)} and ${real(best.b)} (dashed). Mean ${real(chosen.mean, 4)}, variance (b − a)²/12 = ${real(chosen.variance, 4)}.` : "Two different observations are needed for a fit."];
  },
  gaussian({ data, mean, variance }, { chosen, best }) {
    return [`With μ = ${real(mean, 3)} and σ² = ${real(variance, 3)} the log likelihood is ${real(chosen.logLikelihood(data), 6)}.`, best ? `The most likely values (dashed) are the sample mean ${real(best.mean, 5)} and σ² = ${real(best.variance, 5)} (divided by N), with log likelihood ${real(best.logLikelihood(data), 6)}.` : "Two different observations are needed for a fit."];
  },
  joint(_, { best }) {
    if (!best) return ["The points lie on one line (or are too few), so Σ is not positive definite."];
    const [[s11, s12], [, s22]] = best.covariance;
    return [`The most likely Gaussian has the mean (${best.mean.map((x) => real(x, 4)).join(", ")}), variances ${real(s11, 4)} and ${real(s22, 4)}, and covariance ${real(s12, 4)}.`, `The correlation is ${real(best.correlation, 4)}. The ellipses contain one and two standard deviations.`];
  },
};

function tables({ topic, drawn }, result) {
  if (topic === "boxes" && drawn.length) return [{ caption: "Bayes' rule", head: ["box", "prior", "likelihood", "product", "posterior"], rows: result.working.steps.map(({ box: name, prior, likelihood, product, posterior }) => [name, fraction(prior), fraction(likelihood), fraction(product), posterior ? fraction(posterior) : "–"]) }];
  if (topic === "joint" && result.best) return [{ caption: "Covariance matrix Σ", head: ["", "x₁", "x₂"], rows: result.best.covariance.map((row, at) => [`x${"₁₂"[at]}`, ...row.map((value) => real(value, 5))]) }];
  return [];
}

function python({ topic, counts, picks, drawn, replacement, data, trials, cloud }) {
  if (topic === "boxes") {
    const contents = Object.fromEntries(NAMES.map((name, at) => [name, Object.fromEntries(COLOURS.map((colour, k) => [colour, counts[3 * at + k]]))]));
    const balls = drawn.map((ball) => JSON.stringify(COLOURS[ball]));
    return script("from fractions import Fraction", "from rosenblatt.foundations import Boxes", "", `contents = ${literal(contents)}`, `prior = {"box 1": Fraction(${picks[0]}, ${picks[0] + picks[1]}), "box 2": Fraction(${picks[1]}, ${picks[0] + picks[1]})}`, "boxes = Boxes(contents, prior)", balls.length ? `print(boxes.working(${balls.join(", ")}, replacement=${replacement ? "True" : "False"}))` : "print(boxes.joint())");
  }
  const name = { bernoulli: "Bernoulli", uniform: "Uniform", gaussian: "Gaussian", joint: "JointGaussian" }[topic];
  return script(`from rosenblatt.foundations import ${name}`, "", assignment("data", { bernoulli: trials, joint: cloud }[topic] ?? data), `print(${name}.fit(data))`);
}

const is = (...topics) => ({ topic }) => topics.includes(topic);
const draw = (ball) => ({ drawn }) => ({ drawn: drawn.length < MOST_DRAWN ? [...drawn, ball] : drawn });
const between = (low, high) => (x) => Math.max(low, Math.min(high, rounded(x)));

// something must be in each box, and some box must be chosen
const kept = (name, at, value, state) => {
  const next = state[name].map((old, k) => (k === at ? Math.max(0, Math.min(99, Math.round(value))) : old));
  const isEmpty = name === "counts" ? [0, 3].some((from) => !next.slice(from, from + 3).some(Boolean)) : !next.some(Boolean);
  return isEmpty ? {} : { [name]: next };
};

function handles({ topic, data, mean, variance, p, low, high, cloud }) {
  const datum = (x, at) => ({ key: `x${at}`, at: [x, 0], label: `observation ${at + 1}`, along: "x", grip: true, move: ([next], state) => ({ data: state.data.map((old, k) => (k === at ? between(-5.5, 5.5)(next) : old)) }) });
  if (topic === "gaussian") return [...data.map(datum), { key: "mean", at: [mean, gaussian(mean, variance).density(mean)], label: "μ", text: "μ", along: "x", move: ([x]) => ({ mean: between(-3, 3)(x) }) }];
  if (topic === "uniform") return [...data.map(datum), { key: "low", at: [low, 0.32], label: "lower end a", text: "a", along: "x", move: ([x], state) => ({ low: Math.min(between(-6, 6)(x), state.high - 0.1) }) }, { key: "high", at: [high, 0.32], label: "upper end b", text: "b", along: "x", move: ([x], state) => ({ high: Math.max(between(-6, 6)(x), state.low + 0.1) }) }];
  if (topic === "bernoulli") return [{ key: "p", at: [p, 0], label: "p", text: "p", along: "x", move: ([x]) => ({ p: between(0, 1)(x) }) }];
  if (topic === "joint") return cloud.map((at, k) => ({ key: `c${k}`, at, label: `point ${k + 1}`, grip: true, move: (place, state) => ({ cloud: state.cloud.map((old, n) => (n === k ? place.map(rounded) : old)) }) }));
  return [];
}

const VIEWS = { boxes: [[-0.6, 9.8], [-1.8, 4.6]], bernoulli: [[-0.05, 1.05], [-0.12, 1.1]], uniform: [[-6, 6], [-0.05, 0.6]], gaussian: [[-6, 6], [-0.05, 0.6]], joint: [[-5, 5], [-3.6, 3.6]] };

export default {
  start,
  presets: { "boxes and balls": {}, "one blue ball": { drawn: [2] }, "without replacement": { drawn: [0, 0, 0], replacement: false }, "a coin": { topic: "bernoulli" }, "an interval": { topic: "uniform", data: [-2, -1, 1, 1, 3] }, "a Gaussian": { topic: "gaussian" }, "two numbers": { topic: "joint" } },
  compute,
  planes: [
    { key: "plane", label: "Boxes of balls, or a distribution and observations", equal: false, xLabel: "", yLabel: "", handles, view: ({ topic }) => VIEWS[topic], paint: (pen, state, result) => PAINTS[state.topic](pen, state, result) },
    { key: "small", title: "Posterior by draw, or log likelihood", label: "Posterior by draw, or the log likelihood", small: true, equal: false, xLabel: "", yLabel: "", view: smallView, paint: paintSmall },
  ],
  controls: [
    { name: "topic", type: "choice", label: "Topic", options: [["boxes", "boxes and balls"], ["bernoulli", "Bernoulli"], ["uniform", "uniform"], ["gaussian", "Gaussian"], ["joint", "joint Gaussian"]] },
    ...COLOURS.map((colour, at) => ({ group: "Draw", name: "drawn", type: "action", label: `Draw ${colour}`, when: is("boxes"), do: draw(at) })),
    { group: "Draw", name: "drawn", type: "action", label: "Take back", when: is("boxes"), do: ({ drawn }) => ({ drawn: drawn.slice(0, -1) }) },
    { group: "Draw", name: "replacement", type: "toggle", label: "balls are put back", when: is("boxes") },
    ...NAMES.flatMap((name, at) => [
      ...COLOURS.map((colour, k) => ({ group: `In ${name}`, name: `counts.${3 * at + k}`, type: "number", label: colour, min: 0, max: 99, step: 1, when: is("boxes"), set: (value, state) => kept("counts", 3 * at + k, value, state) })),
      { group: `In ${name}`, name: `picks.${at}`, type: "number", label: "chosen how often", min: 0, max: 99, step: 1, when: is("boxes"), set: (value, state) => kept("picks", at, value, state) },
    ]),
    { name: "p", type: "slider", label: "p", min: 0, max: 1, step: 0.01, when: is("bernoulli") },
    { name: "trials", type: "action", label: "Add a 1", when: is("bernoulli"), do: ({ trials }) => ({ trials: [...trials, 1].slice(-60) }) },
    { name: "trials", type: "action", label: "Add a 0", when: is("bernoulli"), do: ({ trials }) => ({ trials: [...trials, 0].slice(-60) }) },
    { name: "trials", type: "action", label: "Remove one", when: is("bernoulli"), do: ({ trials }) => ({ trials: trials.slice(0, -1) }) },
    { name: "mean", type: "slider", label: "μ", min: -3, max: 3, step: 0.05, when: is("gaussian"), shown: (x) => real(x, 3) },
    { name: "variance", type: "slider", label: "σ²", min: 0.2, max: 9, step: 0.1, when: is("gaussian"), shown: (x) => real(x, 3) },
    { name: "data", type: "action", label: "Add an observation", when: is("gaussian", "uniform"), do: ({ data }) => ({ data: [...data, 0].slice(-24) }) },
    { name: "data", type: "action", label: "Remove one", when: is("gaussian", "uniform"), do: ({ data }) => ({ data: data.slice(0, -1) }) },
    { name: "cloud", type: "action", label: "Add a point", when: is("joint"), do: ({ cloud }) => ({ cloud: [...cloud, [0, 0]].slice(-24) }) },
    { name: "cloud", type: "action", label: "Remove one", when: is("joint"), do: ({ cloud }) => ({ cloud: cloud.slice(0, -1) }) },
  ],
  sentences: (state, result) => SENTENCES[state.topic](state, result),
  tables, python,
};
