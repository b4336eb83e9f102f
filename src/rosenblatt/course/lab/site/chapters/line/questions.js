// Questions on lines and their sides.

import { Value } from "../../shell/value.js";
import { compareLines } from "../../shell/exact.js";
import { start } from "./scene.js";

const blank = (w, b, points) => ({ w, b, points, labels: points.map(() => 0), numbers: false });
const NOTE = blank([-3, 2], 2, [[2, 1], [1, 1], [-1, 1], [1, -1]]);

// one of the four points of note 001
const side = (point, score, name) => ({
  title: `On which side is ${name}?`, note: "001", kind: "number", start: NOTE, answer: score, label: "w·x + b",
  text: `With $w = (-3, 2)$ and $b = 2$, compute the score of $${name.replaceAll("−", "-")}$.`,
  hints: [
    [(value) => value.equals(Value.of(score).minus(2)), "You left out b."],
    [(value) => value.equals(3 * point[0] + 2 * point[1] - 2), "That is the score for w = (3, 2), b = −2, to which the arrows in note 001 belong."],
    [(value) => value.equals(3 * point[0] + 2 * point[1] + 2), "The first weight is −3."],
  ],
  hint: "Multiply, add, and add b: −3·x₁ + 2·x₂ + 2.",
  explain: `The score is ${String(score).replace("-", "−")}, so the prediction is ${score > 0 ? "+1" : "−1"}.`,
});

export const opening = {
  kind: "choice", start,
  text: "The weights $w$ and the offset $b$ are both multiplied by 2. What happens to the line and to the predictions?",
  options: [
    { text: "The line moves twice as far from the origin.", hint: "Press *Multiply w and b by 2* and watch the line." },
    { text: "Nothing: the line and all predictions stay.", right: true },
    { text: "The line stays, but w now points to the other side.", hint: "That would happen with a negative factor." },
  ],
  explain: "2(w·x + b) has the same sign as w·x + b. Only the scores double.",
};

