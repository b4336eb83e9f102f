// Pages that are not chapters: the map of chapters and notes, lesson plans, and the check of answer codes.

import { CHAPTERS, chapterOf } from "../chapters/index.js";
import { problemOfTask, replayCode } from "./assignment.js";
import { button, make } from "./controls.js";
import { loadModule, loadText } from "./files.js";
import { htmlOf } from "./markdown.js";
import { readHash } from "./state.js";

const NOTES = { "000": "Halfspaces, the mistake bound, polynomial thresholds and kernels", "001": "Linear classifiers and the perceptron algorithm", "002": "Training error, margin and convergence", "003": "Discriminative models and the analysis of mistakes", "004": "Introduction, probability, curve fitting; the perceptron and its convergence" };

/** Build one of these pages. */
export async function mountPage(key) {
  const main = make("main", { class: `rosenblatt ${key === "check" ? "check" : "plans"}`, id: "picture" });
  document.body.append(main);
  if (key === "map") showMap(main);
  else if (key === "lessons") main.innerHTML = htmlOf(await loadText("lessons.md")).replace("<h2>", "<h1>").replace("</h2>", "</h1>");
  else showCheck(main);
  document.title = `${main.querySelector("h1").textContent} · rosenblatt lab`;
}

function showMap(main) {
  const keys = Object.keys(NOTES);
  const rows = CHAPTERS.map((chapter, at) => make("tr", {}, make("th", { scope: "row" }, `${at + 1}. `, make("a", { href: `?chapter=${chapter.key}` }, chapter.title)), ...keys.map((note) => make("td", {}, chapter.notes.includes(note) ? "●" : ""))));
  const head = make("tr", {}, make("th", { scope: "col" }, "Chapter"), ...keys.map((note) => make("th", { scope: "col" }, note)));
  main.append(make("h1", {}, "Chapters and lecture notes"), make("p", {}, "The order of the chapters is that of a first course. A dot marks the notes that a chapter follows."),
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Map" }, make("table", { class: "map" }, make("thead", {}, head), make("tbody", {}, ...rows))),
    make("h2", {}, "The notes"), make("dl", {}, ...keys.flatMap((note) => [make("dt", {}, note), make("dd", {}, NOTES[note])])));
}

function showCheck(main) {
  const link = make("textarea", { id: "link", placeholder: "https://…?chapter=steps#…", spellcheck: false });
  const codes = make("textarea", { id: "codes", placeholder: "R…\nR…", spellcheck: false });
  const output = make("div", { role: "status" });
  const run = button("Check the answers", async () => {
    output.replaceChildren();
    try {
      output.append(await results(link.value, codes.value));
    } catch (error) {
      output.append(make("p", { class: "trouble" }, error.message));
    }
  }, { class: "main" });
  main.append(make("h1", {}, "Check answers"), make("p", {}, "Paste the link of an assignment and the codes of your students, one in each line. Every answer is replayed here, in this page, with exact arithmetic; nothing is sent anywhere."),
    make("label", { for: "link" }, "Link of the assignment"), link, make("label", { for: "codes" }, "Answer codes"), codes, make("p", {}, run), output);
}

/** Return a table with the outcome of each code for the assignment of a link. */
async function results(link, codes) {
  const [address, part] = link.trim().split("#");
  const key = new URLSearchParams(address.split("?")[1] ?? "").get("chapter");
  if (!part || !chapterOf(key)) throw new SyntaxError("The link names no chapter of this lab; copy the whole link of the assignment.");
  const hash = `#${part}`;
  const { changes, error } = readHash(hash);
  if (error) throw new SyntaxError(error);
  const { task, ...settings } = changes;
  const [{ default: scene }, { exercises }] = await Promise.all([loadModule(`chapters/${key}/scene.js`), loadModule(`chapters/${key}/questions.js`)]);
  const reason = problemOfTask(task ?? null, exercises);
  if (reason) throw new SyntaxError(`The link is not an assignment: ${reason}.`);
  const lines = codes.split(/\s+/).filter(Boolean);
  if (!lines.length) throw new SyntaxError("Paste at least one code.");
  const rows = lines.map((code) => rowOf(code, { chapter: key, hash, task, changes: settings, start: scene.start, compute: scene.compute, exercises }));
  const head = ["name", "right", "tries", "answers"].map((title) => make("th", { scope: "col" }, title));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Results" }, make("table", {}, make("caption", {}, `${rows.filter(({ right }) => right).length} of ${rows.length} are right`), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows.map(({ element }) => element))));
}

function rowOf(code, assignment) {
  const row = (name, ...cells) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell)));
  try {
    const { name, outcomes, right, tooMany } = replayCode(code, assignment);
    const answers = outcomes.map((outcome) => `${textOf(outcome.answer)} ${outcome.right ? "✓" : "✗"}`).join("; ");
    return { right, element: row(name || "(no name)", right ? "yes" : "no", String(outcomes.length), `${answers}${tooMany ? " (more answers than tries; the others do not count)" : ""}`) };
  } catch (error) {
    return { right: false, element: row(`${code.slice(0, 12)}…`, "–", "", error.message) };
  }
}

const textOf = (answer) => (answer === null ? "the picture" : typeof answer === "number" ? `option ${answer + 1}` : Array.isArray(answer) ? answer.join(", ") : String(answer));
