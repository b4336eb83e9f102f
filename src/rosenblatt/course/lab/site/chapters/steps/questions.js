// Questions on the perceptron step by step.

import { real, vector } from "../../viewer/numbers.js";
import { askSign, dot, inFormula, signOf, yesOrNo } from "../common.js";
import { around, start } from "./scene.js";
import { PRESETS } from "./presets.js";

const NOTES = { points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], offset: false, tie: "negative", passes: 2 };
const CYCLE = { points: [[0, 1], [0, -1], [-1, 0.5]], labels: [1, 1, -1], offset: false, tie: "positive" };

export const opening = {
  kind: "choice",
  text: "The perceptron has just made a mistake on a point and updated its weights. Is this point now classified correctly?",
  options: [
    { text: "Yes: that is what the update is for.", hint: "The update increases the functional margin of the point by ‖x‖². If it was far below 0, that may not be enough. Try the example *order: stays wrong*." },
    { text: "Not necessarily.", right: true },
    { text: "No: it needs two updates.", hint: "Look at the first step of the picture: before it the score is 0, after it the functional margin is 6." },
  ],
  explain: "The functional margin of the point grows by ‖x‖² (+ 1 with an offset). It may still be negative. Load the example *order: stays wrong* to see it.",
};

export const exercises = [
  {
    title: "The first update", note: "001", kind: "vector", start: NOTES, answer: [2, 1],
    text: "Note 001 starts with $w = (0, 0)$, without an offset, and predicts $-1$ for a score of 0. The first point is $(2, 1)$ with label $+1$. What is $w$ after it?",
    hints: [[([x, y]) => x.sign() === 0 && y.sign() === 0, "The score is 0, so the prediction is −1, but the label is +1: this is a mistake."]],
    hint: "Add y·x to w.",
    explain: "The prediction is sign(0) = −1, a mistake, so $w = (0, 0) + 1 \\cdot (2, 1)$.",
  },
  {
    title: "The second update", note: "001", kind: "vector", start: NOTES, answer: [2, -1],
    text: "Continue: $w = (2, 1)$, and the second point is $(0, 2)$ with label $-1$. What is $w$ after it?",
    hints: [
      [([x, y]) => x.equals(2) && y.equals(3), "You added x. The label is −1, so x is subtracted."],
      [([x, y]) => x.equals(2) && y.equals(1), "The score is 2·0 + 1·2 = 2, so the prediction is +1, but the label is −1."],
    ],
    explain: "The score is 2, so the prediction $+1$ is a mistake, and $w = (2, 1) - (0, 2)$.",
  },
  {
    title: "The third point", note: "001", kind: "choice", start: NOTES,
    text: "With $w = (2, -1)$, what happens on the third point $(-0.5, -2)$ with label $+1$?",
    options: [
      { text: "It is a mistake, and w becomes (1.5, −3).", hint: "Compute 2·(−0.5) + (−1)·(−2) and look at its sign." },
      { text: "It is correct, and nothing changes.", right: true },
      { text: "The score is 0, so it is a mistake.", hint: "2·(−0.5) = −1, and (−1)·(−2) = +2: their sum is not 0." },
    ],
    explain: "The score is $-1 + 2 = 1$, so the prediction is $+1$. All three points are now correct, and the run has converged.",
  },
  {
    title: "Guess the boundary", note: "001", kind: "equation", start: NOTES, answer: { w: [2, -1], b: 0 },
    text: "Which line does this run find? Write its equation.",
    explain: "The final $w$ is $(2, -1)$, and there is no offset.", points: [[0, 0], [1, 2]],
  },
  {
    title: "Why add y·x?", note: "001", kind: "choice",
    text: "After a mistake, $y\\,x$ is added to $w$. Why is it multiplied by $y$?",
    options: [
      { text: "So that the length of w stays the same.", hint: "The length of w changes at nearly every update." },
      { text: "x gives the direction, and y tells whether to move towards x or away from it.", right: true },
      { text: "So that w points to the nearest point of the class +.", hint: "No point is compared with another one." },
    ],
    explain: "With label $+$, $w$ moves towards $x$; with label $-$, away from it. In both cases the functional margin of $x$ grows.",
  },
  {
    title: "How much does the functional margin grow?", note: "001", kind: "number", answer: 25,
    text: "A point $x = (3, 4)$ is a mistake, and the perceptron has no offset. By how much does the functional margin $y\\,(w \\cdot x)$ of this point grow?",
    hints: [[(value) => value.equals(5), "This is the length of x. The functional margin grows by w·x, with x added to w: by x·x."], [(value) => value.equals(26), "That would be right with an offset."]],
    explain: "By $x \\cdot x = 9 + 16$.",
  },
  {
    title: "Is this dataset separable?", note: "003", kind: "choice", start: CYCLE,
    text: "Note 003 asks about the points $(0, 1)$ +, $(0, -1)$ +, $(-1, ½)$ −: is there a $w$ with $w \\cdot x \\ge 0$ exactly for the points of class +?",
    options: [
      { text: "No, because the run cycles.", hint: "The perceptron here needs a strict inequality on one side. Try to find a w with w·x = 0 for both points of class +." },
      { text: "Yes: for example w = (1, 0).", right: true },
      { text: "Yes: for example w = (0, 1).", hint: "Then (0, −1) has the score −1, but its label is +." },
    ],
    explain: "$w = (1, 0)$ gives the scores 0, 0 and $-1$, and 0 counts as +. But no $w$ has a positive margin, so the theorem does not apply.",
  },
  {
    title: "Will it ever stop?", note: "003", kind: "choice", start: CYCLE,
    text: "The perceptron visits these three points again and again, without an offset, and predicts + for a score of 0. What happens?",
    options: [
      { text: "It stops after three mistakes.", hint: "Play the run: is there a pass without a mistake?" },
      { text: "It never stops: the same weights return.", right: true },
      { text: "It never stops: w grows without limit.", hint: "Watch w during a few passes. Which values does it take?" },
    ],
    explain: "After three more updates the same $w$ returns. (The first update in note 003 drops the sign of $y$; the run still cycles.)",
  },
  {
    title: "The update of note 004", note: "004", kind: "vector", answer: [-1, -2, -1],
    text: "Note 004 writes the points $(1, 2)$ + and $(2, 1)$ − as $(1, 1, 2)$ and $(1, 2, 1)$. From $w = 0$ with $\\operatorname{sign}(0) = +1$, the second point is the only mistake. What is $w$ after its update?",
    hints: [[([a]) => a.equals(1), "The label of the point is −1, so it is subtracted."]],
    explain: "$w = 0 - (1, 2, 1)$. The first number is the offset.",
  },
  {
    title: "And after the next update?", note: "004", kind: "vector", answer: [0, -1, 1],
    text: "With $w = (-1, -2, -1)$ the point $(1, 1, 2)$ + is misclassified. What is $w$ after its update, and does it classify both points correctly?",
    explain: "$w = (0, -1, 1)$: the scores are $+1$ and $-1$, so both points are correct.",
  },
  {
    title: "Once misclassified, always correct?", note: "001", kind: "scene", start: { ...start, points: [[2, 2], [-1, -1]], labels: [1, -1] },
    text: "Can a point that was misclassified be misclassified again later? Build an example: place points so that the run **separates** them, but makes at least **three mistakes on the same point**.",
    check(state, { run }) {
      if (!run?.separated) return "The run must end with all points correct.";
      const mistakes = new Map();
      run.steps.forEach((step) => step.mistake && mistakes.set(step.row, (mistakes.get(step.row) ?? 0) + 1));
      const most = Math.max(0, ...mistakes.values());
      return most >= 3 || `The largest number of mistakes on one point is ${most}. Put a short vector of one class near a long vector of the other class.`;
    },
    example: PRESETS["order: stays wrong"],
    explain: "Every update helps its own point by only ‖x‖², and updates on other points can undo it.",
  },
  {
    title: "Does it always find the same line?", note: "001", kind: "choice", start: PRESETS["order: in order"],
    text: "The perceptron converges on these points. Does it find the same line if the points are visited in another order?",
    options: [
      { text: "Yes, there is only one line.", hint: "Change *Order* to “my own” and try 3 2 1." },
      { text: "Not necessarily: the order and the start decide.", right: true },
      { text: "Yes, because the margin is the same.", hint: "The margin bounds the number of mistakes. It does not choose the line." },
    ],
    explain: "Any separating line may be found. Compare the examples *order: in order*, *in reverse* and *from the unit vector*.",
  },
];

