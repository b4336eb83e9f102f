// The selected point, chosen by pointer or by number: its values, label and current functional margin.

import { whole } from "./numbers.js";
import { pointSentence } from "./sentences.js";

const UNCHOSEN = "Point at a mark or enter the number of a point to see its values and functional margin.";
const VISIT_BUTTONS = [
  ["previous step", "Previous step with this point"],
  ["next step", "Next step with this point"],
];

/**
 * The field for the number of a point, its sentence, and the tooltip of a mark. A click selects a point,
 * unless the plane uses clicks for something else. `onMark` is called when the marks have changed, and
 * `onVisit(row, backwards)` when another step with the point is requested.
 */
export class ChosenPoint {
  constructor(parent, scene, replay, { onMark, onVisit }) {
    Object.assign(this, { scene, replay, onMark, onVisit, head: replay.head });
    Object.assign(this, { row: null, pointed: null, isTap: false, state: null });
    this.build(parent);
    this.listen(scene.plane.canvas.element);
  }

  /** Show the functional margin and the prediction of the point after a step. */
  show(state) {
    this.state = state;
    this.sentence.setAttribute("aria-live", "off"); // screen readers already read the step
    if (this.isTap) this.point(null); // a touch causes no leave event
    if (this.row !== null) this.sentence.textContent = this.description();
    this.showTip();
  }

  /** Announce a change about the point. */
  announce(text) {
    this.sentence.setAttribute("aria-live", "polite");
    this.sentence.textContent = text;
  }

  // ---------------------------------------------------------------- choosing

  choose(row) {
    this.row = row;
    this.field.value = row === null ? "" : String(row + 1);
    this.announce(row === null ? UNCHOSEN : this.description());
    this.mark();
  }

  // the input need not be the number of a point
  chooseTyped() {
    const [text, last] = [this.field.value, this.head.points.length];
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= last) this.choose(number - 1);
    else {
      this.row = null;
      const isEmpty = text === "" && !this.field.validity.badInput;
      this.announce(isEmpty ? UNCHOSEN
        : `There is no such point: points are numbered 1 to ${whole(last)}.`);
      this.mark();
    }
  }

  point(row, isTap = false) {
    this.isTap = isTap;
    if (row === this.pointed) return;
    this.pointed = row;
    this.showTip();
    this.mark();
  }

  mark() {
    this.scene.marked = [...new Set([this.row, this.pointed])].filter((row) => row !== null);
    for (const button of this.buttons) button.setAttribute("aria-disabled", String(this.row === null));
    this.onMark();
  }

  // ---------------------------------------------------------------- words

  description() {
    const { last, next } = this.replay.visitsNear(this.row, this.state.step);
    const visits = [
      last && `Last step with this point: ${whole(last)}.`,
      next && `Next step with this point: ${whole(next)}.`,
    ];
    return [this.judgement(this.row), ...visits.filter((visit) => visit)].join(" ");
  }

  judgement(row) {
    return pointSentence(this.head, row, this.scene.judged.agreement(row, this.state));
  }

  // beside the mark, on the side with enough space
  showTip() {
    const { plane, drawn } = this.scene;
    this.tip.hidden = this.pointed === null || !this.state;
    if (this.tip.hidden) return;
    const [left, top] = [plane.x(drawn[this.pointed][0]), plane.y(drawn[this.pointed][1])];
    this.tip.textContent = this.judgement(this.pointed);
    this.tip.style.setProperty("--left", `${left}px`);
    this.tip.style.setProperty("--top", `${top}px`);
    this.tip.dataset.side = left > plane.canvas.width / 2 ? "left" : "right";
    this.tip.dataset.edge = top > plane.canvas.height / 2 ? "above" : "below";
  }

  // ---------------------------------------------------------------- building

  listen(canvas) {
    const near = (event) => {
      const row = this.scene.plane.nearest(this.scene.drawn, event);
      return row < 0 ? null : row;
    };
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      const row = near(event);
      canvas.classList.toggle("on-point", row !== null && !this.scene.plane.takesPresses);
      this.point(row);
    });
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("click", (event) => {
      if (this.scene.plane.takesPresses || !this.state) return;
      this.choose(near(event));
      if (event.pointerType === "touch") this.point(this.row, true);
    });
  }

  build(parent) {
    const [box, label, name] = ["div", "label", "span"].map((tag) => document.createElement(tag));
    box.className = "chosen";
    name.textContent = `Point, 1 to ${whole(this.head.points.length)}`;
    this.field = document.createElement("input");
    Object.assign(this.field, { type: "number", min: 1, max: this.head.points.length, step: 1 });
    this.field.addEventListener("input", () => this.chooseTyped());
    label.append(name, this.field);
    this.buttons = VISIT_BUTTONS.map(([text, title], k) => this.visitButton(text, title, k === 0));
    this.sentence = document.createElement("p");
    this.sentence.className = "note";
    this.sentence.textContent = UNCHOSEN;
    box.append(label, ...this.buttons, this.sentence);
    parent.append(box);
    this.tip = document.createElement("div");
    Object.assign(this.tip, { className: "tip", hidden: true, ariaHidden: "true" });
    this.scene.plane.element.append(this.tip);
  }

  visitButton(text, title, backwards) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: text, title, ariaLabel: title });
    button.setAttribute("aria-disabled", "true");
    button.addEventListener("click", () => this.row !== null && this.onVisit(this.row, backwards));
    return button;
  }
}
