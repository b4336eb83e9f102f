// The chapters in the order of a first course. `notes` names the lecture notes that a chapter follows.

export const CHAPTERS = [
  { key: "vectors", title: "Vectors", about: "Norms, angles, sums, projections, distances and positive definite matrices.", notes: ["001", "003", "004"] },
  { key: "line", title: "The line and its two sides", about: "Drag w and the line; read scores, distances and predictions.", notes: ["001", "002"] },
  { key: "boundaries", title: "Good and bad boundaries", about: "Draw a line by hand and count its mistakes.", notes: ["001", "002", "003"] },
  { key: "steps", title: "Step by step", about: "Draw points, choose the settings of a run, and follow the perceptron through every step.", notes: ["001", "003", "004"] },
  { key: "realizable", title: "Realizable or not", about: "See what one wrong label does to the mistakes of a run.", notes: ["001", "002", "003"] },
  { key: "bound", title: "The bound", about: "See the margin, the radius, the proof, and the number of mistakes of a run.", notes: ["000", "002", "003", "004"] },
  { key: "orders", title: "Order, averaging, voting", about: "Compare the last, averaged, voted and pocket weights over many orders.", notes: ["001", "003", "004"] },
  { key: "averaging", title: "Averaging step by step", about: "Follow the running sum, and the votes of all earlier vectors.", notes: ["001", "004"] },
  { key: "errors", title: "Training and test error", about: "Compare the last, averaged and voted weights after each pass.", notes: ["001", "002", "004"] },
  { key: "compare", title: "Perceptron, linear program, SVM", about: "Compare three lines and their margins on the same points.", notes: ["000", "004"] },
  { key: "xor", title: "XOR and what helps", about: "Watch the line repeat itself without end; then try polynomials and kernels.", notes: ["000", "001", "004"] },
  { key: "classes", title: "More than two classes", about: "Compare one-vs-rest with mistakes shared between classes.", notes: ["004"] },
  { key: "sure", title: "How sure is w?", about: "See how the uncertainty of w shrinks, and why uncertain weights move more.", notes: ["004"] },
  { key: "teacher", title: "Teacher against learner", about: "Play either side, or watch the teacher that forces the most mistakes.", notes: ["000"] },
  { key: "curve", title: "Curve fitting and overfitting", about: "Change degree, noise and λ; compare training and test error.", notes: ["004"] },
  { key: "probability", title: "Probability", about: "Boxes and balls in exact fractions; drag data and see their likelihood.", notes: ["004"] },
  { key: "data", title: "Your data", about: "Load a csv file and open its points in the other chapters.", notes: ["001"] },
];

/** Pages that are not chapters. */
export const PAGES = [
  { key: "map", title: "Chapters and lecture notes" },
  { key: "lessons", title: "Lesson plans" },
  { key: "check", title: "Check answers" },
];

export const chapterOf = (key) => CHAPTERS.find((chapter) => chapter.key === key);
