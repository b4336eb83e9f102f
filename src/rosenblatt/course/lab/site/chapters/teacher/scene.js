// Teacher against learner: present challenges, answer them, or watch the teacher that forces the most mistakes.

import { mostUpdates } from "../../engine/bound.js";
import { Learner } from "../../engine/learner.js";
import { Random } from "../../engine/random.js";
import { separate } from "../../engine/separation.js";
import { Adversary, play } from "../../engine/teachers.js";
import { counted, real, vector } from "../../viewer/numbers.js";
import { assignment, script } from "../../shell/python.js";
import { LABELS, classesOf, dot, halfOf, rounded, signOf, square } from "../common.js";

const ROUNDS = 20; // of the game in which you learn
const LONGEST = 500; // rounds of the teacher that forces mistakes

export const start = {
  side: "teach", points: [[0.9, 0.2], [-0.3, 0.8], [0.5, -0.7]], labels: [1, 1, -1],
  labelling: "separator", separator: [0.8, 0.6], margin: 0.2, offset: false, tie: "mistake",
  features: 3, seed: 1, answers: [], step: 0,
};

const unit = (v) => { const length = Math.hypot(...v) || 1; return v.map((x) => x / length); };

export function compute(state) {
  return { teach: youTeach, learn: youLearn, watch: youWatch }[state.side](state);
}

function youTeach({ points, labels, labelling, separator, margin, offset, tie }) {
  const star = unit(separator);
  const isOwn = labelling === "own";
  const rows = points.map((_, row) => row).filter((row) => isOwn || Math.abs(dot(star, points[row])) >= margin);
  const learner = new Learner(2, { offset, tie });
  const rounds = rows.map((row) => {
    const [x, y] = [points[row], isOwn ? labels[row] : dot(star, points[row]) > 0 ? 1 : -1];
    const answer = learner.answer(x);
    const { mistake } = learner.learn(x, y);
    return { row, x, y, answer, mistake, w: learner.w, b: learner.b };
  });
  const radius = Math.max(0, ...rounds.map(({ x }) => Math.hypot(...x, offset ? 1 : 0)));
  const both = rounds.some(({ y }) => y > 0) && rounds.some(({ y }) => y < 0);
  const verdict = isOwn && both ? separate(rounds.map(({ x }) => x), rounds.map(({ y }) => y), { offset }) : null;
  const bound = isOwn ? (verdict ? (verdict.separable ? Number(verdict.mostMistakes) : null) : 1) : mostUpdates({ radius, margin });
  return { star, rounds, w: learner.w, b: learner.b, mistakes: learner.mistakes, left: points.length - rows.length, bound, separable: verdict?.separable ?? null };
}

/** Return a hidden direction and the challenges of a game: points of the unit disc at least `margin` from its line. */
export function hiddenGame(seed, margin) {
  const random = new Random(seed);
  const angle = random.uniform(0, 2 * Math.PI);
  const star = [Math.cos(angle), Math.sin(angle)];
  const challenges = [];
  while (challenges.length < ROUNDS) {
    const x = [random.uniform(-1, 1), random.uniform(-1, 1)].map(rounded);
    if (Math.abs(dot(star, x)) >= margin && Math.hypot(...x) <= 1) challenges.push(x);
  }
  return { star, challenges };
}

function youLearn({ seed, margin, answers }) {
  const { star, challenges } = hiddenGame(seed, margin);
  const learner = new Learner(2, { offset: false });
  const rounds = answers.slice(0, ROUNDS).map((yours, at) => {
    const x = challenges[at];
    const y = dot(star, x) > 0 ? 1 : -1;
    const answer = learner.answer(x);
    const { mistake } = learner.learn(x, y);
    return { row: at, x, y, yours, answer, mistake, w: learner.w, b: 0 };
  });
  return { star, rounds, next: challenges[rounds.length] ?? null, w: learner.w, b: 0, bound: mostUpdates({ radius: 1, margin }), yours: rounds.filter(({ yours, y }) => yours !== y).length, mistakes: learner.mistakes, separable: true };
}

function youWatch({ margin, features }) {
  const game = play(new Learner(features, { offset: false }), new Adversary(margin, features), LONGEST);
  const rounds = game.map(({ x, y, w }) => ({ x, y, along: w[0], norm: Math.hypot(...w), across: features === 2 ? w[1] : Math.hypot(...w.slice(1)) }));
  return { rounds, bound: mostUpdates({ radius: 1, margin }), separable: true, mistakes: rounds.length };
}

