// Your data: show the rows of a csv file as points, and open them in the other chapters.

import { choice, group, table, toggle } from "../controls.js";
import { markIcon } from "../viewer/marks.js";
import { whole } from "../viewer/numbers.js";
import { Plane } from "../viewer/plane.js";
import { caption, folded, plainElement } from "./drawing.js";
import { dropZone } from "./dropping.js";

const READING = {
  delimiter: ["Separator", [["found", "detected"], ["comma", ","], ["semicolon", ";"], ["tab", "a tab"],
    ["bar", "|"], ["blanks", "spaces"]]],
  header: ["First line", [["found", "detected"], ["names", "column names"], ["rows", "data"]]],
  letters: ["Encoding", [["utf-8", "UTF-8"], ["latin-1", "Latin-1"], ["cp1252", "Windows-1252"], ["utf-16", "UTF-16"]]],
};
const MANY = 400; // number of points from which smaller marks are used

export function mount(lab) {
  let answer = null;
  const zone = dropZone(lab.picture, {
    largest: lab.offers.largest,
    // the same file again: keep the choices
    onFile: (file) => change(file === lab.state.file ? {} : { ...structuredClone(lab.start), file }),
  });
  const plane = new Plane(lab.picture, { label: "The rows of a file as points" });
  const legend = plainElement(lab.picture, "ul", "legend");
  const summary = caption(lab.picture);
  const opens = opener(lab.picture);
  const change = (part) => {
    lab.change(part);
    place();
  };
  const controls = settings(lab, change);
  const columns = table(folded(lab.controls, "Column types", { open: true }), "Columns");
  columns.element.classList.add("tall");

  function place() {
    for (const name of Object.keys(READING)) controls[name].set(lab.state[name]);
    controls.scale.set(lab.state.scale === true);
    controls.axes.set(lab.state.axes);
    for (const name of ["across", "up"]) controls[name].element.hidden = lab.state.axes === "projection";
  }

  function paint(pen) {
    pen.grid();
    if (!answer) return;
    const { points, labels, line, wrong } = answer.numbers;
    const size = points.length > MANY ? 3 : 5;
    pen.line(...line, { width: 2.5 });
    pen.points(points, answer.marks, { size, still: points.length > MANY });
    if (wrong.length < MANY / 2) pen.rings(wrong.map((row) => points[row]), "wrong", { size });
    plane.describe(`${labels.length} points. ${answer.sentences.join(" ")}`);
  }

  function clear() {
    answer = null;
    legend.replaceChildren();
    opens.set({});
    plane.xLabel = plane.yLabel = "";
    plane.draw(paint);
  }

  place();
  plane.draw(paint);
  return {
    plane: () => plane,
    show(next) {
      const { picture, numbers } = next;
      zone.named(picture.name);
      zone.say(picture.trouble ?? "");
      summary.set(next.sentences, "");
      controls.offer(picture);
      columns.set(["column", "missing", "type"], picture.columns.map(({ name, taken_for: kind, why, gaps }) => [
        nameOf(name), gaps === null ? "" : whole(gaps), kind === "left out" && why ? `${kind}: ${why}` : kind]));
      controls.drawn.hidden = columns.element.hidden = false;
      if (picture.trouble) {
        clear();
        return;
      }
      answer = { ...next, marks: numbers.labels.map((label) => (label > 0 ? 1 : 0)) };
      [plane.xLabel, plane.yLabel] = picture.names.map(nameOf);
      plane.equal = lab.state.scale === true || lab.state.axes === "projection";
      plane.fit(numbers.points, { include: [], margin: 0.08 });
      plane.draw(paint);
      showLegend(legend, picture);
      opens.set(picture.opens);
    },
    refuse() {
      zone.named("");
      zone.say("");
      summary.clear();
      controls.drawn.hidden = columns.element.hidden = true;
      controls.reading.open = true; // suggest remedies
      clear();
    },
  };
}

// ---------------------------------------------------------------- controls

function settings(lab, change) {
  const { state } = lab;
  const drawn = group(lab.controls, "Picture");
  const to = (name) => (value) => change({ [name]: value });
  const label = choice(drawn, {
    label: "Label", value: "", options: [["", ""]],
    onChange: (column) => change({ label: column, positive: "", across: "", up: "" }),
  });
  const positive = choice(drawn, { label: "Class +", value: "", options: [["", ""]], onChange: to("positive") });
  const axes = choice(drawn, {
    label: "Axes", value: state.axes, onChange: to("axes"),
    options: [["columns", "two columns"], ["projection", "the projection that separates best"]],
  });
  const across = choice(drawn, { label: "Horizontal axis", value: "", options: [["", ""]], onChange: to("across") });
  const up = choice(drawn, { label: "Vertical axis", value: "", options: [["", ""]], onChange: to("up") });
  const scale = toggle(drawn, { label: "standardise columns", value: state.scale === true, onChange: to("scale") });
  const reading = folded(lab.controls, "Reading options");
  const made = Object.fromEntries(Object.entries(READING).map(([name, [text, options]]) => [
    name, choice(reading, { label: text, value: state[name], options, onChange: to(name) })]));
  for (const { element } of [positive, axes]) element.classList.add("roomy");

  return {
    ...made, drawn, reading, axes, across, up, scale,
    offer(picture) {
      label.offer(picture.columns.map(({ name }) => [name, nameOf(name)]));
      label.set(picture.label);
      const { classes = [], drawn: shown = {} } = picture;
      const rest = classes.length > 2 ? " against the rest" : "";
      positive.offer(classes.map(([name, count]) => [name, `${name}${rest} (${whole(count)})`]));
      positive.set(picture.positive ?? "");
      positive.element.hidden = !classes.length;
      for (const [control, name] of [[across, shown.across], [up, shown.up]]) {
        control.offer(picture.numbers.map((column) => [column, nameOf(column)]));
        control.set(name ?? "");
      }
    },
  };
}

const nameOf = (column) => (/^\d+$/.test(column) ? `column ${column}` : column); // there were no column names

// ---------------------------------------------------------------- under the picture

function showLegend(legend, { classes, positive }) {
  const others = classes.filter(([name]) => name !== positive);
  const rest = others.length === 1 ? others[0][0] : "the rest";
  legend.replaceChildren(...[[1, "+", positive], [0, "−", rest]].map(([mark, sign, name]) => {
    const item = document.createElement("li");
    item.append(markIcon(mark), `${sign} ${name}`);
    return item;
  }));
}

/** Return links to the other chapters, each with these points in its state. */
function opener(parent) {
  const set = group(parent, "Open these points in");
  const list = plainElement(set, "ul", "opens");
  const titles = new Map([...document.querySelectorAll(".top li a")].map((link) => [link.pathname.slice(1), link.textContent]));
  return {
    set(opens) {
      set.hidden = !Object.keys(opens).length;
      list.replaceChildren(...Object.entries(opens).map(([key, { state, note }]) => {
        const item = document.createElement("li");
        const link = plainElement(item, "a");
        link.href = `/${key}#${encodeURIComponent(JSON.stringify(state))}`;
        link.textContent = titles.get(key);
        plainElement(item, "span", "quiet").textContent = note;
        return item;
      }));
    },
  };
}