/** Ask what the next step will do. */
export function predict(state, result) {
  const { run } = result;
  const next = run?.steps[state.step];
  if (!next) return null;
  const { now } = around(state, result);
  if (state.step === 0) return willItStop(run);
  if (next.updated && state.step % 2 && Math.hypot(...next.w) < 6) return whereWillItPoint(now, next);
  return askSign(`The next point is point ${next.row + 1} at $${inFormula(next.x)}$, and $w = ${inFormula(now.w)}$${state.offset ? `, $b = ${real(now.b).replaceAll("−", "-")}$` : ""}. What is the sign of its score?`, next);
}

function willItStop(run) {
  const explain = run.separated ? `It does, after ${run.steps.length} steps.` : run.cycle ? "It does not: its state will recur." : "Not within the recorded steps.";
  return yesOrNo("Before you start: will this run ever stop by itself?", run.separated, { yes: "Watch for a pass without mistakes.", no: "Look again at the two classes: is there a line between them?" }, explain);
}

function whereWillItPoint(now, next) {
  return {
    kind: "place", answer: next.w, within: 0.4,
    text: `Point ${next.row + 1} at $${inFormula(next.x)}$ with label ${signOf(next.y)} is a mistake. Where will the tip of $w$ be after the update? Click there.`,
    hints: [
      [([x, y]) => Math.hypot(x - (now.w[0] - next.y * next.x[0]), y - (now.w[1] - next.y * next.x[1])) < 0.5, "That is the opposite direction: the label is the other one."],
      [([x, y]) => Math.hypot(x - next.x[0], y - next.x[1]) < 0.5, "That is the point itself; it is added to w."],
      [([x, y]) => dot([x, y], next.w) > 0, "The direction is about right. Put the arrow y·x at the tip of w."],
    ],
    hint: "Put the arrow y·x at the tip of w.",
    solution: vector(next.w),
  };
}
