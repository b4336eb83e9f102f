// Questions on training and test error.

import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "The perceptron makes pass after pass over 40 points that no line separates. Does the test error of the last weights settle down?",
  options: [
    { text: "Yes, after enough passes.", hint: "Every pass has mistakes, and every mistake changes w. Look at the solid curve." },
    { text: "No, it keeps jumping.", right: true },
    { text: "It rises steadily: overfitting.", hint: "A line in the plane has too few parameters for that." },
  ],
  explain: "The last weights jump at every mistake. The averaged weights settle, because one step more changes the mean less and less.",
};

export const exercises = [
  { title: "What is a test error?", note: "004", kind: "choice", text: "Why is the error measured on points that were not used for learning?", options: [{ text: "Because the training error is always 0.", hint: "It is not 0 here." }, { text: "Because the model should predict new points, and the training error is too optimistic.", right: true }, { text: "Because there are more test points.", hint: "Their number is not the reason." }], explain: "What we want is a model that generalises to unseen data." },
  { title: "How many passes?", note: "001", kind: "scene", start: { ...start, step: 0, passes: 1 }, text: "What should $T$ be? Choose a number of passes after which the **averaged** weights have a test error of at most **16 %**, at the last pass.", check: (state, { errors }) => (state.points.length !== start.points.length || state.flipped !== start.flipped ? "Keep the points." : errors.at(-1).test.averaged <= 0.16 || `The averaged weights have a test error of ${Math.round(100 * errors.at(-1).test.averaged)} %.`), example: { passes: 5 }, explain: "Few passes are often enough; more hardly change the mean." },
  { title: "Compute a test error", note: "002", kind: "number", answer: "3/20", text: "Of 300 test points 45 are misclassified. What is the test error?", hints: [[(value) => value.equals(45), "Divide by the number of points."]], explain: "$45/300$." },
  { title: "Which weights?", note: "004", kind: "choice", start: { ...start }, text: "For overlapping classes, which weights predict new points most reliably?", options: [{ text: "The last ones: they have seen everything.", hint: "Compare the solid curve with the dashed ones over all passes." }, { text: "The averaged or the voted ones.", right: true }], explain: "Note 004 names better generalisation as their advantage, and the curves show it." },
  { title: "Separable points", note: "001", kind: "scene", start: { ...start }, text: "Change the clouds so that the **training error of the last weights is 0** at the last pass.", check: (state, { errors }) => errors.at(-1)?.train.last === 0 || `The last weights misclassify ${Math.round(100 * errors.at(-1).train.last)} % of the training points.`, example: { apart: 5, flipped: 0, n: 4, points: [[2, 1], [-2, -1], [3, 1], [-3, -2]], labels: [1, -1, 1, -1] } },
];

/** Ask in which direction the test error of the last weights will go. */
export function predict({ step }, { errors }) {
  if (step < 1 || step >= errors.length) return null;
  const [now, next] = [errors[step - 1].test.last, errors[step].test.last];
  return { kind: "choice", text: `After pass ${step} the last weights have a test error of ${Math.round(1000 * now) / 10} %. And after the next pass?`, options: [["lower", next < now], ["the same", next === now], ["higher", next > now]].map(([text, right]) => ({ text, right, hint: `It is ${Math.round(1000 * next) / 10} %: the last weights jump, and the direction cannot be predicted.` })), explain: `It is ${Math.round(1000 * next) / 10} %.` };
}
