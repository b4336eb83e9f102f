// Questions on the mistake bound.

import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "A perceptron makes at most 100 mistakes on some separable points. Now you add 1,000 more points, with the same radius and the same margin. How many mistakes can it make?",
  options: [
    { text: "Still at most 100.", right: true },
    { text: "At most 1,100: one more for each point.", hint: "Look for n, the number of points, in the bound (R/γ)²." },
    { text: "At most 100 · 1,000.", hint: "The bound does not count passes or points." },
  ],
  explain: "The bound $(R/\\gamma)^2$ contains neither the number of points nor the number of features nor their order.",
};

export const exercises = [
  {
    title: "Half the margin", note: "000", kind: "number", answer: 400,
    text: "All points have length at most 1, and the margin is $\\rho = 0.1$: at most 100 mistakes. How many are allowed with $\\rho = 0.05$?",
    hints: [[(value) => value.equals(200), "The margin is squared in the bound."], [(value) => value.equals(50), "A smaller margin is harder."]],
    explain: "$1 / 0.05^2 = 400$: half the margin, four times the bound.",
  },
  {
    title: "Longer points", note: "000", kind: "number", answer: 900,
    text: "With $\\lVert x \\rVert \\le R = 3$ and $\\rho = 0.1$, what is the bound?", hints: [[(value) => value.equals(300), "R is squared too."], [(value) => value.equals(30), "Square the quotient R/ρ."]],
    explain: "$R^2/\\rho^2 = 9/0.01$.",
  },
  {
    title: "How do both claims give the bound?", note: "000", kind: "choice",
    text: "After $t$ mistakes, claim 1 says $t\\rho \\le w \\cdot w^*$ and claim 2 says $\\lVert w \\rVert^2 \\le t$. What joins them?",
    options: [
      { text: "The Cauchy–Schwarz inequality: w·w* ≤ ‖w‖·‖w*‖ = ‖w‖.", right: true },
      { text: "The triangle inequality: ‖w + x‖ ≤ ‖w‖ + ‖x‖.", hint: "You need an inequality between a product and lengths." },
      { text: "w converges to w*.", hint: "w need not converge to w*; only the angle is limited." },
    ],
    explain: "So $t\\rho \\le w \\cdot w^* \\le \\lVert w \\rVert \\le \\sqrt{t}$, and $\\sqrt{t} \\le 1/\\rho$.",
  },
  {
    title: "Claim 1", note: "003", kind: "choice",
    text: "Why does $w \\cdot w^*$ grow by at least $\\gamma$ at each mistake?",
    options: [
      { text: "Because y(w*·x) ≥ γ for every point, and y·x is added to w.", right: true },
      { text: "Because y(w·x) ≤ 0 at a mistake.", hint: "That is the reason for claim 2." },
      { text: "Because w gets longer.", hint: "w can get shorter at a mistake." },
    ],
    explain: "$(w + yx) \\cdot w^* = w \\cdot w^* + y(x \\cdot w^*)$.",
  },
  {
    title: "Claim 2", note: "004", kind: "choice",
    text: "Why does $\\lVert w \\rVert^2$ grow by at most $R^2$ at each mistake?",
    options: [
      { text: "Because the mixed product 2y(w·x) is not positive at a mistake.", right: true },
      { text: "Because ‖w‖ ≤ R.", hint: "‖w‖ may exceed R after a few mistakes." },
      { text: "Because all points have the margin γ.", hint: "That is the reason for claim 1." },
    ],
    explain: "$\\lVert w + yx \\rVert^2 = \\lVert w \\rVert^2 + 2y(w \\cdot x) + \\lVert x \\rVert^2$.",
  },
  {
    title: "Why is claim 1 alone not enough?", note: "004", kind: "choice",
    text: "The projection $w \\cdot w^*$ grows at every mistake. Why does this alone not show that $w$ comes closer to $w^*$?",
    options: [
      { text: "w·w* may grow only because w gets longer.", right: true },
      { text: "w·w* may be negative.", hint: "It starts at 0 and grows." },
      { text: "w* is unknown to the algorithm.", hint: "That is true, but the proof may use w*." },
    ],
    explain: "Therefore claim 2 limits the length.",
  },
  {
    title: "Make it hard", note: "003", kind: "scene", start: { ...start, points: [[1, 1], [-1, -1]], labels: [1, -1] },
    text: "Place points (separable, at most **ten**) on which the perceptron makes more than **100 mistakes**.",
    check: ({ points }, { separable, run }) => {
      if (points.length > 10) return "Use at most ten points.";
      if (!separable) return "The points must be separable.";
      return run.mistakes > 100 || `The run makes ${run.mistakes} mistakes. Put a point of each class close together, far from the middle.`;
    },
    example: { points: [[0, 0], [0.1, 0]], labels: [1, -1] },
    explain: "A small margin in proportion to the radius makes the bound large. It need not be reached.",
  },
  {
    title: "No bound", note: "003", kind: "choice", start: { points: [[0, 1], [0, -1], [-1, 0.5]], labels: [1, 1, -1], offset: false },
    text: "For the three points of note 003 without an offset the page finds no margin, although $w = (1, 0)$ gives $w \\cdot x \\ge 0$ exactly for the class +. Why?",
    options: [
      { text: "The margin of w = (1, 0) is 0, and the theorem needs γ > 0.", right: true },
      { text: "The radius is infinite.", hint: "No point is longer than 1.2." },
      { text: "Three points are too few.", hint: "Two points are enough for a margin." },
    ],
    explain: "The origin lies between $(0, 1)$ and $(0, -1)$, so no line through the origin has both on the same side.",
  },
  {
    title: "The slip of note 004", note: "004", kind: "choice",
    text: "Note 004 writes $\\lVert x_1 + \\ldots + x_m \\rVert^2 = \\sum_i \\lVert x_i \\rVert^2 + \\sum_{i<j} x_i \\cdot x_j$. What is missing?",
    options: [
      { text: "The factor 2 before the mixed products.", right: true },
      { text: "A square root.", hint: "Both sides are squares." },
      { text: "Nothing.", hint: "Try m = 2: the formula above it in the note has 2x·y." },
    ],
    explain: "Each pair occurs twice.",
  },
  {
    title: "Can it go on for ever?", note: "004", kind: "choice",
    text: "An update can turn correctly classified points into mistakes. Can this go on for ever, if the points are linearly separable with a margin?",
    options: [
      { text: "Yes, if the points are visited in a bad order.", hint: "The bound holds for every order." },
      { text: "No: the number of mistakes is at most R²/γ².", right: true },
      { text: "Only if there are infinitely many points.", hint: "Even then: the bound does not contain the number of points." },
    ],
    explain: "Every mistake is counted by the bound, no matter on which point.",
  },
];
