// The viewer in a notebook, through anywidget.

import { unpacked } from "./embedded.js";
import { mountReplay } from "./player.js";

const UNANSWERED = "This part of the run is not stored in the notebook, and the kernel does not respond. "
  + "Run the cell again.";
const PATIENCE = 20000; // milliseconds to wait for a kernel that does not answer

/** anywidget calls this for each place where the widget is shown. */
function render({ model, el }) {
  const endTheme = followHost(el);
  const pending = new Map();
  const onMessage = (message, buffers) => {
    if (message?.kind !== "chunk" || !pending.has(message.number)) return;
    pending.get(message.number)(buffers[0]);
    pending.delete(message.number);
  };
  model.on("msg:custom", onMessage);
  let [timer, isReporting] = [0, false];
  const report = () => {
    // the reported step returns as a change event, which must not move a reader who has moved on
    isReporting = true;
    model.set("step", player.step);
    model.save_changes();
    isReporting = false;
  };
  const player = mountReplay(el, model.get("head"), (k) => chunkOf(model, pending, k).then(unpacked), {
    step: model.get("step"),
    onStep: () => {
      clearTimeout(timer); // the kernel is notified when the reader stops, not at every step
      timer = setTimeout(report, 150);
    },
  });
  const onStep = () => !isReporting && model.get("step") !== player.step && player.goto(model.get("step"));
  model.on("change:step", onStep);
  return () => {
    clearTimeout(timer);
    model.off("msg:custom", onMessage);
    model.off("change:step", onStep);
    endTheme();
    player.destroy();
  };
}

export default { render };

// the first chunks are part of the notebook; the others are requested from the kernel
function chunkOf(model, pending, number) {
  const kept = model.get("packed");
  if (number < kept.length) return Promise.resolve(kept[number]);
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => {
      pending.delete(number);
      reject(new Error(UNANSWERED));
    }, PATIENCE);
    pending.set(number, (bytes) => {
      clearTimeout(giveUp);
      resolve(bytes);
    });
    model.send({ kind: "chunk", number });
  });
}

// each notebook application has its own way to mark a dark theme
function followHost(element) {
  const report = () => {
    const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
    const colab = document.documentElement.getAttribute("theme");
    const theme = jpThemeLight ? (jpThemeLight === "true" ? "light" : "dark")
      : vscodeThemeKind ? (vscodeThemeKind.includes("light") ? "light" : "dark") : colab;
    if (theme === "light" || theme === "dark") element.dataset.theme = theme;
  };
  const observer = new MutationObserver(report);
  observer.observe(document.body, { attributes: true });
  observer.observe(document.documentElement, { attributes: true });
  report();
  return () => observer.disconnect();
}