function paint(pen, state, result) {
  if (state.side === "watch") { paintGame(pen, state, result); return; }
  const { star, rounds, w, b, next } = result;
  const isTeacher = state.side === "teach";
  const showsStar = isTeacher ? state.labelling === "separator" : !next;
  pen.halves(...w, b);
  pen.grid();
  if (showsStar) {
    pen.band(...star, 0, state.margin, { colour: "--proof" });
    pen.line(...star, 0, { colour: "--proof", dash: true });
  }
  pen.line(...w, b);
  pen.arrow([0, 0], w, { colour: "--w", width: 3, text: w.some(Boolean) ? "w" : "" });
  const presented = new Set(rounds.map(({ row }) => row));
  if (isTeacher) {
    const rest = state.points.flatMap((point, row) => (presented.has(row) ? [] : [row]));
    pen.points(rest.map((row) => state.points[row]), rest.map((row) => (state.labels[row] > 0 ? 1 : 0)), { faded: true });
  }
  pen.points(rounds.map(({ x }) => x), classesOf(rounds.map(({ y }) => y)), { size: 6 });
  rounds.forEach(({ x, mistake, yours, y }) => { if (isTeacher ? mistake : yours !== y) pen.ring(x, "wrong"); });
  if (next) { pen.ring(next, "now"); pen.text(next, "  ?", { bold: true }); }
}

// the vectors w that both claims allow after t mistakes, and the path of w
function paintGame(pen, { margin, step, features }, { rounds }) {
  const t = Math.min(step, rounds.length);
  pen.grid();
  const most = Math.sqrt(Math.max(t, 0.0001));
  const low = t * margin;
  const arc = Array.from({ length: 61 }, (_, k) => {
    const angle = Math.acos(Math.min(1, low / most)) * (features === 2 ? k / 30 - 1 : k / 60);
    return [most * Math.cos(angle), most * Math.sin(angle)];
  });
  if (t) pen.area(features === 2 ? arc : [[low, 0], ...arc], { colour: "--proof", opacity: 0.25 });
  const path = [[0, 0], ...rounds.slice(0, t).map(({ along, across }) => [along, across])];
  pen.curve(path, { colour: "--old", width: 1.2 });
  pen.arrow([0, 0], path.at(-1), { colour: "--w", width: 3, text: "w" });
}

function sentences(state, result) {
  const { rounds, bound, mistakes } = result;
  if (state.side === "watch") {
    const t = Math.min(state.step, rounds.length);
    const now = t ? `Round ${t}: w·w* = ${real(rounds[t - 1].along, 4)}, at least ${t}·ρ = ${real(t * state.margin, 4)}; ‖w‖ = ${real(rounds[t - 1].norm, 4)}, at most √${t} = ${real(Math.sqrt(t), 4)}.` : "Start: w = 0. Play the rounds.";
    const end = state.features === 2 ? `In a plane no teacher forces more than 1/(2ρ²) + 1 = ${real(bound / 2 + 1, 4)}.` : "Every challenge is a mistake, as long as both claims allow one.";
    return [now, `The teacher forces ${counted(rounds.length, "mistake")}; the bound is 1/ρ² = ${real(bound, 4)}. ${end}`];
  }
  if (state.side === "learn") {
    const last = rounds.at(-1);
    const said = last ? `Challenge ${rounds.length}: you answered ${signOf(last.yours)}, the label is ${signOf(last.y)}. ` : "";
    const ask = result.next ? `Challenge ${rounds.length + 1} of ${ROUNDS} is at ${vector(result.next)}: + or −?` : "The game is over; the hidden w* is shown.";
    return [said + ask, `Your mistakes: ${result.yours}. The perceptron's: ${mistakes}. Its bound: ${real(bound, 4)}.`];
  }
  if (!rounds.length) return ["Click to present a challenge to the perceptron."];
  const last = rounds.at(-1);
  const limit = bound === null ? "No line separates your labels, so there is no bound." : `Such challenges allow at most ${real(bound, 4)} mistakes.`;
  const left = result.left ? ` ${counted(result.left, "point")} within the margin of w* cannot be presented.` : "";
  return [`Round ${rounds.length}: challenge ${vector(last.x)}, answer ${signOf(last.answer)}, label ${signOf(last.y)}: ${last.mistake ? `a mistake. w becomes ${vector(last.w)}` : "right"}.`, `So far ${counted(mistakes, "mistake")}. ${limit}${left}`];
}

function tables({ side }, { rounds }) {
  if (side === "watch" || !rounds.length) return [];
  const head = side === "teach" ? ["round", "challenge", "answer", "label", "", "w"] : ["round", "challenge", "you", "perceptron", "label"];
  const row = ({ x, y, answer, yours, mistake, w }, at) => (side === "teach" ? [at + 1, vector(x), signOf(answer), signOf(y), mistake ? "mistake" : "", vector(w)] : [at + 1, vector(x), signOf(yours), signOf(answer), signOf(y)]);
  return [{ caption: "Rounds", head, rows: rounds.map(row) }];
}

