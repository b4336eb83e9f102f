// Questions on averaging and voting.

import { averaged } from "../../engine/averaging.js";
import { vector } from "../../viewer/numbers.js";
import { inFormula } from "../common.js";
import { start } from "./scene.js";

const NOTE = { points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], tie: "negative", passes: 2 };

export const opening = {
  kind: "choice",
  text: "A weight vector classifies 1,000 points correctly. Then one mislabelled point comes last. Which weights suffer most?",
  options: [
    { text: "The last w: it is changed by this one mistake.", right: true },
    { text: "The averaged w: the mistake enters the mean.", hint: "It enters with one part in 1,001." },
    { text: "The voted weights: a new vector joins the vote.", hint: "The new vector has one vote, the old one 1,000." },
  ],
  explain: "The perceptron weighs late examples more. Averaging and voting count each vector by the number of steps that it survived.",
};

export const exercises = [
  { title: "The running sum", note: "001", kind: "vector", answer: [4, 0], start: { ...start, ...NOTE, step: 1 }, text: "In the run of note 001, $\\theta$ is $(2, 1)$ after step 1 and $(2, -1)$ after step 2. What is $\\theta_{sum}$ after step 2?", hints: [[([x, y]) => x.equals(2) && y.equals(-1), "Add θ of step 2 to the sum of step 1."]], explain: "$(2, 1) + (2, -1)$." },
  { title: "A step without a mistake", note: "001", kind: "vector", answer: [6, -1], start: { ...start, ...NOTE, step: 2 }, text: "Step 3 is correct, so $\\theta$ stays $(2, -1)$. What is $\\theta_{sum}$ after step 3?", hints: [[([x, y]) => x.equals(4) && y.sign() === 0, "θ is added at every step, also without a mistake: the line is not inside the if."]], explain: "$(4, 0) + (2, -1)$." },
  { title: "The mean of two passes", note: "001", kind: "vector", answer: ["2", "-2/3"], start: { ...start, ...NOTE, step: 6 }, text: "In the second pass all three points are correct. What does the averaged perceptron return after $T = 2$ passes over $n = 3$ points?", hints: [[([x, y]) => x.equals(12) && y.equals(-4), "Divide by nT."]], explain: "$\\theta_{sum} = (6, -1) + 3 \\cdot (2, -1) = (12, -4)$, divided by 6." },
  { title: "Votes", note: "004", kind: "number", answer: 5, start: { ...start, ...NOTE, step: 6 }, text: "How many votes does $\\theta = (2, -1)$ have in the voted perceptron after these six steps?", hints: [[(value) => value.equals(1), "Count the steps after which this vector was in use."]], explain: "It is in use after the steps 2 to 6." },
  { title: "Who wins?", note: "004", kind: "choice", text: "Three vectors have 5, 3 and 3 votes. At a point the first has score $+0.1$, the others $-10$ and $-10$. What does the voted perceptron predict?", options: [{ text: "+, because the first has most votes.", hint: "Add the votes for each sign." }, { text: "−, by 6 votes to 5.", right: true }, { text: "−, because the scores are larger.", hint: "The size of a score does not count in a vote." }], explain: "Only the signs vote. The averaged perceptron would add the scores." },
  {
    title: "Mean and last differ", note: "001", kind: "scene", start: { ...start, ...NOTE, passes: 1, step: 3 },
    text: "Place points so that after the last step the **last w** misclassifies more points than the **mean**. Show the last step.",
    check: (state, { run }) => {
      if (!run || state.step < run.steps.length) return "Show the last step.";
      const { w, b } = run;
      const mean = averaged(run);
      const wrong = (score) => state.points.filter((point, row) => state.labels[row] * score(point) <= 0).length;
      const [last, average] = [wrong(([x, y]) => w[0] * x + w[1] * y + b), wrong(mean.score)];
      return last > average || `The last w misclassifies ${last}, the mean ${average}. Let the last point have the wrong label.`;
    },
    example: { points: [[1, 2], [2, 1], [2, 2], [-1, -2], [-2, -1], [-1, -1], [2.5, 3.5]], labels: [1, 1, 1, -1, -1, -1, -1], passes: 1, step: 7 },
  },
];

/** Ask for the running sum after the next step. */
export function predict(state, { run }) {
  const next = run?.steps[state.step];
  if (!next || state.step === 0) return null;
  const [before, after] = [averaged(run, state.step).sum, averaged(run, state.step + 1).sum];
  return {
    kind: "vector", answer: after.w, text: `The running sum is $${inFormula(before.w)}$, and after the next step $w = ${inFormula(next.w)}$ (${next.mistake ? "a mistake" : "no mistake"}). What is the running sum then?`,
    hint: "Add w to the sum, also without a mistake.", explain: `It is ${vector(after.w)}.`,
  };
}
