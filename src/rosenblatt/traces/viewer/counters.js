// The numbers beside the picture, and the weights with all digits.

import { counted, exactly, real, whole } from "./numbers.js";
import { ceiling, countedBy } from "./proof.js";
import { lowered, shortName, supportSize } from "./sentences.js";

const MOST_WEIGHTS = 24; // rows of the table

/** Step, pass, mistakes, ‖w‖², w·w* and the functional margin, each with its bound in the proof. */
export class Counters {
  constructor(parent, head) {
    this.head = head;
    this.proof = head.claims_apply ? head.proof : null;
    this.list = document.createElement("dl");
    this.list.className = "counters";
    parent.append(this.list);
    this.boxes = new Map();
  }

  show(state) {
    const { head, proof } = this;
    const bound = proof?.bound ?? null;
    this.set("step", whole(state.step), `of ${whole(head.n_steps)}`);
    this.set("pass", whole(state.epoch), state.index < 0 ? "" : `point ${state.index + 1} of ${this.head.points.length}`);
    const most = bound === null ? "no bound" : `at most ${real(bound)}`;
    const [clock] = countedBy(proof);
    this.set("mistakes m", whole(state.mistakes), most);
    if (clock === "updates") this.set("updates u", whole(state.updates), most);
    const missed = state.mistakes - state.falsePositives;
    this.set("false positives", whole(state.falsePositives), counted(missed, "false negative"));
    this.set("‖w‖²", real(state.norm2), proof ? `at most ${this.roof(state[clock])}` : "");
    if (proof) this.set("w·w*", real(state.progress), `at least ${this.floor(state[clock])}`);
    this.set("functional margin", agreementText(state), this.growth(state));
    if (head.kernel) {
      this.set("support", whole(supportSize(state)), `of ${whole(head.labels.length)} points`);
    }
  }

  roof(m) {
    const terms = `${whole(m)} · ${this.proof.growth_name} = ${real(ceiling(this.proof, m, m).now)}`;
    return this.proof.start_norm2 ? `‖w₀‖² + ${terms}` : terms;
  }

  floor(m) {
    const { progress, progress_name: name, start_progress: start } = this.proof;
    const terms = `${whole(m)} · ${name} = ${real(start + m * progress)}`;
    return start ? `w₀·w* + ${terms}` : terms;
  }

  // on an update by Rosenblatt's rule it grows by ‖x‖², or K(x, x), and by 1 more with an offset
  growth({ updated, index, agreement, agreementAfter }) {
    if (!updated) return index < 0 ? "" : "unchanged";
    const { head } = this;
    const square = head.kernel?.squares[index]
      ?? head.points[index].reduce((sum, x) => sum + x * x, head.offset ? 1 : 0);
    const grown = agreementAfter - agreement;
    const increase = `increased by ${real(grown)}`;
    const rounding = 1e-9 * Math.max(Math.abs(agreement), Math.abs(agreementAfter), square);
    const same = Math.abs(grown - square) <= rounding;
    const name = `${head.kernel ? "K(x, x)" : "‖x‖²"}${head.offset ? " + 1" : ""}`;
    return head.claims_apply && same ? `${increase} = ${name}` : increase;
  }

  set(name, value, note) {
    let box = this.boxes.get(name);
    if (!box) {
      box = counterBox(name);
      this.list.append(box.element);
      this.boxes.set(name, box);
    }
    box.value.textContent = value;
    box.note.textContent = note;
  }
}

/** w and b before and after the step, with all digits. */
export class WeightTable {
  constructor(parent, head) {
    const all = head.n_weights ?? head.n_features;
    this.shown = Math.min(all, MOST_WEIGHTS);
    const names = Array.from({ length: this.shown }, (_, j) => weightName(head, j));
    const hasOffset = head.offset && !head.kernel;
    const labels = hasOffset ? [...names, "b"] : names;
    const table = document.createElement("table");
    table.className = head.features ? "weights named" : "weights";
    const caption = table.createCaption();
    caption.textContent = head.kernel ? "coefficients of the support points, all digits"
      : hasOffset ? "w and b, all digits" : "w, all digits";
    const header = table.createTHead().insertRow();
    for (const title of ["", "before", "change", "after"]) {
      const cell = title ? document.createElement("th") : document.createElement("td");
      if (title) cell.scope = "col";
      cell.textContent = title;
      header.append(cell);
    }
    const body = table.createTBody();
    this.rows = labels.map((label) => tableRow(body, label));
    parent.append(table);
    const what = head.kernel ? "coefficients" : "weights";
    if (all > this.shown) parent.append(noteOf(`The first ${this.shown} of ${whole(all)} ${what}.`));
  }

  show({ weights, offset, before }) {
    this.rows.forEach((cells, j) => {
      const [old, now] = j < this.shown ? [before.weights[j], weights[j]] : [before.offset, offset];
      const change = now - old;
      cells[0].textContent = exactly(old);
      cells[1].textContent = change === 0 ? "" : (change > 0 ? "+" : "−") + real(Math.abs(change), 6);
      cells[2].textContent = exactly(now);
    });
  }
}

function agreementText({ index, updated, agreement, agreementAfter }) {
  if (index < 0) return "none yet";
  return updated ? `${real(agreement, 4)} → ${real(agreementAfter, 4)}` : real(agreement, 4);
}

function counterBox(name) {
  const tags = ["div", "dt", "dd", "span", "span"];
  const [element, term, value, text, note] = tags.map((tag) => document.createElement(tag));
  term.textContent = name;
  note.className = "note";
  value.append(text, note);
  element.append(term, value);
  return { element, value: text, note };
}

function noteOf(text) {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = text;
  return note;
}

function weightName(head, j) {
  if (head.kernel) return `point ${head.kernel.support[j] + 1}`;
  const name = lowered(j, "w");
  return head.features ? `${name} (${shortName(head.features[j])})` : name;
}

function tableRow(body, label) {
  const row = body.insertRow();
  const name = document.createElement("th");
  name.scope = "row";
  name.textContent = label;
  row.append(name);
  return [row.insertCell(), row.insertCell(), row.insertCell()];
}