function python({ side, margin, features, offset, tie, points, labels, labelling, separator, seed, answers }) {
  if (side === "watch") {
    return script("from rosenblatt import Learner, teachers", "", `learner = Learner(offset=False, n_features=${features})`, `teacher = teachers.Adversarial(${margin}, ${features})`, `game = teachers.play(learner, teacher, rounds=${LONGEST})`, "print(learner.mistakes, learner.weights)");
  }
  if (side === "learn") {
    const { star, challenges } = hiddenGame(seed, margin);
    return script("import numpy as np", "from rosenblatt import Learner", "", assignment("hidden", star), assignment("challenges", challenges.slice(0, answers.length)), "learner = Learner(offset=False, n_features=2)", "for x in challenges:", "    learner.answer(x)", "    learner.reveal(1 if np.dot(hidden, x) > 0 else -1)", "print(learner.mistakes)");
  }
  return script("import numpy as np", "from rosenblatt import Learner", "", assignment("challenges", points), labelling === "own" ? assignment("labels", labels) : `hidden = np.array(${JSON.stringify(separator)}) / np.linalg.norm(${JSON.stringify(separator)})`,
    labelling === "own" ? null : `challenges = [x for x in challenges if abs(np.dot(hidden, x)) >= ${margin}]`, labelling === "own" ? null : "labels = [1 if np.dot(hidden, x) > 0 else -1 for x in challenges]",
    `learner = Learner(offset=${offset ? "True" : "False"}, tie="${tie}", n_features=2)`, "for x, label in zip(challenges, labels):", "    learner.answer(x)  # before the label is revealed", "    learner.reveal(label)", "print(learner.mistakes, learner.weights)");
}

const is = (...sides) => ({ side }) => sides.includes(side);
const give = (answer) => (state) => ({ answers: state.answers.length < ROUNDS ? [...state.answers, answer] : state.answers });

export default {
  start,
  presets: { "you are the teacher": {}, "you contradict yourself": { labelling: "own", points: [[1, 0], [0, 1], [1, 0], [0, 1]], labels: [1, -1, -1, 1] }, "you are the learner": { side: "learn" }, "the hardest teacher, 3 features": { side: "watch", margin: 0.1 }, "the hardest teacher in a plane": { side: "watch", margin: 0.1, features: 2 } },
  points: { classes: LABELS, most: 200 },
  compute,
  steps: ({ side }, { rounds }) => (side === "watch" ? rounds.length : 0),
  planes: [{
    key: "plane", label: "The game of teacher and learner", points: true, paint,
    view: ({ side, points, margin }) => (side === "watch" ? [[-0.2 / margin, 1.15 / margin], [-0.65 / margin, 0.65 / margin]] : square(halfOf(side === "teach" ? points : [], [], 1.4))),
    handles: ({ side, labelling, separator }) => (side === "teach" && labelling === "separator" ? [{ key: "separator", at: separator, text: "w*", label: "w*", move: (place) => (Math.hypot(...place) < 0.05 ? {} : { separator: place.map(rounded) }) }] : []),
  }],
  controls: [
    { name: "side", type: "choice", label: "You", options: [["teach", "are the teacher"], ["learn", "are the learner"], ["watch", "watch the hardest teacher"]] },
    { name: "plus", type: "action", label: "Answer +", when: is("learn"), do: give(1) },
    { name: "minus", type: "action", label: "Answer −", when: is("learn"), do: give(-1) },
    { name: "again", type: "action", label: "New game", when: is("learn"), do: ({ seed }) => ({ seed: seed + 1, answers: [] }) },
    { name: "labelling", type: "choice", label: "Labels", options: [["separator", "by w*"], ["own", "by me"]], when: is("teach") },
    { name: "margin", type: "slider", label: "Margin ρ", min: 0.05, max: 0.7, step: 0.05, set: (margin) => ({ margin, answers: [], step: 0 }), shown: (x) => real(x, 2) },
    { name: "features", type: "slider", label: "Features", min: 2, max: 10, when: is("watch") },
    { name: "offset", type: "toggle", label: "with an offset b", when: is("teach") },
    { name: "tie", type: "choice", label: "A score of 0 is", options: [["mistake", "a mistake"], ["negative", "predicted as −"], ["positive", "predicted as +"]], when: is("teach") },
  ],
  sentences, tables, python,
};
