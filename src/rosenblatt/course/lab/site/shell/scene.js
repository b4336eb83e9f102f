// The scene of a chapter: its planes, points, handles, controls, steps, sentences and tables.

import { Plane } from "../viewer/plane.js";
import { button, buildControls, make, tableOf } from "./controls.js";
import { PointEditor } from "./points.js";

const SPEEDS = { 0.5: "½×", 1: "1×", 2: "2×", 5: "5×", 20: "20×" };
const PLAY_INTERVAL = 900; // milliseconds between steps at speed 1

/** Return a function that computes anew only when a state differs in more than its step. */
export function remembered(compute, version = () => 0) {
  let [last, result] = [null, null];
  return (state) => {
    const key = JSON.stringify({ ...state, step: 0, task: version() });
    if (key !== last) [last, result] = [key, compute(state)];
    return result;
  };
}

export class Scene {
  /** `scene` is the description of the chapter; `allowed` names the controls that may be used, null for all. */
  constructor(scene, store, { stage, side, below, questions = {}, allowed = null }) {
    Object.assign(this, { scene, store, questions, allowed });
    this.compute = remembered(scene.compute, scene.version);
    this.planes = new Map();
    this.handles = [];
    this.guess = null; // what has to be predicted before the next step
    this.buildPlanes(stage);
    if (scene.steps) this.buildPlayer(stage);
    this.trouble = make("p", { class: "trouble", role: "alert", hidden: true });
    this.sentences = make("section", { class: "sentences", "aria-label": "Result", "aria-live": "polite" });
    stage.append(this.trouble, this.sentences);
    this.buildSide(side);
    this.tables = make("div", { class: "tables" });
    below.append(this.tables);
    this.custom = (scene.parts ?? []).map((part) => part(below, { store, scene: this }));
    store.listeners.add(() => this.update());
    this.frame();
    this.update();
  }

  may(name) {
    return !this.allowed || this.allowed.includes(name);
  }

  // ---------------------------------------------------------------- building

  buildPlanes(stage) {
    const box = make("div", { class: "planes" });
    stage.append(box);
    for (const spec of this.scene.planes) {
      const cell = make("div", { class: `cell ${spec.small ? "small" : ""}` });
      if (spec.title) cell.append(make("h2", { class: "plane-title" }, spec.title));
      box.append(cell);
      const plane = new Plane(cell, { label: spec.label, xLabel: spec.xLabel ?? "x₁", yLabel: spec.yLabel ?? "x₂", equal: spec.equal ?? true });
      if (spec.aspect) plane.element.style.aspectRatio = spec.aspect;
      this.planes.set(spec.key, plane);
      if (spec.points && this.may("points")) {
        const points = this.scene.points;
        this.editor = new PointEditor(plane, cell, { store: this.store, ...points });
      }
      if (spec.onPress && this.may(spec.key)) {
        plane.onPress((point) => this.store.change(spec.onPress(point, this.store.state, this.result)), { label: spec.pressLabel ?? "cross", does: spec.pressDoes });
      }
    }
  }

  buildPlayer(stage) {
    const step = (by) => this.advance(by);
    this.slider = make("input", { type: "range", min: "0", step: "1", "aria-label": "Step", on: { input: () => this.go(Number(this.slider.value)), change: () => this.store.settle() } });
    this.position = make("output", { class: "position" });
    this.toggle = button("▶\uFE0E", () => (this.timer ? this.pause() : this.play()), { class: "main", "aria-label": "Play" });
    this.speed = make("select", { "aria-label": "Speed" }, ...Object.entries(SPEEDS).map(([value, text]) => new Option(text, value)));
    this.speed.value = "1";
    this.nextButton = button("Next ›", () => step(1), { "aria-label": "Next step" });
    this.player = make("div", { class: "bar player", role: "group", "aria-label": "Steps" },
      button("|‹", () => this.go(0), { "aria-label": "First step" }), button("‹", () => step(-1), { "aria-label": "Previous step" }),
      this.toggle, this.nextButton, button("›|", () => this.go(Infinity), { "aria-label": "Last step" }), this.slider, this.position, this.speed);
    stage.append(this.player);
    if (this.questions.predict) {
      this.predicting = make("input", { type: "checkbox", id: "predicting", on: { change: () => this.update() } });
      this.guessing = make("div", { class: "guess", hidden: true, "aria-live": "polite" });
      stage.append(make("div", { class: "bar predict-bar" }, this.predicting, make("label", { for: "predicting" }, "Predict each step before it is shown")), this.guessing);
    }
  }

  buildSide(side) {
    const { presets } = this.scene;
    const change = (part, key = null) => this.changeBy(part, key);
    if (presets && this.may("presets")) {
      const names = Object.keys(presets);
      const choice = make("select", { id: "preset", on: { change: () => this.load(presets[names[choice.selectedIndex - 1]]) } });
      choice.append(new Option("choose …", ""), ...names.map((name) => new Option(name, name)));
      side.append(make("div", { class: "control preset" }, make("label", { for: "preset" }, "Example"), choice));
      this.presetChoice = choice;
    }
    this.showControls = buildControls(side, this.scene.controls ?? [], { change, settle: () => this.store.settle(), allowed: this.allowed });
  }

  // ---------------------------------------------------------------- changes

  changeBy(part, key) {
    const moved = "step" in part || !("step" in this.store.state) ? part : { ...part, step: 0 };
    this.store.change(moved, key);
    if (!key) this.frame();
  }

  /** Load an example: the initial state with the changes of the example. */
  load(part) {
    if (!part) return;
    this.pause();
    this.editor?.select(-1);
    this.store.change(structuredClone({ ...this.scene.start, ...part }));
    this.frame();
  }

