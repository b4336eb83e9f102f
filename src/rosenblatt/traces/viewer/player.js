// The viewer: the picture, controls, numbers and proof of a run, all at the same step.

import { ChosenPoint } from "./chosen.js";
import { Controls, keysLine } from "./controls.js";
import { Counters, WeightTable } from "./counters.js";
import { KernelScene } from "./kernel_scene.js";
import { markIcon } from "./marks.js";
import { real } from "./numbers.js";
import { Proof } from "./proof.js";
import { Replay } from "./replay.js";
import { Scene } from "./scene.js";
import { arePlain, shortName, signOf, stepSentence } from "./sentences.js";

const KEYS_OF_PICTURE = [
  ["now", "current point"], ["wrong", "misclassified"], ["old", "previous line"],
  ["line", "current line and w"],
];
const KEYS_WITH_KERNEL = [
  ["now", "current point"], ["wrong", "misclassified"], ["support", "support point"],
];
const KEYS_OF_CURVE = [["old", "previous curve"], ["line", "current curve"]];
const CALM = 1; // steps per second up to which each step is read aloud while playing
// number of weights; writing more at each step would take longer than drawing the step
const MOST_WRITTEN = 10000;

/**
 * Show a run inside `element`. `fetchChunk(k)` returns a promise of the bytes of chunk k. Return
 * {goto(t), play(), pause(), step, plane, destroy()}; `goto` returns a promise that the step is drawn. The
 * picture also shows the points of `include`, so that its view can stay the same while points are added. A
 * viewer with `ownsPage` handles keys that no focused element of the page handles. A click selects a point
 * until `plane.onPress` sets another action.
 */
export function mountReplay(element, head, fetchChunk, options = {}) {
  const { step = 0, onStep = null, include = [], ownsPage = false } = options;
  const player = new Player(element, new Replay(head, fetchChunk), { onStep, include, ownsPage });
  player.goto(step);
  return {
    goto: (t) => player.goto(t),
    play: () => player.play(),
    pause: () => player.pause(),
    destroy: () => player.destroy(),
    get step() {
      return player.wanted;
    },
    get plane() {
      return player.scene.plane;
    },
  };
}

class Player {
  constructor(element, replay, { onStep, include, ownsPage }) {
    Object.assign(this, { replay, onStep, include, head: replay.head });
    Object.assign(this, { wanted: 0, shown: null, playing: false, frame: 0 });
    this.build(element);
    this.root.addEventListener("keydown", (event) => this.controls.onKey(event));
    this.onPageKey = (event) => document.activeElement === document.body && this.controls.onKey(event);
    if (ownsPage) document.addEventListener("keydown", this.onPageKey);
    this.proof.onPick((t) => this.goto(t), (counted, m) => this.gotoWhen(counted, m));
  }

  // ---------------------------------------------------------------- going to a step

  /** Draw the state after t steps; until its chunk arrives, draw the parts already known. */
  async goto(t) {
    this.wanted = Math.max(0, Math.min(this.replay.length, Math.round(t) || 0));
    const step = this.wanted;
    this.controls.showStep(step);
    const state = this.replay.now(step);
    if (state) {
      this.show(state);
      return;
    }
    this.preview(step);
    await this.fetched(this.replay.at(step), (come) => this.wanted === step && this.show(come));
  }

  async gotoWhen(counted, m) {
    await this.fetched(this.replay.stepWhen(counted, m), (step) => this.goto(step ?? 0));
  }

  async nextMistake() {
    this.pause();
    const { length } = this.replay;
    await this.fetched(this.replay.nextMistake(this.wanted), (step) => this.goto(step ?? length));
  }

  async previousMistake() {
    this.pause();
    await this.fetched(this.replay.previousMistake(this.wanted), (step) => this.goto(step ?? 0));
  }

  async gotoVisit(row, backwards) {
    this.pause();
    const from = this.wanted;
    await this.fetched(this.replay.visitOf(row, from, backwards), (step) => {
      if (this.wanted !== from) return; // the user moved on while the steps were searched
      if (step !== null) this.goto(step);
      else {
        const side = backwards ? "before" : "after";
        this.chosen.announce(`There is no step with point ${row + 1} ${side} this one.`);
      }
    });
  }

  async fetched(promise, then) {
    this.root.setAttribute("aria-busy", "true");
    try {
      await then(await promise);
    } catch (error) {
      this.pause();
      this.trouble.textContent = error.message;
      this.trouble.hidden = false;
    } finally {
      this.root.removeAttribute("aria-busy");
    }
  }

