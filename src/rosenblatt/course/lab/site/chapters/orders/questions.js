// Questions on order, averaging and voting.

import { start } from "./scene.js";

const SEPARABLE = { points: [[1, 2.5], [2.5, 1], [2, 3], [3, 2.5], [0.5, 3.5], [3.5, 0.5], [2.2, 2], [-1, -0.5], [0.5, -1.5], [-2, 0.5], [-1.5, -2], [0, -0.5], [1, -2.5], [-2.5, -1]], labels: [1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], run: 0 };

export const opening = {
  kind: "choice",
  text: "The same 36 points, which no line separates, are presented to the perceptron in 20 different orders. How much do the final lines differ?",
  options: [
    { text: "Not at all: the points are the same.", hint: "The perceptron learns from one point at a time; look at the thin lines." },
    { text: "A little: they differ by one or two mistakes.", hint: "Look at the chart: the bars are the numbers of misclassified points." },
    { text: "Very much: some misclassify more than half of the points.", right: true },
  ],
  explain: "The last $w$ depends on the last mistakes. The averaged and the voted perceptron depend on all steps, and differ much less.",
};

export const exercises = [
  {
    title: "Does it always find the same solution?", note: "001", kind: "choice", start: SEPARABLE,
    text: "These points are separable. When the perceptron converges, does it always converge to the same solution?",
    options: [
      { text: "Yes, to the line with the largest margin.", hint: "The perceptron does not maximise the margin." },
      { text: "No, it depends on the start and the order.", right: true },
      { text: "Yes, if there are enough passes.", hint: "Once no point is misclassified, nothing changes any more." },
    ],
    explain: "All lines are free of mistakes, but they differ.",
  },
  {
    title: "What is averaged?", note: "001", kind: "choice",
    text: "The averaged perceptron returns $\\theta_{sum} / (nT)$. When is $\\theta$ added to $\\theta_{sum}$?",
    options: [
      { text: "At each mistake.", hint: "Then a vector that survives a thousand points would count as much as one that survives a single point." },
      { text: "At every step, also without a mistake.", right: true },
      { text: "At the end of each pass.", hint: "The sum is divided by nT, not by T." },
    ],
    explain: "So a vector counts as often as the number of points it survived.",
  },
  {
    title: "A mean by hand", note: "001", kind: "vector", answer: ["2", "-2/3"],
    text: "After the three steps of a pass $\\theta$ is $(2, 1)$, $(2, -1)$ and $(2, -2)$. What is the averaged $\\theta$ of this pass?",
    hints: [[([, y]) => y.equals(-2), "Add the three vectors, then divide by 3."]],
    explain: "$(2 + 2 + 2)/3 = 2$ and $(1 - 1 - 2)/3 = -2/3$.",
  },
  {
    title: "Is the voted boundary a line?", note: "004", kind: "choice",
    text: "The voted perceptron lets every vector vote, with the number of steps that it survived. Is its boundary a line?",
    options: [
      { text: "Yes, as for the averaged perceptron.", hint: "The sign is taken of each score before it is added." },
      { text: "No, it can have corners.", right: true },
      { text: "Yes, but not through the origin.", hint: "Think of three lines of equal weight that form a triangle." },
    ],
    explain: "Each vote is ±1, so the sum of votes is constant between the lines.",
  },
  {
    title: "Order by class", note: "004", kind: "scene", start: { ...start, epochs: 1 },
    text: "Find a setting of the *order* in which the last $w$ after one pass misclassifies **at least 17** of the 36 points (all of the points with the same label are predicted alike).",
    check: ({ points }, { wrong }) => {
      if (points.length !== 36) return "Keep the 36 points.";
      return wrong.last >= 17 || `The last w misclassifies ${wrong.last} points. What if the last points all have the same label?`;
    },
    explain: "If all points of one class come last, the last mistakes all push in the same direction. Shuffling avoids this.",
  },
  {
    title: "Why not the line with the fewest mistakes?", note: "003", kind: "choice",
    text: "Why does one not simply compute the line with the fewest mistakes?",
    options: [
      { text: "It is always the line of the averaged perceptron.", hint: "Compare the averaged line with the best one in the chapter on boundaries." },
      { text: "For many features this is NP-hard.", right: true },
      { text: "Such a line does not exist.", hint: "There are finitely many ways to divide the points by a line, so one of them is the best." },
    ],
    explain: "With the assumption that some line has no mistakes, it becomes easy: a linear program, or the perceptron.",
  },
];
