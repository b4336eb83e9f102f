// Load a file by choosing, dropping or pasting it, and open its points in other chapters.

import { button, make } from "../../shell/controls.js";
import { loadText } from "../../shell/files.js";
import { writeHash } from "../../shell/state.js";
import { remember, tableOf } from "./tables.js";

const LARGEST = 20_000_000; // bytes of a file
const EXAMPLE = "flowers.csv";
const MOST = { steps: 100, bound: 100, boundaries: 60, orders: 100, xor: 100, classes: 60 };
const TITLES = { steps: "Step by step", bound: "The bound", boundaries: "Good and bad boundaries", orders: "Order, averaging, voting", xor: "XOR and what helps", classes: "More than two classes" };

export function filePart(parent, { store, scene }) {
  const status = make("p", { role: "status" });
  const notes = make("ul", { class: "quiet" });
  const input = make("input", { type: "file", id: "file", accept: ".csv,.tsv,.txt,text/csv", on: { change: () => input.files[0] && readFile(input.files[0]) } });
  const pasted = make("textarea", { id: "pasted", "aria-label": "Rows of a csv file", placeholder: "length,width,kind\n1.2,0.4,a" });
  const drop = make("section", { class: "drop", "aria-label": "Load a file" }, make("p", {}, make("label", { for: "file" }, "Choose a csv file or drop it here: "), input, " ", button("Example: flowers.csv", () => loadExample(true))),
    make("details", {}, make("summary", {}, "or paste rows"), pasted, button("Read these rows", () => read("pasted.csv", pasted.value))),
    make("p", { class: "quiet" }, "The file stays in this page: nothing is sent anywhere."), status, notes);
  const links = make("p", { class: "bar" });
  parent.prepend(drop, links);

  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) readFile(event.dataTransfer.files[0]);
  });

  async function readFile(file) {
    if (file.size > LARGEST) { status.textContent = `${file.name} is larger than ${LARGEST / 1e6} MB; use “rosenblatt fit” or a sample of its rows.`; return; }
    read(file.name, new Uint8Array(await file.arrayBuffer()));
  }

  function read(name, content) {
    notes.replaceChildren();
    try {
      const table = remember(name, content);
      const separator = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces" }[table.delimiter] ?? table.delimiter;
      status.textContent = `${name}: ${table.nRows} rows, ${table.names.length} columns, separated by ${separator}${table.decimalComma ? ", with decimal commas" : ""}; ${table.header ? "the first row holds the names" : "without names"}.`;
      notes.replaceChildren(...table.notes.slice(0, 12).map((note) => make("li", {}, note)));
      if (store.state.file === name) scene.update();
      else store.change({ ...store.start, file: name });
      scene.frame();
    } catch (error) {
      status.textContent = `${name} cannot be read: ${error.message}`;
    }
  }

  async function loadExample(isWanted) {
    try {
      read(EXAMPLE, await loadText(`chapters/data/${EXAMPLE}`));
      if (isWanted && store.state.file !== EXAMPLE) store.change({ ...store.start, file: EXAMPLE });
    } catch (error) {
      status.textContent = error.message;
    }
  }

  if (store.state.file === EXAMPLE && !tableOf(EXAMPLE)) loadExample(false);

  // the points of the picture, thinned to what a chapter shows
  function linkTo(key, { points, labels, marks, choices }) {
    const every = Math.ceil(points.length / MOST[key]);
    const rows = points.map((_, at) => at).filter((at) => at % every === 0);
    const isClasses = key === "classes";
    const state = { points: rows.map((at) => points[at].map((x) => Number(x.toPrecision(4)))), labels: rows.map((at) => (isClasses ? Math.min(5, choices.all ? marks[at] : labels[at] > 0 ? 1 : 0) : labels[at])) };
    return make("a", { href: `?chapter=${key}${writeHash(state)}` }, TITLES[key]);
  }

  return {
    update(state, result) {
      links.replaceChildren();
      if (!result?.points?.length) return;
      links.append("Open these points in: ", ...Object.keys(MOST).map((key) => linkTo(key, result)));
    },
  };
}
