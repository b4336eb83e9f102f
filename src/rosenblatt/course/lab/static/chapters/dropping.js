// A drop zone and a file chooser; the file is sent only to the lab on this machine.

import { button } from "../controls.js";
import { plainElement } from "./drawing.js";

/**
 * Add a drop zone under `parent`. `onFile(token)` is called once the lab has the file, with "" for the example;
 * files of more than `largest` bytes are not sent. Return {say(sentence), named(name)}.
 */
export function dropZone(parent, { largest, onFile }) {
  const zone = plainElement(parent, "div", "drop");
  const file = plainElement(zone, "p");
  const chooser = document.createElement("input");
  Object.assign(chooser, { type: "file", id: "own-file", accept: ".csv,.tsv,.txt,.data,text/csv" });
  chooser.className = "unseen";
  plainElement(file, "span").textContent = "Drop a csv file here: it stays on this machine.";
  const label = plainElement(file, "label", "choose");
  label.append("Choose a file", chooser);
  button(file, "Use the example", () => {
    chooser.value = "";
    say("");
    onFile("");
  });
  const shown = plainElement(file, "strong");
  const trouble = plainElement(zone, "p", "trouble");
  trouble.setAttribute("role", "alert");
  trouble.hidden = true;

  function say(sentence) {
    trouble.hidden = !sentence;
    trouble.textContent = sentence;
  }

  async function send(given) {
    say("");
    if (given.size > largest) {
      say(`${given.name} is ${Math.ceil(given.size / 1e6)} MB; this page reads up to ${largest / 1e6} MB. Use a sample of its rows, `
        + "or Python or the command line, which read files of any size.");
      return;
    }
    const headers = { "content-type": "application/octet-stream", "x-file-name": encodeURIComponent(given.name) };
    try {
      const response = await fetch("/file", { method: "POST", headers, body: given });
      const answer = await response.json();
      if (response.ok) onFile(answer.file);
      else say(answer.error);
    } catch {
      say("The file could not be read, or the lab does not respond. Is `rosenblatt lab` still running?");
    }
  }

  chooser.addEventListener("change", () => chooser.files[0] && send(chooser.files[0]));
  takeDrops(zone, send, say);
  return { say, named: (name) => { shown.textContent = name; } };
}

// on the whole page: otherwise, a file dropped beside the zone would replace the page
function takeDrops(zone, send, say) {
  const hasFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files.length === 1) send(event.dataTransfer.files[0]);
    else say("Drop one file at a time.");
  });
}
