// Questions on the game of teacher and learner.

import { yesOrNo } from "../common.js";
import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "A teacher knows the perceptron's $w$ and chooses every challenge, with ‖x‖ ≤ 1, to make it wrong, but keeps the promised margin ρ = 0.1. How long can this go on?",
  options: [
    { text: "For ever: the teacher knows w.", hint: "Every mistake reveals something about w*. Watch the hardest teacher." },
    { text: "For at most 100 mistakes.", right: true },
    { text: "For at most 10 mistakes.", hint: "The bound is 1/ρ², not 1/ρ." },
  ],
  explain: "The bound $1/\\rho^2 = 100$ holds for every teacher, and with three features the hardest one reaches it.",
};

export const exercises = [
  { title: "The learner's answer", note: "000", kind: "choice", text: "The learner's state is $w = (1, -1)$. The teacher presents $x = (2, 3)$. What does the learner answer?", options: [{ text: "+", hint: "1·2 + (−1)·3 = −1." }, { text: "−", right: true }], explain: "$w \\cdot x = -1$." },
  { title: "The update", note: "000", kind: "vector", answer: [3, 2], text: "The label of $x = (2, 3)$ is +, so this was a mistake. What is $w$ now?", hints: [[([x, y]) => x.equals(-1) && y.equals(-4), "A positive example is added."]], explain: "Case 2: $w_{new} = w_{old} + x$." },
  { title: "How does w·w* move?", note: "000", kind: "number", answer: "0.2", text: "All points and $w^*$ have length 1, and $\\rho = 0.2$. By how much does $w \\cdot w^*$ grow at least at each mistake?", hints: [[(value) => value.equals("0.04"), "Not squared: y·x·w* ≥ ρ."], [(value) => value.equals(25), "That is the bound."]], explain: "Claim 1." },
  {
    title: "Force mistakes", note: "000", kind: "scene", start: { ...start, points: [], labels: [], margin: 0.2 },
    text: "You are the teacher, with labels by $w^*$ and $\\rho = 0.2$. Present challenges until the perceptron has made at least **five mistakes**.",
    check: ({ side, labelling, margin }, { mistakes }) => {
      if (side !== "teach" || labelling !== "separator" || margin !== 0.2) return "Stay the teacher, with labels by w* and ρ = 0.2.";
      return mistakes >= 5 || `${mistakes} mistakes so far. Present points near the band, on alternating sides.`;
    },
    example: { separator: [1, 0], points: [[0.2, 1], [0.2, -0.1], [0.2, -0.1], [0.2, -0.2], [0.2, -0.3]], labels: [1, 1, 1, 1, 1] },
    explain: "w swings from one side of w* to the other.",
  },
  {
    title: "Contradict yourself", note: "000", kind: "scene", start: { ...start, labelling: "own" },
    text: "Label the challenges yourself, so that **no bound** holds any more.",
    check: ({ side, labelling }, { separable }) => {
      if (side !== "teach" || labelling !== "own") return "Be the teacher and choose “Labels: by me”.";
      return separable === false || "A line through the origin still separates your labels.";
    },
    example: { points: [[1, 0], [1, 0]], labels: [1, -1] },
    explain: "Without a $w^*$ that fits all labels, the learner can be wrong for ever.",
  },
  { title: "A plane is easier", note: "000", kind: "choice", start: { ...start, side: "watch", margin: 0.1, features: 2 }, text: "In a plane the hardest teacher forces about half as many mistakes as $1/\\rho^2$. Why?", options: [{ text: "There are fewer points.", hint: "There are infinitely many in both cases." }, { text: "A challenge with the smallest margin cannot lie exactly on the line of w as well.", right: true }, { text: "The perceptron learns faster with fewer features.", hint: "The bound does not contain the number of features." }], explain: "In a plane, two conditions leave only two places; in space there is a direction left." },
];

/** Ask whether the teacher will find one more mistake. */
export function predict({ side, step, margin }, { rounds }) {
  if (side !== "watch" || step >= rounds.length || step % 10) return null;
  return yesOrNo(`After ${step} mistakes, with ρ = ${margin}: is another mistake possible?`, true, { no: "t·ρ ≤ √t still allows one." }, "Both claims still leave room: the shaded region is not empty.");
}
