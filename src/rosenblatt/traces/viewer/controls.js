// Play, step, slider and speed controls, for pointer and keyboard.

import { counted, whole } from "./numbers.js";

const SPEEDS = [0.5, 1, 2, 5, 10, 30, 100, 1000, 10000];
const LONGEST = 120; // duration of a run at the initial speed, in seconds
const BUTTONS = [
  ["first", "First step", "M6 5v14M19 5 9 12l10 7z"],
  ["previousMistake", "Previous mistake", "M11 5 3 12l8 7zM21 5l-8 7 8 7z"],
  ["back", "One step back", "M16 5 7 12l9 7z"],
  ["toggle", "Play", "M7 4v16l13-8z"],
  ["forward", "One step forward", "M8 5l9 7-9 7z"],
  ["nextMistake", "Next mistake", "M13 5l8 7-8 7zM3 5l8 7-8 7z"],
  ["last", "Last step", "M18 5v14M5 5l10 7-10 7z"],
];
const PAUSE = "M7 4h3.5v16H7zM13.5 4H17v16h-3.5z";
const KEYS = {
  ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", PageUp: "previousMistake",
  PageDown: "nextMistake", "+": "faster", "=": "faster", "-": "slower", "−": "slower", " ": "toggle",
};

/** The row of buttons, the slider and the speed; `actions` contains a function for each name above. */
export class Controls {
  constructor(parent, nSteps, cycle, actions) {
    this.nSteps = nSteps;
    this.actions = actions;
    this.element = document.createElement("div");
    this.element.className = "controls";
    this.buttons = {};
    for (const [name, label, icon] of BUTTONS) this.buttons[name] = this.button(name, label, icon);
    this.row = document.createElement("div");
    this.row.className = "buttons";
    this.row.append(...Object.values(this.buttons), this.speedChoice());
    this.element.append(this.scrubber(cycle), this.row);
    parent.append(this.element);
    this.showStep(0);
  }

  /** Steps per second. */
  get speed() {
    return Number(this.speedSelect.value);
  }

  changeSpeed(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    if (at >= 0 && at < SPEEDS.length) this.speedSelect.value = String(SPEEDS[at]);
  }

  showStep(step) {
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `step ${whole(step)} of ${whole(this.nSteps)}`);
    this.slider.style.setProperty("--part", String(this.nSteps ? step / this.nSteps : 0));
    this.number.textContent = `step ${whole(step)} of ${whole(this.nSteps)}`;
    this.disable(["first", "back", "previousMistake"], step <= 0);
    this.disable(["last", "forward", "nextMistake"], step >= this.nSteps);
  }

  // mark the button as disabled for screen readers only: a disabled button would lose the focus
  disable(names, isEnd) {
    for (const name of names) this.buttons[name].setAttribute("aria-disabled", String(isEnd));
  }

  showPlaying(playing) {
    const label = playing ? "Pause" : "Play";
    this.buttons.toggle.setAttribute("aria-label", label);
    this.buttons.toggle.title = label;
    this.buttons.toggle.querySelector("path").setAttribute("d", playing ? PAUSE : BUTTONS[3][2]);
  }

  /** Handle the keys of the whole viewer; a focused control handles its own keys. */
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches("select, input[type=number]")) return;
    const pressing = event.key === " " && ["BUTTON", "INPUT", "SUMMARY"].includes(event.target.tagName)
      && event.target !== this.slider;
    if (!(event.key in KEYS) || pressing || event.target.classList.contains("handle")) return;
    event.preventDefault();
    this.actions[KEYS[event.key]]();
  }

  // ---------------------------------------------------------------- pieces

  button(name, label, icon) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.does = name;
    button.setAttribute("aria-label", label);
    button.title = label;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", icon);
    svg.append(path);
    button.append(svg);
    button.addEventListener("click", () => this.actions[name]());
    return button;
  }

  scrubber(cycle) {
    const row = document.createElement("div");
    row.className = "scrubber";
    this.slider = document.createElement("input");
    Object.assign(this.slider, { type: "range", min: "0", max: String(this.nSteps), step: "1" });
    this.slider.setAttribute("aria-label", "Step");
    this.slider.addEventListener("input", () => this.actions.scrub(Number(this.slider.value)));
    this.number = document.createElement("output");
    const track = document.createElement("div");
    track.className = "track";
    track.append(this.slider);
    if (cycle && this.nSteps) track.append(cycleMark(cycle.start, cycle.start / this.nSteps));
    row.append(track, this.number);
    return row;
  }

  speedChoice() {
    const label = document.createElement("label");
    label.className = "speed";
    this.speedSelect = document.createElement("select");
    for (const speed of SPEEDS) {
      const text = speed < 1 ? "1 step every 2 seconds" : `${counted(speed, "step")} per second`;
      this.speedSelect.append(new Option(text, String(speed)));
    }
    const enough = SPEEDS.find((speed) => speed >= 2 && this.nSteps / speed <= LONGEST);
    this.speedSelect.value = String(enough ?? SPEEDS.at(-1));
    const name = document.createElement("span");
    name.textContent = "Speed";
    label.append(name, this.speedSelect);
    return label;
  }
}

/** Return the line that lists the keys. */
export function keysLine() {
  const line = document.createElement("p");
  line.className = "keys note";
  const keys = [["Space", "play or pause"], ["←", "back"], ["→", "forward"], ["Home", "first"],
    ["End", "last"], ["PgUp", "previous mistake"], ["PgDn", "next mistake"],
    ["+", "faster"], ["−", "slower"]];
  line.append("Keys: ");
  keys.forEach(([key, does], k) => {
    const shown = document.createElement("kbd");
    shown.textContent = key;
    line.append(k ? " · " : "", shown, ` ${does}`);
  });
  return line;
}

function cycleMark(start, part) {
  const mark = document.createElement("span");
  mark.className = "cycle-mark";
  mark.role = "img";
  mark.title = mark.ariaLabel = `The cycle begins here, after step ${whole(start)}`;
  mark.style.setProperty("--part", String(part));
  return mark;
}
