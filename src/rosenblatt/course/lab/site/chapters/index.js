// The chapters in the order of a first course. `notes` names the lecture notes that a chapter follows.

export const CHAPTERS = [
  { key: "line", title: "The line and its two sides", about: "Drag w and the line; read scores, distances and predictions.", notes: ["001", "002"] },
  { key: "boundaries", title: "Good and bad boundaries", about: "Draw a line by hand and count its mistakes.", notes: ["001", "002", "003"] },
  { key: "steps", title: "Step by step", about: "Draw points, choose the settings of a run, and follow the perceptron through every step.", notes: ["001", "003", "004"] },
];

/** Pages that are not chapters. */
export const PAGES = [
  { key: "map", title: "Chapters and lecture notes" },
  { key: "lessons", title: "Lesson plans" },
  { key: "check", title: "Check answers" },
];

export const chapterOf = (key) => CHAPTERS.find((chapter) => chapter.key === key);
