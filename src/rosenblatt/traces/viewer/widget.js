// The viewer in a notebook, through anywidget.

import { unpacked } from "./embedded.js";
import { mountReplay } from "./player.js";

const UNANSWERED = "This part of the run is not stored in the notebook, and the kernel does not respond. "
  + "Run the cell again.";
const PATIENCE = 20000; // milliseconds until a kernel that does not answer is given up

/** anywidget calls this for each place where the widget is shown. */
function render({ model, el }) {
  const endTheme = followHost(el);
  const asked = new Map();
  const onMessage = (message, buffers) => {
    if (message?.kind !== "chunk" || !asked.has(message.number)) return;
    asked.get(message.number)(buffers[0]);
    asked.delete(message.number);
  };
  model.on("msg:custom", onMessage);
  let [timer, telling] = [0, false];
  const tell = () => {
    telling = true; // what is told comes back as a change, which must not move a reader who went on
    model.set("step", player.step);
    model.save_changes();
    telling = false;
  };
  const player = mountReplay(el, model.get("head"), (k) => chunkOf(model, asked, k).then(unpacked), {
    step: model.get("step"),
    onStep: () => {
      clearTimeout(timer); // the kernel hears where the reader stopped, not every step on the way
      timer = setTimeout(tell, 150);
    },
  });
  const onStep = () => !telling && model.get("step") !== player.step && player.goto(model.get("step"));
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

// the first chunks are part of the notebook, the others are asked of the kernel
function chunkOf(model, asked, number) {
  const kept = model.get("packed");
  if (number < kept.length) return Promise.resolve(kept[number]);
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => {
      asked.delete(number);
      reject(new Error(UNANSWERED));
    }, PATIENCE);
    asked.set(number, (bytes) => {
      clearTimeout(giveUp);
      resolve(bytes);
    });
    model.send({ kind: "chunk", number });
  });
}

// notebooks say in their own ways whether they are light or dark
function followHost(element) {
  const tell = () => {
    const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
    const colab = document.documentElement.getAttribute("theme");
    const theme = jpThemeLight ? (jpThemeLight === "true" ? "light" : "dark")
      : vscodeThemeKind ? (vscodeThemeKind.includes("light") ? "light" : "dark") : colab;
    if (theme === "light" || theme === "dark") element.dataset.theme = theme;
  };
  const observer = new MutationObserver(tell);
  observer.observe(document.body, { attributes: true });
  observer.observe(document.documentElement, { attributes: true });
  tell();
  return () => observer.disconnect();
}
