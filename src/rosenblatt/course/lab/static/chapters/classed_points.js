// Points of several classes, drawn by hand: a click adds a point, or removes the point under it.

import { button, choice, numberField } from "../controls.js";
import { markIcon } from "../viewer/marks.js";
import { removeNear, rounded } from "./drawing.js";

const OWN = "own";

/**
 * Add controls under `parent`, and let clicks into `plane` change the points of the state through `change`.
 * kinds: [{label, mark, name}], the classes; sets: [{name, points, labels}], the sets that can be loaded.
 * Return {place()}, which updates the controls from the state.
 */
export function drawClasses(lab, plane, parent, { kinds, sets, change }) {
  let adding = kinds[kinds.length > 2 ? 0 : 1].label;
  const typed = [0, 0];
  const drawn = () => drawable(lab.state, kinds);

  function add(point) {
    const { points, labels } = drawn();
    change({ points: [...points, point.map(rounded)], labels: [...labels, adding] });
  }

  function remove(row) {
    const { points, labels } = drawn();
    const without = (list) => list.filter((_, at) => at !== row);
    change({ points: without(points), labels: without(labels) });
  }

  const loaded = choice(parent, {
    label: "Points", value: OWN,
    options: [...sets.map(({ name }, at) => [String(at), name]), [OWN, "own points"]],
    onChange: (at) => at !== OWN && change({ points: sets[at].points, labels: sets[at].labels }),
  });
  chooseKind(parent, kinds, adding, (label) => { adding = label; });
  plane.onPress((at) => {
    if (!removeNear(plane, drawn().points, at, remove)) add(at);
  }, { label: "new point", does: "Enter adds a point, or removes the point there" });
  numberField(parent, { label: "x₁", value: 0, onChange: (x) => { typed[0] = x; } });
  numberField(parent, { label: "x₂", value: 0, onChange: (x) => { typed[1] = x; } });
  button(parent, "Add point", () => add([...typed]));
  button(parent, "Remove last", () => remove(drawn().points.length - 1));
  button(parent, "Remove all", () => change({ points: [], labels: [] }));

  return {
    place() {
      const now = JSON.stringify([lab.state.points, lab.state.labels]);
      const at = sets.findIndex(({ points, labels }) => JSON.stringify([points, labels]) === now);
      loaded.set(at < 0 ? OWN : String(at));
    },
  };
}

/** Return the valid points of a state from a link (pairs of numbers with a known label), with their marks. */
export function drawable({ points, labels }, kinds) {
  const isPair = (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
  const kindOf = (row) => kinds.find(({ label }) => label === labels?.[row]);
  const rows = (Array.isArray(points) ? points : []).map((point, row) => ({ point, kind: kindOf(row) }))
    .filter(({ point, kind }) => isPair(point) && kind);
  return {
    points: rows.map(({ point }) => point),
    labels: rows.map(({ kind }) => kind.label),
    marks: rows.map(({ kind }) => kind.mark),
  };
}

/** Round points to two decimals, for the sets of a chapter. */
export const tidy = (points) => points.map((point) => point.map(rounded));

/** Convert a grid of predictions to the format of the pen; null if there is no grid. */
export function cells(regions) {
  if (!regions) return null;
  const { columns, rows, classes, x, y } = regions;
  return { columns, rows, classes: Array.from(classes, Number), view: { x, y } };
}

// one radio button for each class, with its mark
function chooseKind(parent, kinds, chosen, onChange) {
  const set = document.createElement("fieldset");
  set.className = "marks";
  const legend = document.createElement("legend");
  legend.textContent = "Click adds";
  set.append(legend, ...kinds.map(({ label, mark, name }) => {
    const row = document.createElement("label");
    const radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name: "class-to-add", value: label, checked: label === chosen });
    radio.addEventListener("change", () => onChange(label));
    row.append(radio, markIcon(mark), name);
    return row;
  }));
  parent.append(set);
}
