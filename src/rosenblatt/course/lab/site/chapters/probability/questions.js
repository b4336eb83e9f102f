// Questions on probability and likelihood.

import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "Box 1 contains 2 red, 3 green and 1 blue ball, box 2 contains 3 red and 1 green. A box is chosen by a coin, and a **red** ball is drawn. How likely is it that it was box 2?",
  options: [
    { text: "1/2: the coin decides.", hint: "That is the prior, before the ball has been seen." },
    { text: "3/4: three of the four balls in box 2 are red.", hint: "That is P(red | box 2), not P(box 2 | red)." },
    { text: "9/13", right: true },
  ],
  explain: "$\\frac{1}{2} \\cdot \\frac{3}{4}$ divided by $\\frac{1}{2} \\cdot \\frac{2}{6} + \\frac{1}{2} \\cdot \\frac{3}{4} = \\frac{13}{24}$.",
};

export const exercises = [
  { title: "Total probability", note: "004", kind: "number", answer: "13/24", start: { ...start }, text: "What is the probability of drawing a red ball, before the box is known?", hints: [[(value) => value.equals("1/2"), "Five of all ten balls are red, but the boxes are chosen first, and they differ in size."]], explain: "$\\frac{1}{2} \\cdot \\frac{1}{3} + \\frac{1}{2} \\cdot \\frac{3}{4}$." },
  { title: "A blue ball", note: "004", kind: "number", answer: 1, start: { ...start, drawn: [] }, text: "A blue ball was drawn. What is P(box 1 | blue)?", explain: "Box 2 contains no blue ball: the posterior of box 2 is 0." },
  { title: "Two draws", note: "004", kind: "number", answer: "16/97", start: { ...start, drawn: [] }, text: "Two red balls were drawn, with replacement. What is P(box 1 | red, red)?", hints: [[(value) => value.equals("4/13"), "That is after one red ball. Multiply by one more factor."]], explain: "$\\frac{1}{9}$ against $\\frac{9}{16}$: $\\frac{16}{144}$ against $\\frac{81}{144}$." },
  { title: "The mean of a Bernoulli variable", note: "004", kind: "number", answer: "0.21", text: "What is the variance of a Bernoulli variable with $p = 0.3$?", hints: [[(value) => value.equals("0.3"), "That is the mean."]], explain: "$p(1 - p) = 0.3 \\cdot 0.7$." },
  { title: "The most likely mean", note: "004", kind: "number", answer: 2, text: "Observations $1, 2, 1, 4$ of a Gaussian with known variance. Which $\\mu$ makes them most likely?", hints: [[(value) => value.equals("1.5"), "That is the median."]], explain: "The sample mean: the derivative $\\sum_i (x_i - \\mu)/\\sigma^2$ is 0 there, for every $\\sigma$." },
  { title: "The most likely variance", note: "004", kind: "number", answer: "1.5", text: "And which $\\sigma^2$ is most likely for $1, 2, 1, 4$?", hints: [[(value) => value.equals(2), "Maximum likelihood divides by N, not by N − 1."], [(value) => value.equals(6), "Divide by N."]], explain: "$(1 + 0 + 1 + 4)/4$." },
  { title: "An impossible observation", note: "004", kind: "choice", start: { ...start, topic: "uniform", data: [-2, -1, 1, 1, 3] }, text: "A uniform distribution on $[-4, 2]$ is proposed for the observations $-2, -1, 1, 1, 3$. What is the likelihood?", options: [{ text: "(1/6)⁵", hint: "The density is 1/6 only within the interval; where is the 3?" }, { text: "0", right: true }, { text: "(1/6)⁴", hint: "Every observation contributes a factor." }], explain: "One impossible observation makes the product 0." },
  {
    title: "Find the top", note: "004", kind: "scene", start: { ...start, topic: "gaussian", mean: -2 }, text: "Drag $\\mu$ until the observations are as likely as possible, for this $\\sigma^2$ (within 0.05).",
    check: ({ topic, data, mean }) => {
      if (topic !== "gaussian") return "Choose the topic Gaussian.";
      const best = data.reduce((sum, x) => sum + x, 0) / data.length;
      return Math.abs(mean - best) <= 0.05 || (mean < best ? "The likelihood still rises to the right." : "The likelihood rises to the left.");
    },
    example: { mean: 0.7 }, explain: "It is the sample mean, 0.7.",
  },
  { title: "Uncorrelated", note: "004", kind: "choice", text: "$\\Sigma$ of a joint Gaussian is diagonal. What follows?", options: [{ text: "The two variables are independent.", right: true }, { text: "The two variances are equal.", hint: "The diagonal entries may differ." }, { text: "Nothing: uncorrelated variables need not be independent.", hint: "In general that is true, but here the density is a product." }], explain: "The density is the product of two Gaussian densities." },
  {
    title: "Correlation", note: "004", kind: "scene", start: { ...start, topic: "joint" }, text: "Move the points until the correlation is **negative, below −0.8**.",
    check: ({ topic }, { best }) => {
      if (topic !== "joint") return "Choose the topic joint Gaussian.";
      if (!best) return "The points lie exactly on one line.";
      return best.correlation < -0.8 || `The correlation is ${best.correlation.toFixed(2)}. Move the points near a falling line.`;
    },
    example: { cloud: [[-2, 2], [-1, 1.1], [0, 0.1], [1, -1.2], [2, -1.9]] },
  },
  { title: "The values of a random variable", note: "004", kind: "vector", answer: [0, 1], text: "A variable $X$ is 1 if box 1 is picked and 0 if box 2 is picked. Which values can $X$ take, in rising order?", hint: "Write both values, the smaller first.", explain: "$X$ is a Bernoulli variable." },
  { title: "Box 1 is picked more often", note: "004", kind: "number", answer: "1/2", text: "Box 1 (2 red, 3 green, 1 blue) is picked with probability $q = 9/13$, box 2 (3 red, 1 green) with $1 - q$. A red ball is drawn. What is the probability of box 2?", hints: [[(value) => value.equals("9/13"), "That is the answer for q = 1/2."], [(value) => value.equals("4/13"), "That is the prior of box 2."]], explain: "$\\frac{4}{13} \\cdot \\frac{3}{4} = \\frac{3}{13}$ against $\\frac{9}{13} \\cdot \\frac{1}{3} = \\frac{3}{13}$." },
];