  // ---------------------------------------------------------------- playing

  play() {
    if (this.playing || this.replay.length === 0) return;
    if (this.wanted >= this.replay.length) this.goto(0);
    this.setPlaying(true);
    let before = performance.now();
    let due = 0;
    const tick = (time) => {
      if (!this.playing) return;
      due += (Math.max(0, time - before) / 1000) * this.controls.speed;
      before = time;
      const steps = Math.floor(due);
      due -= steps;
      if (steps > 0) this.advance(steps);
      this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  // wait for steps that have not arrived, so that the picture keeps up
  advance(steps) {
    if (this.shown?.step !== this.wanted) return;
    this.goto(Math.min(this.replay.length, this.wanted + steps));
    this.replay.prefetch(this.wanted || 1);
    if (this.wanted >= this.replay.length) this.pause();
  }

  pause() {
    if (!this.playing) return;
    cancelAnimationFrame(this.frame);
    this.setPlaying(false);
    if (this.shown) this.announce(this.shown);
  }

  setPlaying(playing) {
    this.playing = playing;
    this.controls.showPlaying(playing);
  }

  // ---------------------------------------------------------------- showing

  show(state) {
    this.shown = state;
    this.trouble.hidden = true;
    this.drawPicture();
    this.counters.show(state);
    this.weights.show(state);
    this.proof.show(state);
    this.chosen.show(state);
    this.announce(state);
    const isShort = state.weights.length <= MOST_WRITTEN;
    Object.assign(this.root.dataset, {
      step: String(state.step), b: JSON.stringify(state.offset),
      ...(isShort && { w: JSON.stringify(state.weights) }),
    });
    this.onStep?.(state.step, state);
  }

  drawPicture() {
    this.scene.show(this.shown, { withStar: this.starBox?.checked ?? false });
  }

  // the curves are known for all steps, so they follow the slider while a chunk is loading
  preview(step) {
    const { overview } = this.head;
    const after = overview.step.findIndex((sampled) => sampled > step);
    const k = after < 0 ? overview.step.length - 1 : Math.max(0, after - 1);
    this.proof.show({
      step, mistakes: overview.mistakes[k], updates: overview.updates[k], norm2: overview.norm2[k],
      progress: overview.progress?.[k] ?? 0,
    });
  }

  announce(state) {
    const calm = !this.playing || this.controls.speed <= CALM;
    this.caption.setAttribute("aria-live", calm ? "polite" : "off");
    this.caption.textContent = stepSentence(this.head, state);
  }

  destroy() {
    this.pause();
    document.removeEventListener("keydown", this.onPageKey);
    this.scene.destroy();
    this.proof.destroy();
    this.root.remove();
  }

  // ---------------------------------------------------------------- building

  build(parent) {
    const { head } = this;
    this.root = child(parent, "section", "rosenblatt replay");
    this.root.tabIndex = 0;
    this.root.setAttribute("aria-label", head.title ? `Replay: ${head.title}` : "Replay of a run");
    const inside = child(this.root, "div", "inside");
    if (head.title) child(inside, "p", "title", head.title);
    if (head.cycle) child(inside, "p", "cycle", `This run cycles: ${head.cycle.sentence}.`);
    this.trouble = child(inside, "p", "trouble");
    this.trouble.setAttribute("role", "alert");
    this.trouble.hidden = true;
    const left = child(inside, "div", "stage");
    this.scene = new (head.kernel ? KernelScene : Scene)(left, head, this.include);
    this.controls = new Controls(left, head.n_steps, head.cycle, this.actions());
    this.caption = child(left, "p", "caption");
    this.buildLegend(left);
    this.chosen = new ChosenPoint(left, this.scene, this.replay, {
      onMark: () => this.shown && this.drawPicture(),
      onVisit: (row, backwards) => this.gotoVisit(row, backwards),
    });
    const side = child(inside, "div", "side");
    this.counters = new Counters(side, head);
    this.proof = new Proof(child(side, "div", "charts"), head);
    const notes = child(inside, "div", "notes");
    this.buildWeights(notes);
    const remarks = child(notes, "div", "remarks");
    for (const text of remarksOn(head)) child(remarks, "p", "note", text);
    remarks.append(keysLine());
  }

  actions() {
    return {
      first: () => this.halt(0),
      back: () => this.halt(this.wanted - 1),
      forward: () => this.halt(this.wanted + 1),
      last: () => this.halt(this.replay.length),
      scrub: (t) => this.halt(t),
      toggle: () => (this.playing ? this.pause() : this.play()),
      nextMistake: () => this.nextMistake(),
      previousMistake: () => this.previousMistake(),
      faster: () => this.controls.changeSpeed(1),
      slower: () => this.controls.changeSpeed(-1),
    };
  }

  halt(t) {
    this.pause();
    this.goto(t);
  }

  buildLegend(parent) {
    const { head } = this;
    const legend = child(parent, "ul", "legend");
    [1, 0].forEach((number) => {
      const item = child(legend, "li");
      item.append(markIcon(number));
      const [sign, name] = [signOf(number ? 1 : -1), head.classes[number]];
      child(item, "bdi", "", arePlain(head.classes) ? sign : `${sign} ${shortName(name)}`);
    });
    const ofCycle = head.cycle && head.n_steps ? [["cycle", "the cycle begins here"]] : [];
    const keys = !head.kernel ? KEYS_OF_PICTURE : head.kernel.grid ? [...KEYS_WITH_KERNEL, ...KEYS_OF_CURVE]
      : KEYS_WITH_KERNEL;
    for (const [kind, text] of [...keys, ...ofCycle]) {
      const item = child(legend, "li");
      item.append(keyOf(kind));
      child(item, "span", "", text);
    }
    if (head.proof && (!head.kernel || head.kernel.grid?.star)) {
      this.starBox = this.tickBox(legend, `best ${head.kernel ? "curve" : "line"} (w*)`, () => {});
      this.starBox.after(keyOf("star"));
    }
    if (head.kernel) return; // its view needs no space for arrows
    const zoom = this.tickBox(legend, "zoom to the points", () => this.scene.zoom(zoom.checked));
  }

  tickBox(legend, text, onChange) {
    const label = child(child(legend, "li"), "label", "tick-box");
    const box = child(label, "input");
    box.type = "checkbox";
    child(label, "span", "", text);
    box.addEventListener("change", () => {
      onChange();
      if (this.shown) this.drawPicture();
    });
    return box;
  }

  buildWeights(parent) {
    const scrolling = child(parent, "div", "wide");
    const ariaLabel = this.head.kernel ? "Coefficients" : "Weights";
    Object.assign(scrolling, { tabIndex: 0, role: "region", ariaLabel });
    this.weights = new WeightTable(scrolling, this.head);
  }
}

// ---------------------------------------------------------------- pieces

function child(parent, tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

function remarksOn(head) {
  if (head.kernel) return remarksWithKernel(head);
  const lifted = "This run has an offset, so the proof is about the lifted points (x, 1) and the lifted "
    + "vector (w, b): here ‖w‖² means ‖w‖² + b², w·w* means w·w* + b·b*, and R and γ are those of the "
    + "lifted points.";
  const proof = head.claims_apply ? head.proof : null;
  const plain = head.offset ? "lifted point (x, 1)" : "point";
  const point = head.settings.sample_weight ? "weighted point" : plain;
  const letters = proof && `R = ${real(proof.radius)} is the length of the longest ${point}, `
    + `γ = ${real(proof.margin)} is the margin of w*${proof.letters && `, ${proof.letters}`}.`;
  return [head.plane.note, head.proof_note, letters, head.offset ? lifted : ""].filter((text) => text);
}

function remarksWithKernel({ plane, proof: star, offset, kernel, settings, proof_note: note, ...head }) {
  const proof = head.claims_apply ? star : null;
  const sum = `K(x, z) = ${kernel.formula}. The score of a point z is the sum of coefficient · K(x, z) `
    + "over the support points x.";
  const lifted = "This run has an offset: 1 is added to K, so b² is part of ‖w‖².";
  const plain = offset ? "K(x, x) + 1" : "K(x, x)";
  const square = settings.sample_weight ? `weight² · (${plain})` : plain;
  const letters = proof && `R² = ${real(proof.radius ** 2)} is the largest ${square}, `
    + `γ = ${real(proof.margin)} is the margin of w*, both in feature space`
    + `${proof.letters && `; ${proof.letters}`}.`;
  return [sum, plane.note, kernel.note, note, letters, offset ? lifted : ""].filter((text) => text);
}

// the legend mark for a line, a ring or the start of a cycle
function keyOf(kind) {
  const key = document.createElement("span");
  key.className = `key key-${kind}`;
  return key;
}
