// Questions on tables as points.

import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "A table has the columns *length in metres* and *mass in grams*. You multiply the masses by 1,000 (milligrams). Does the perceptron still find the same line?",
  options: [
    { text: "Yes: a unit does not change the data.", hint: "A mistake adds y·x to w. Which weight then moves more?" },
    { text: "No: columns with large numbers dominate w and the margin.", right: true },
  ],
  explain: "Therefore columns are usually standardised to mean 0 and deviation 1. Separability itself does not depend on units; the margin and the number of mistakes do.",
};

export const exercises = [
  { title: "What is a feature vector?", note: "001", kind: "choice", text: "What is the feature vector $x^{(i)}$ of a table?", options: [{ text: "A column: all values of one feature.", hint: "A vector belongs to one data point." }, { text: "A row: the values of all features for the i-th data point.", right: true }, { text: "The column of labels.", hint: "The labels are y." }], explain: "Row $i$ without its label." },
  { title: "Standardise", note: "004", kind: "number", answer: "1.5", text: "A column has mean 10 and deviation 2. What does the value 13 become?", hints: [[(value) => value.equals("6.5"), "First subtract the mean."], [(value) => value.equals(3), "Divide by the deviation."]], explain: "$(13 - 10)/2$." },
  {
    title: "Which flower is easy?", note: "004", kind: "choice", start: { ...start, view: "projection" }, text: "Which kind of flower can a hyperplane separate from both others?",
    options: [{ text: "setosa", right: true }, { text: "versicolor", hint: "Choose *versicolor* as the class + and read the result." }, { text: "virginica", hint: "Choose *virginica* as the class + and read the result." }], explain: "For the other two the page proves that no hyperplane exists.",
  },
  {
    title: "A view without overlap", note: "004", kind: "scene", start: { ...start, positive: "versicolor", x: "sepal_length", y: "sepal_width" },
    text: "Choose a class + and two columns in which a **line** separates this class from the rest.",
    check: ({ view, file }, { separable }) => (file !== "flowers.csv" ? "Use flowers.csv." : view !== "columns" ? "Use two columns." : separable === true || "No line separates this class in these columns."),
    example: { positive: "setosa", x: "petal_length", y: "petal_width" },
  },
  { title: "What is a classifier?", note: "001", kind: "choice", text: "What is a classifier?", options: [{ text: "A function from feature vectors to labels.", right: true }, { text: "A table with labels.", hint: "That is a training set." }, { text: "A feature with few values.", hint: "A classifier computes the label from the features." }], explain: "$h: \\mathbb{R}^d \\to \\{-1, +1\\}$." },
  { title: "Which kind of learning?", note: "004", kind: "choice", text: "The sale price of a house is to be predicted from recent sales. What is this?", options: [{ text: "Classification", hint: "A price is not one of a finite set of choices." }, { text: "Regression", right: true }, { text: "Unsupervised learning", hint: "The prices of the recent sales are known: they are labels." }], explain: "Supervised learning of a real value." },
  { title: "Trade-offs", note: "001", kind: "choice", text: "Which trade-off is made by choosing a *linear* classifier?", options: [{ text: "It is easy to learn and to understand, but weaker.", right: true }, { text: "It is always right, but slow.", hint: "XOR has no linear classifier at all." }, { text: "It needs no labels, but more features.", hint: "The perceptron needs labels." }], explain: "Kernels make it more powerful again." },
];
