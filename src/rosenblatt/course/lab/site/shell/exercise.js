// Questions on the page: answer, check, hint, explanation.

import { check, solutionOf } from "./check.js";
import { button, make } from "./controls.js";
import { inlineOf, htmlOf } from "./markdown.js";

let numbered = 0;
const TRIES = 3; // wrong answers before the solution is offered

/**
 * Show a question in `parent`. `context()` returns {state, result, scene}; `tries` limits the answers;
 * `onAnswer(answer, outcome)` is told each readable answer.
 */
export function showQuestion(parent, question, { context = () => ({ state: {}, result: null }), tries = Infinity, onAnswer = () => {}, onDone = () => {}, title = "", load = null } = {}) {
  numbered += 1;
  const card = make("div", { class: `question ${question.kind}` });
  const name = `question-${numbered}`;
  const text = make("div", { class: "asked", id: `${name}-text`, html: htmlOf(typeof question.text === "function" ? question.text(context().state, context().result) : question.text) });
  if (title) text.prepend(make("p", { class: "question-title" }, title));
  const feedback = make("div", { class: "feedback", role: "status" });
  const form = make("form", { class: "answer", "aria-labelledby": `${name}-text`, novalidate: "" });
  const fields = FIELDS[question.kind](form, question, name, context);
  const submit = make("button", { type: "submit" }, question.kind === "scene" ? "Check the picture" : "Check");
  const give = button("Show the solution", () => finish(false), { hidden: true, class: "plain" });
  const actions = make("div", { class: "actions" });
  if (load && question.start) actions.append(button("Set up the picture", () => load(question.start)));
  actions.append(submit, give);
  form.append(actions);
  card.append(text, form, feedback);
  parent.append(card);
  let wrongs = 0;
  let done = false;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (done) return;
    const { state, result } = context();
    const answer = fields.read();
    const outcome = check(question, answer, state, result);
    if (!outcome.unreadable) {
      onAnswer(answer, outcome);
      if (!outcome.right) wrongs += 1;
    }
    if (outcome.right) { finish(true); return; }
    say("wrong", outcome.unreadable ? outcome.hint : `**Not yet.** ${outcome.hint === "Not yet." ? "" : outcome.hint}`);
    if (wrongs >= tries) { finish(false); return; }
    if (Number.isFinite(tries)) feedback.append(make("p", { class: "quiet" }, `${tries - wrongs} of ${tries} tries left`));
    else give.hidden = wrongs < TRIES;
  });

  function say(kind, markdown) {
    feedback.dataset.kind = kind;
    feedback.replaceChildren(make("div", { html: htmlOf(markdown) }));
  }

  function finish(right) {
    done = true;
    const { state, result } = context();
    const solution = solutionOf(question, state, result);
    const explain = typeof question.explain === "function" ? question.explain(state, result) : question.explain ?? "";
    const lead = right ? "**Right.** " : Number.isFinite(tries) ? "**No tries left.** " : solution ? `The answer: ${solution}. ` : "";
    say(right ? "right" : "given", lead + (right || !Number.isFinite(tries) ? explain : ""));
    card.dataset.done = String(right);
    for (const control of form.querySelectorAll("input, button, select")) control.disabled = true;
    actions.hidden = true;
    onDone(right);
  }

  return { element: card, isDone: () => done };
}

const FIELDS = {
  choice(form, { options, many = false }, name) {
    const inputs = options.map((option, at) => {
      const input = make("input", { type: many ? "checkbox" : "radio", name, value: String(at), id: `${name}-${at}` });
      form.append(make("label", { class: "option", for: input.id }, input, make("span", { html: inlineOf(option.text) })));
      return input;
    });
    return {
      read() {
        const chosen = inputs.flatMap((input, at) => (input.checked ? [at] : []));
        return many ? chosen : chosen[0] ?? -1;
      },
    };
  },
  number: (form, question, name) => textField(form, name, question, question.placeholder ?? "2, −0.5 or 3/4"),
  vector: (form, question, name) => textField(form, name, question, question.placeholder ?? "(1, −2)"),
  equation: (form, question, name) => textField(form, name, question, question.placeholder ?? "2x1 + 3x2 − 6 = 0"),
  scene: () => ({ read: () => null }),
  place(form, question, name, context) {
    const [x, y] = [0, 1].map((at) => make("input", { type: "text", inputmode: "text", "aria-label": `x${"₁₂"[at]}`, size: "6" }));
    const plane = context().scene?.planes.values().next().value;
    form.append(make("p", { class: "quiet" }, "Click in the picture, or type the place: "), make("span", { class: "pair-of-fields" }, x, y));
    const canvas = plane?.canvas.element;
    const onClick = (event) => {
      if (!form.isConnected || form.closest("[hidden]")) { canvas.removeEventListener("click", onClick); plane.asks = false; return; }
      plane.toData(...plane.place(event)).forEach((value, at) => { [x, y][at].value = value.toFixed(2); });
      form.requestSubmit();
    };
    if (canvas) {
      plane.asks = true; // the next click answers; it adds no point
      canvas.addEventListener("click", onClick);
    }
    return { read: () => [x, y].map((input) => Number(input.value.replace("−", "-") || NaN)) };
  },
};

function textField(form, name, { label = "Your answer" }, placeholder) {
  const input = make("input", { type: "text", id: `${name}-field`, placeholder, autocomplete: "off", autocapitalize: "off", spellcheck: false });
  form.append(make("label", { for: input.id, class: "field" }, make("span", {}, label), input));
  return { read: () => input.value };
}