export const exercises = [
  {
    title: "What is the equation of this line?", note: "001", kind: "equation", answer: { w: [2, 3], b: -6 }, points: [[3, 0], [0, 2]],
    start: blank([2, 3], -6, [[3, 0], [0, 2]]),
    text: "A line goes through $(3, 0)$ and $(0, 2)$. Write its equation.",
    hints: [[({ w }) => w[0].equals(3) && w[1].equals(2), "The factors are swapped: put in (3, 0) and look whether the sum is 0."]],
    explain: "$2 \\cdot 3 + 3 \\cdot 0 - 6 = 0$ and $2 \\cdot 0 + 3 \\cdot 2 - 6 = 0$. Solved for $x_2$ it is $x_2 = -\\frac{2}{3} x_1 + 2$.",
  },
  {
    title: "What is the dot product?", note: "001", kind: "number", answer: 7,
    text: "Compute $(2, 3) \\cdot (-1, 3)$.", hints: [[(value) => value.equals(11), "2·(−1) is −2."], [(value) => value.equals(-18), "Add the two products."]],
    explain: "$2 \\cdot (-1) + 3 \\cdot 3 = 7$.",
  },
  {
    title: "Draw the line and w", note: "001", kind: "scene", start: { ...blank([1, 1], 0, [[3, 0], [0, 2]]) },
    text: "Drag $w$ and the line until it is the line through $(3, 0)$ and $(0, 2)$, with $w$ pointing away from the origin.",
    check({ w, b }) {
      const relation = compareLines({ w, b }, { w: [2, 3], b: -6 });
      if (relation === "same") return true;
      if (relation === "none") return "w is 0, so there is no line.";
      if (relation === "turned") return "This is the line, but w points towards the origin.";
      if (relation === "parallel") return "The direction is right. Now move the line with the handle b, or type b.";
      const off = [[3, 0], [0, 2]].filter((point) => Value.of(w[0]).times(point[0]).plus(Value.of(w[1]).times(point[1])).plus(b).sign() !== 0);
      return off.length === 2 ? "The line goes through neither of the two points." : `The line does not go through (${off[0].join(", ")}).`;
    },
    example: { w: [4, 6], b: -12 },
    explain: "Every $w = c\\,(2, 3)$, $b = -6c$ with $c > 0$ is right: only the direction and the ratio $b/\\lVert w \\rVert$ matter.",
  },
  side([2, 1], -2, "(2, 1)"), side([1, 1], 1, "(1, 1)"), side([-1, 1], 7, "(−1, 1)"), side([1, -1], -3, "(1, −1)"),
  {
    title: "Which line belongs to the arrows?", note: "001", kind: "choice", start: { ...NOTE, numbers: true },
    text: "Beside these four points note 001 draws the answers $+$, $?$, $-$, $-$. For which of these lines can they be right? (Several lines agree with them; the notes do not say which was meant.)",
    options: [
      { text: "w = (−3, 2), b = 2, as written there", hint: "Its scores are −2, 1, 7, −3: the first sign differs." },
      { text: "w = (3, 2), b = −2", right: true },
      { text: "No line can give these answers.", hint: "Drag the line until (2, 1) is on the side of w, and (−1, 1) and (1, −1) are not." },
    ],
    explain: "Its scores are $6, 3, -3, -1$. It is one of several possibilities. The equation $x_2 = 3x_1 - 2$ in the note should be $x_2 = 1.5 x_1 - 1$.",
  },
  {
    title: "Solve for x₂", note: "001", kind: "equation", answer: { w: [-3, 2], b: 2 }, points: [[0, -1], [2, 2]],
    text: "Write $-3x_1 + 2x_2 + 2 = 0$ in the form $x_2 = \\ldots$",
    placeholder: "x2 = …",
    hints: [[({ w, b }) => w[0].equals(-3) && w[1].equals(1) && b.equals(2), "This is the equation in note 001. Divide everything by 2."]],
    hint: "Bring −3x₁ + 2 to the other side, then divide by 2.",
    explain: "$x_2 = 1.5 x_1 - 1$.",
  },
  {
    title: "How far from the origin?", note: "002", kind: "number", answer: "2", start: blank([3, 4], -10, []),
    text: "How far from the origin is the line $3x_1 + 4x_2 - 10 = 0$?",
    hints: [[(value) => value.equals(10), "Divide by the length of w."], [(value) => value.equals("10/7"), "The length of (3, 4) is not 3 + 4."]],
    explain: "$|b| / \\lVert w \\rVert = 10 / 5$.",
  },
  {
    title: "A line through the origin", note: "001", kind: "scene", start: blank([1, 1], 1, [[0, 0], [2, -1]]),
    text: "Draw the line of $\\theta = (1, 2)$ without an offset, that is $x_1 + 2x_2 = 0$.",
    check({ w, b }) {
      if (b !== 0) return "Without an offset, b is 0: the line goes through the origin.";
      const relation = compareLines({ w, b }, { w: [1, 2], b: 0 });
      return relation === "same" || (relation === "turned" ? "w points to the other side." : "The point (2, −1) must be on the line.");
    },
    example: { w: [1, 2], b: 0 },
  },
  {
    title: "A threshold", note: "000", kind: "number", answer: 6,
    text: "Note 000 writes $\\operatorname{sign}(w \\cdot x - \\theta)$. Which $\\theta$ gives the line $2x_1 + 3x_2 - 6 = 0$ with $w = (2, 3)$?",
    hints: [[(value) => value.equals(-6), "w·x − θ has −θ where we write b."]],
    explain: "$b = -\\theta$.",
  },
  {
    title: "On the line", note: "001", kind: "choice",
    text: "A point lies exactly on the line. What does the classifier of notes 001 and 002 predict, what that of note 003?",
    options: [
      { text: "All predict +1.", hint: "Notes 001 and 002 define +1 only for a score above 0." },
      { text: "001 and 002 predict −1, 003 predicts +1.", right: true },
      { text: "All predict −1.", hint: "Note 003 writes w·x ≥ 0 for y = +1." },
    ],
    explain: "The notes disagree about $\\operatorname{sign}(0)$. During training, rosenblatt counts a score of 0 as a mistake for either label, unless `tie` says otherwise.",
  },
];