  /** Choose the view again; it stays where it is during a drag. */
  frame() {
    const { state } = this.store;
    const result = this.safely(() => this.compute(state));
    for (const spec of this.scene.planes) {
      const view = this.safely(() => spec.view(state, result));
      if (view) this.planes.get(spec.key).setView(...view);
    }
    this.repaint();
  }

  // ---------------------------------------------------------------- steps

  get count() {
    return this.result ? this.scene.steps(this.store.state, this.result) : 0;
  }

  go(step) {
    this.pause();
    this.store.change({ step: Math.max(0, Math.min(this.count, step)) }, "step");
  }

  advance(by) {
    const { step } = this.store.state;
    if (by > 0 && this.predicting?.checked && step < this.count && !this.guess?.done) {
      this.guessing.querySelector("button, input")?.focus();
      return;
    }
    this.guess = null;
    this.go(step + by);
  }

  play() {
    if (this.predicting?.checked) { this.advance(1); return; }
    if (this.store.state.step >= this.count) this.store.change({ step: 0 }, "step");
    const tick = () => {
      if (this.store.state.step >= this.count) { this.pause(); return; }
      this.store.change({ step: this.store.state.step + 1 }, "step");
      this.timer = setTimeout(tick, PLAY_INTERVAL / Number(this.speed.value));
    };
    this.timer = setTimeout(tick, 50);
    this.showPlaying();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.showPlaying();
  }

  showPlaying() {
    if (!this.toggle) return;
    this.toggle.textContent = this.timer ? "❚❚" : "▶\uFE0E";
    this.toggle.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }

  // ---------------------------------------------------------------- showing

  safely(action) {
    try {
      return action();
    } catch (error) {
      this.refusal = error.message;
      return null;
    }
  }

  update() {
    const { state } = this.store;
    this.refusal = "";
    this.result = this.safely(() => this.compute(state));
    this.trouble.hidden = !this.refusal;
    this.trouble.textContent = this.refusal;
    this.showControls(state);
    if (this.presetChoice) this.showPreset(state);
    if (this.slider) this.showStep(state);
    this.placeHandles(state);
    this.editor?.update();
    const lines = this.result ? this.scene.sentences(state, this.result) : [];
    this.sentences.replaceChildren(...lines.map((line) => make("p", {}, line)));
    const tables = this.result && this.scene.tables ? this.scene.tables(state, this.result) : [];
    this.tables.replaceChildren(...tables.map(tableOf));
    this.planes.values().next().value?.describe(lines.join(" ") || this.scene.planes[0].label);
    this.custom.forEach((part) => part.update?.(state, this.result));
    this.repaint();
    this.onUpdate?.(state, this.result);
  }

  repaint() {
    const { state } = this.store;
    for (const spec of this.scene.planes) {
      const plane = this.planes.get(spec.key);
      if (spec.names && this.result) [plane.xLabel, plane.yLabel] = spec.names(state, this.result);
      plane.draw((pen) => this.result && spec.paint(pen, state, this.result));
    }
  }

  showPreset(state) {
    const found = Object.values(this.scene.presets).findIndex((part) => {
      const whole = { ...this.scene.start, ...part };
      return Object.keys(whole).every((name) => name === "step" || JSON.stringify(whole[name]) === JSON.stringify(state[name]));
    });
    this.presetChoice.selectedIndex = found + 1;
  }

  showStep(state) {
    const { count } = this;
    this.player.hidden = count === 0;
    if (this.guessing) this.predicting.parentElement.hidden = count === 0;
    this.slider.max = String(count);
    this.slider.value = String(state.step);
    this.position.textContent = `${Math.min(state.step, count)} of ${count}`;
    this.slider.setAttribute("aria-valuetext", `step ${this.position.textContent}`);
    this.showGuess(state, count);
  }

  // before the next step: a question whose answer the step reveals
  showGuess(state, count) {
    if (!this.guessing) return;
    const on = this.predicting.checked && this.result && state.step < count;
    this.guessing.hidden = !on;
    this.nextButton.disabled = false;
    if (!on) { this.guess = null; return; }
    const key = JSON.stringify(state);
    if (this.guess?.key === key) return;
    this.guess = { key, done: false };
    const question = this.questions.predict(state, this.result);
    if (!question) { this.guess.done = true; this.guessing.hidden = true; return; }
    this.onGuess?.(this.guessing, question, () => { this.guess.done = true; });
  }

  placeHandles(state) {
    const wanted = this.result ? this.scene.planes.flatMap((spec) => (spec.handles && this.may("handles") ? spec.handles(state, this.result).map((handle) => ({ ...handle, plane: spec.key })) : [])) : [];
    const names = wanted.map(({ plane, key }) => `${plane} ${key}`).join("|");
    if (names !== this.handleNames) {
      this.handleNames = names;
      this.handles.forEach((handle) => handle.remove());
      this.handles = wanted.map((spec, at) => {
        const handle = this.planes.get(spec.plane).handle({
          at: spec.at, label: spec.label, text: spec.text ?? "", along: spec.along ?? null,
          onMove: (point) => this.store.change(this.moves[at](point, this.store.state), `handle ${spec.key}`),
        });
        handle.element.addEventListener("pointerup", () => this.store.settle());
        handle.element.classList.toggle("grip", Boolean(spec.grip));
        return handle;
      });
    }
    this.moves = wanted.map((spec) => spec.move);
    wanted.forEach((spec, at) => this.handles[at].moveTo(spec.at));
  }
}
