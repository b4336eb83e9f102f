// The dialog in which a teacher makes an assignment: a question, the permitted controls, the number of tries.

import { GOALS, LONGEST_TEXT, problemOfTask } from "./assignment.js";
import { check } from "./check.js";
import { button, copyText, make } from "./controls.js";
import { readEquation } from "./exact.js";
import { LONGEST_LINK } from "./state.js";

/** Open the dialog for a chapter page. */
export function makeAssignment(page) {
  const { exercises } = page.questions;
  const dialog = make("dialog", { "aria-labelledby": "assignment-title" });
  const source = select("Question", [["own", "my own question"], ...exercises.map((question, at) => [String(at), `Exercise ${at + 1}: ${question.title}`])]);
  const kind = select("Kind of answer", [["number", "a number"], ["vector", "a vector"], ["equation", "an equation of a line"], ["choice", "a choice"], ["scene", "the picture itself"]]);
  const text = make("textarea", { id: "ask", maxlength: String(LONGEST_TEXT), placeholder: "For which point does the first mistake happen?" });
  const answer = make("input", { type: "text", id: "right", autocomplete: "off" });
  const answerLabel = make("label", { for: "right" }, "");
  const goal = select("The task is solved if", Object.entries(GOALS).map(([key, each]) => [key, each.text]));
  const tries = make("input", { type: "number", id: "tries", min: "1", max: "99", value: "3" });
  const controls = controlNames(page.scene);
  const boxes = controls.map(([name, title]) => make("label", {}, make("input", { type: "checkbox", value: name, checked: true }), title));
  const problem = make("p", { class: "trouble", role: "alert", hidden: true });
  const link = make("output", { class: "code", "aria-label": "Link of the assignment" });
  const status = make("span", { role: "status", class: "quiet" });
  const done = make("div", { hidden: true }, make("p", {}, "Send this link. The points and settings are those that the page shows now."), link, button("Copy link", () => copyText(link.textContent, status)), " ", make("a", { target: "_blank", rel: "noopener" }, "Open it"), " ", status);

  const own = make("div", {}, kind.element, make("label", { for: "ask" }, "Question (formulas between $)"), text, make("div", { class: "control" }, answerLabel, answer), goal.element);
  const show = () => {
    own.hidden = source.control.value !== "own";
    const type = kind.control.value;
    goal.element.hidden = type !== "scene";
    answer.parentElement.hidden = type === "scene";
    answerLabel.textContent = { number: "Right answer, such as 2/3", vector: "Right answer, such as (2, −1)", equation: "Right answer, such as 2x1 + 3x2 − 6 = 0", choice: "Options, the right one first, separated by |" }[type] ?? "";
  };
  [source, kind].forEach(({ control }) => control.addEventListener("change", show));
  show();

  const create = () => {
    done.hidden = true;
    try {
      const task = {
        ...(source.control.value === "own" ? { ask: askOf(kind.control.value, text.value.trim(), answer.value.trim(), goal.control.value) } : { q: Number(source.control.value) }),
        allow: boxes.map((box) => box.firstChild).filter((input) => input.checked).map((input) => input.value),
        tries: Number(tries.value),
      };
      const reason = problemOfTask(task, exercises);
      if (reason) throw new SyntaxError(reason);
      link.textContent = page.assignmentLink(task);
      done.querySelector("a").href = link.textContent;
      status.textContent = link.textContent.length > LONGEST_LINK ? `The link has ${link.textContent.length} characters; some mail programs cut links after ${LONGEST_LINK}.` : "";
      problem.hidden = true;
      done.hidden = false;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problem.hidden = false;
      problem.textContent = error.message;
    }
  };
  dialog.append(make("h2", { id: "assignment-title" }, "Make an assignment"), source.element, own,
    make("div", { class: "control" }, make("label", { for: "tries" }, "Number of tries"), tries),
    make("fieldset", {}, make("legend", {}, "Students may use"), make("div", { class: "marks" }, ...boxes)),
    make("p", { class: "quiet" }, "The page checks answers in the browser, so the link contains the answer to your own question in readable form. Students hand in a code, which “Check answers” replays."),
    problem, make("div", { class: "actions" }, button("Make the link", create, { class: "main" }), button("Close", () => dialog.close())), done);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Return the names and titles of everything that an assignment can permit. */
export function controlNames(scene) {
  const names = new Map();
  if (scene.presets) names.set("presets", "examples");
  if (scene.points) names.set("points", "points (add, move, delete)");
  if (scene.planes.some((plane) => plane.handles)) names.set("handles", "handles in the picture");
  for (const plane of scene.planes) if (plane.onPress) names.set(plane.key, `clicks: ${plane.label}`);
  for (const { name, label, type, group } of scene.controls ?? []) {
    if (type !== "note" && !names.has(name)) names.set(name, `${typeof label === "string" ? label : name}${group ? ` (${group})` : ""}`);
  }
  return [...names];
}

/** Return the question that a teacher wrote, or throw a SyntaxError that says what is wrong with it. */
export function askOf(kind, text, right, goal) {
  if (!text) throw new SyntaxError("write a question");
  if (kind === "scene") return { kind, text, goal };
  if (kind === "choice") {
    const options = right.split("|").map((option) => option.trim()).filter(Boolean);
    if (options.length < 2) throw new SyntaxError("write at least two options, separated by |");
    const order = options.map((option, at) => ({ text: option, ...(at ? {} : { right: true }) }));
    return { kind, text, options: order.sort((one, other) => (one.text < other.text ? -1 : 1)) };
  }
  if (kind === "equation") {
    const answer = parsed(kind, right);
    return { kind, text, answer };
  }
  parsed(kind, right);
  return { kind, text, answer: kind === "vector" ? right.replace(/^[([]|[)\]]$/g, "").split(/\s*[,;]\s*|\s+/) : right };
}

// the answer itself must be readable in the same way as the answers of students
function parsed(kind, text) {
  const probe = { number: { kind, answer: 0 }, vector: { kind, answer: text.replace(/^[([]|[)\]]$/g, "").split(/\s*[,;]\s*|\s+/).map(() => 0) }, equation: { kind, answer: { w: [1, 0], b: 0 } } }[kind];
  const outcome = check(probe, text);
  if (outcome.unreadable) throw new SyntaxError(`the right answer: ${outcome.hint}`);
  return kind === "equation" ? lineOf(text) : null;
}

function lineOf(text) {
  const { w, b } = readEquation(text);
  return { w: w.map((part) => `${part.n}/${part.d}`), b: `${b.n}/${b.d}` };
}

function select(title, options) {
  const control = make("select", { id: `select-${title.replace(/\W+/g, "-")}` });
  control.append(...options.map(([value, name]) => new Option(name, value)));
  return { control, element: make("div", { class: "control" }, make("label", { for: control.id }, title), control) };
}
