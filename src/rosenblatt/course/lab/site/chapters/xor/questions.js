// Questions on XOR, polynomial thresholds and kernels.

import { vector } from "../../viewer/numbers.js";
import { askSign } from "../common.js";
import { start } from "./scene.js";

const BITS = { points: [[0, 0], [0, 1], [1, 0], [1, 1]] };

export const opening = {
  kind: "choice",
  text: "The perceptron visits the four points of XOR (+ if the coordinates differ) again and again. What happens?",
  options: [
    { text: "It finds a line after a few passes.", hint: "The midpoint of the two + points is also the midpoint of the two − points. Can a line separate them?" },
    { text: "w grows without limit.", hint: "Play the run and watch w." },
    { text: "It repeats itself: the same weights return for ever.", right: true },
  ],
  explain: "No line separates the points, so every pass has a mistake; and the weights stay bounded, so they must return.",
};

export const exercises = [
  {
    title: "Does the perceptron always converge?", note: "001", kind: "choice",
    text: "Does the perceptron algorithm always reach a state in which all training points are correct?",
    options: [
      { text: "Yes, after at most (R/γ)² mistakes.", hint: "The bound needs a separating line with a margin γ > 0." },
      { text: "No: on XOR it never does.", right: true },
      { text: "Only with an offset.", hint: "The page uses an offset here." },
    ],
    explain: "It is guaranteed to converge whenever the points are linearly separable.",
  },
  {
    title: "Why no line?", note: "004", kind: "choice",
    text: "Suppose $w \\cdot x + b > 0$ at both points of class +. What follows for the midpoint of these two points?",
    options: [
      { text: "Its score is 0.", hint: "The score of a midpoint is the mean of the two scores." },
      { text: "Its score is positive.", right: true },
      { text: "Nothing.", hint: "w·x + b is linear: the score of the midpoint is the mean of the scores." },
    ],
    explain: "But it is also the midpoint of the two points of class −, so its score would be negative: a contradiction.",
  },
  {
    title: "How many products?", note: "000", kind: "number", answer: 1000,
    text: "The feature map of degree 3 multiplies the coordinates of $x \\in \\mathbb{R}^{10}$ in all ways and orders. How many features has it?",
    hints: [[(value) => value.equals(30), "Not 3·10: each of the three factors can be chosen in 10 ways."], [(value) => value.equals(100), "That is degree 2."], [(value) => value.equals(120) || value.equals(220), "That counts each product once. The notes count all orders, n^d."]],
    explain: "$n^d = 10^3$.",
  },
  {
    title: "The kernel trick by hand", note: "000", kind: "number", answer: 121,
    text: "Compute $K(x, z) = (x \\cdot z)^2$ for $x = (1, 2)$, $z = (3, 4)$.",
    hints: [[(value) => value.equals(11), "Square the inner product."]], explain: "$(3 + 8)^2 = 121$, without computing the four products of each point.",
  },
  {
    title: "The same with φ", note: "000", kind: "vector", answer: [1, 2, 2, 4], text: "Compute $\\varphi(x) = (x_1 x_1, x_1 x_2, x_2 x_1, x_2 x_2)$ for $x = (1, 2)$.",
    explain: "With $\\varphi(z) = (9, 12, 12, 16)$ the inner product is $9 + 24 + 24 + 64 = 121$, as before.",
  },
  {
    title: "Evaluate the new point", note: "000", kind: "number", answer: 16,
    text: "The kernel perceptron with $K(x, z) = (x \\cdot z)^2$ has made one mistake: on $x_1 = (1, 1)$ with label +. What is the score of the next point $(1, 3)$?",
    hints: [[(value) => value.equals(4), "Apply the kernel: square the inner product."]], explain: "$y_1 K(x_1, x_2) = 1 \\cdot (1 + 3)^2$.",
  },
  {
    title: "Make the run end", note: "004", kind: "scene", start: { ...start, method: "line" },
    text: "Keep the four points of XOR. Change the model so that the run **ends**, with all points correct.",
    check: ({ points, labels }, { separated }) => {
      if (JSON.stringify([points, labels]) !== JSON.stringify([start.points, start.labels])) return "Keep the four points as they are: press Undo or Reset.";
      return separated || "The run does not end yet. Which kernel contains the product x₁·x₂?";
    },
    example: { method: "polynomial", degree: 2 },
    explain: "With $(x \\cdot z)^2$, $w$ needs only the product $x_1 x_2$: its sign is − on the points of class +.",
  },
  {
    title: "XOR on 0 and 1", note: "004", kind: "choice", start: { ...start, ...BITS, method: "polynomial", degree: 2, c: 0 },
    text: "With the points of $\\{0, 1\\}^2$ and the kernel $(x \\cdot z)^2$, one point is a mistake for ever if a score of 0 is a mistake. Which one?",
    options: [
      { text: "(0, 0)", right: true },
      { text: "(1, 1)", hint: "φ(1, 1) = (1, 1, 1, 1), so its score can become negative." },
      { text: "(0, 1)", hint: "φ(0, 1) = (0, 0, 0, 1), so its score can become positive." },
    ],
    explain: "$\\varphi(0, 0) = 0$, so every $w$ gives it the score 0. With $c = 1$ the features contain a constant.",
  },
  {
    title: "Does a Gaussian always separate?", note: "000", kind: "choice", start: { ...start, method: "gaussian", gamma: 1 },
    text: "With the kernel $\\exp(-\\gamma \\lVert x - z \\rVert^2)$, which training points can the kernel perceptron separate?",
    options: [
      { text: "Only points inside circles.", hint: "Load the spiral." },
      { text: "All points, if no place occurs with both labels.", right: true },
      { text: "All points.", hint: "Put a point of each class at the same place." },
    ],
    explain: "In its feature space, different places are linearly independent. This does not say that new points will be predicted well.",
  },
  {
    title: "How can a perceptron learn a polynomial?", note: "000", kind: "choice",
    text: "A polynomial threshold function is $\\operatorname{sign}(p(x))$ with a polynomial $p$ of degree $d$. How can the perceptron learn it?",
    options: [
      { text: "Run it on the products of d coordinates: p is linear in them.", right: true },
      { text: "Raise w to the power d.", hint: "The coefficients of p are the weights; they are not raised to a power." },
      { text: "It cannot: a polynomial is not linear.", hint: "It is not linear in x. Is it linear in its monomials?" },
    ],
    explain: "So it learns a halfspace in $n^d$ dimensions.",
  },
  {
    title: "What is the margin in the space of products?", note: "000", kind: "number", answer: 2, start: { ...start, method: "polynomial", degree: 2, c: 0 },
    text: "The points of XOR on $\\{-1, 1\\}^2$ become $\\varphi(x) = (1, x_1 x_2, x_1 x_2, 1)$. What is the **square** $\\gamma^2$ of the largest margin of a $w$ of length 1 through the origin?",
    hints: [[(value) => value.equals(1), "w = (0, −1, −1, 0)/√2 gives y·w·φ(x) = 2/√2."], [(value) => value.equals(4), "w must have length 1."]],
    explain: "$w = (0, -1, -1, 0)/\\sqrt{2}$ gives $\\gamma = \\sqrt{2}$. With $R^2 = 4$, at most two mistakes are possible, and the run makes two.",
  },
];

/** Ask for the prediction of the next step. */
export function predict(state, { run }) {
  const next = run?.steps[state.step];
  if (!next) return null;
  return askSign(`The next point is point ${next.row + 1} at ${vector(state.points[next.row])}. What is the sign of its score now?`, next);
}
