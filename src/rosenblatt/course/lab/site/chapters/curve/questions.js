// Questions on fitting curves.

import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "Ten noisy points of a sine are given. Which polynomial predicts new points best?",
  options: [
    { text: "One of degree 9: it goes through all ten points, so its error is 0.", hint: "Its *training* error is 0. Look at the curve between the points, and at the error on new points." },
    { text: "One of degree 3 or so: it is a little off at the ten points.", right: true },
    { text: "One of degree 1: the simplest is the safest.", hint: "A line cannot follow the sine at all." },
  ],
  explain: "The curve of degree 9 has fitted the noise: overfitting. The training error does not show it.",
};

export const exercises = [
  { title: "Can the error be zero?", note: "004", kind: "number", answer: 6, text: "Through how many points with different $x$ can a polynomial of degree 5 always pass exactly?", hints: [[(value) => value.equals(5), "A line, degree 1, passes through 2 points."]], explain: "$N$ points need degree $N - 1$ at most." },
  { title: "Why is degree N − 1 a bad idea?", note: "004", kind: "choice", text: "Why is $M = N - 1$ a bad idea, although the training error is 0?", options: [{ text: "The equations have no solution.", hint: "They have exactly one." }, { text: "The curve is unpredictable outside and between the training points.", right: true }, { text: "The training error becomes large again.", hint: "It never rises with the degree." }], explain: "It has fitted the noise." },
  {
    title: "A degree that generalises", note: "004", kind: "scene", start: { ...start }, text: "Change **only the degree** until the error on new points is below **0.35**.",
    check: (state, { test }) => {
      if (state.l2 !== 0 || state.auto || JSON.stringify(state.points) !== JSON.stringify(start.points)) return "Change only the degree.";
      return test < 0.35 || `The error on new points is ${test.toFixed(2)}.`;
    },
    example: { degree: 3 },
  },
  {
    title: "Regularisation instead", note: "004", kind: "scene", start: { ...start }, text: "Keep degree 9 and the points. Choose a λ with which the error on new points is below **0.35**.",
    check: (state, { test }) => {
      if (state.degree !== 9 || JSON.stringify(state.points) !== JSON.stringify(start.points)) return "Keep degree 9 and the points.";
      return test < 0.35 || `The error on new points is ${test.toFixed(2)}. Try a λ between 10⁻⁶ and 1.`;
    },
    example: { l2: 1e-3 }, explain: "The penalty on large coefficients removes the oscillations.",
  },
  { title: "The penalty", note: "004", kind: "number", answer: 8, text: "The squared errors of a curve sum to 3, its coefficients are $(1, 2)$, and $\\lambda = 1$. What is the regularised error $\\sum_i (y_i - f(x_i))^2 + \\lambda \\lVert w \\rVert^2$?", hints: [[(value) => value.equals(6), "The coefficients are squared."]], explain: "$3 + 1 \\cdot (1 + 4)$." },
  { title: "Can the training error choose λ?", note: "004", kind: "choice", text: "Someone chooses the λ with the smallest training error. Which is it?", options: [{ text: "0", right: true }, { text: "The λ that generalises best", hint: "Raise λ and watch the training error." }, { text: "A very large one", hint: "A large λ shrinks all coefficients towards 0." }], explain: "Any penalty can only increase the training error; held-out points are needed." },
];
