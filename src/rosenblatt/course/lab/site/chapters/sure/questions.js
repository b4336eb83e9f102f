// Questions on uncertain weights.

import { real } from "../../viewer/numbers.js";
import { yesOrNo } from "../common.js";

export const opening = {
  kind: "choice",
  text: "A feature has occurred in a thousand examples, another one in two. The next mistake contains both. Which weight should move more?",
  options: [
    { text: "Both by the same amount, as in the perceptron.", hint: "The perceptron does so. But which of the two weights is better known?" },
    { text: "The weight of the rare feature.", right: true },
    { text: "The weight of the frequent feature.", hint: "It has been confirmed by a thousand examples." },
  ],
  explain: "A second-order rule stores how certain each weight is: **uncertain weights move more**.",
};

export const exercises = [
  {
    title: "The variance of a score", note: "004", kind: "number", answer: 5,
    text: "At the start $\\Sigma$ is the identity. What is the variance $v = x^\\top \\Sigma x$ of the score of $x = (1, 2)$?",
    hints: [[(value) => value.equals(3), "Each coordinate is squared."]], explain: "$1 + 4$.",
  },
  {
    title: "After the update", note: "004", kind: "number", answer: "5/6",
    text: "AROW with $r = 1$ updates on this point. To which value does the variance $v = 5$ of its score fall?",
    hint: "It falls to v·r / (v + r).", explain: "$5 \\cdot 1 / (5 + 1)$.",
  },
  {
    title: "Which step?", note: "004", kind: "vector", answer: ["1/6", "1/3"],
    text: "From $w = 0$, $\\Sigma = I$, $r = 1$, AROW updates on $x = (1, 2)$ with label +. What is $w$ afterwards?",
    hints: [[([x, y]) => x.equals(1) && y.equals(2), "That is the perceptron's step. AROW multiplies it by (1 − m)·β with β = 1/(v + r)."]],
    explain: "$(1 - 0) \\cdot \\frac{1}{6} \\cdot (1, 2)$.",
  },
  {
    title: "Does it shrink without an update?", note: "004", kind: "choice",
    text: "A point has functional margin 3. Does the ellipse shrink?",
    options: [
      { text: "No: above 1 nothing changes.", right: true },
      { text: "Yes, at every point.", hint: "AROW acts only if the functional margin is at most 1." },
      { text: "Yes, but only in the direction of x.", hint: "That is so when it updates." },
    ],
    explain: "AROW updates if $m \\le 1$. The area of the ellipse shrinks at every update and never grows.",
  },
  {
    title: "Positive definite", note: "004", kind: "choice",
    text: "Note 004 says that $\\Sigma$ is positive definite. Can an update of AROW make the variance of some score 0?",
    options: [
      { text: "Yes, after enough updates.", hint: "v·r/(v + r) is positive if v and r are." },
      { text: "No: every variance stays positive.", right: true },
    ],
    explain: "$v\\,r/(v + r) > 0$, so the ellipse never becomes flat.",
  },
];

/** Ask whether AROW will act at the next step. */
export function predict(state, { sure }) {
  const next = sure?.steps[state.step];
  if (!next) return null;
  const text = `Point ${next.row + 1} has the functional margin ${real(next.margin, 4)}. Does AROW update?`;
  const hints = { yes: "The functional margin is above 1.", no: "The functional margin is at most 1, even if the prediction is correct." };
  return yesOrNo(text, next.updated, hints, next.updated ? "It is at most 1: w moves and the ellipse shrinks." : "It is above 1: nothing changes.");
}
