// Your data: the points of a csv file, by two columns or by the projection that separates best.

import { averaged } from "../../engine/averaging.js";
import { separate } from "../../engine/separation.js";
import { trace } from "../../engine/trace.js";
import { counted, real } from "../../viewer/numbers.js";
import { script } from "../../shell/python.js";
import { dot } from "../common.js";
import { filePart } from "./file_part.js";
import { tableOf, versionOf } from "./tables.js";

const MOST_DRAWN = 1500; // rows of a picture
const MOST_PROVED = 2000; // numbers among which the largest margin is searched
const MOST_CLASSES = 6;
const PASSES = 10;

export const start = { file: "flowers.csv", target: "", positive: "", view: "columns", x: "", y: "", standardised: true, chosen: -1 };

// the choices of a state, completed by what suits the table
export function choicesOf(state, table) {
  const numeric = table.names.filter((_, at) => table.columns[at].kind === "number");
  const textual = table.names.filter((_, at) => table.columns[at].kind !== "number");
  const count = (at) => classesOf(table.columns[at].values).length;
  const few = table.names.filter((_, at) => count(at) >= 2 && count(at) <= 12);
  const valid = (name, names, fallback) => (names.includes(name) ? name : fallback);
  const target = valid(state.target, table.names, textual.filter((name) => few.includes(name)).at(-1) ?? few.at(-1) ?? table.names.at(-1));
  const others = numeric.filter((name) => name !== target);
  const measured = others.filter((name) => !columnOf(table, name).isCounter); // a row number says where a row is in the file
  const features = measured.length ? measured : others;
  const classes = classesOf(columnOf(table, target).values);
  return { target, features, classes, positive: valid(state.positive, ["", ...classes], "") || (classes.length === 2 ? classes[1] : classes[0]), all: state.positive === "" && classes.length > 2, x: valid(state.x, features, features[0]), y: valid(state.y, features, features[1] ?? features[0]) };
}

const columnOf = (table, name) => table.columns[table.names.indexOf(name)];

function classesOf(values) {
  return [...new Set(values.filter((value) => value !== null).map(String))].sort((one, other) => Number(one) - Number(other) || (one < other ? -1 : 1));
}

export function compute(state) {
  const table = tableOf(state.file);
  if (!table) return { table: null };
  const choices = choicesOf(state, table);
  const { features, target, classes, positive, all } = choices;
  if (features.length < 1 || classes.length < 2) return { table, choices, points: [], problem: features.length ? `The column ${target} has only one value; choose another as the label.` : "A picture needs a column of numbers beside the label." };
  const used = state.view === "columns" ? [...new Set([choices.x, choices.y])] : features;
  const values = columnOf(table, target).values;
  const complete = values.flatMap((value, row) => (value !== null && used.every((name) => columnOf(table, name).values[row] !== null) ? [row] : []));
  const every = Math.ceil(complete.length / MOST_DRAWN) || 1;
  const rows = complete.filter((_, at) => at % every === 0);
  const labels = rows.map((row) => (String(values[row]) === positive ? 1 : -1));
  const marks = rows.map((row) => (all ? Math.min(classes.indexOf(String(values[row])), MOST_CLASSES) : String(values[row]) === positive ? 1 : 0));
  const scaled = used.map((name) => scaledColumn(rows.map((row) => columnOf(table, name).values[row]), state.standardised || state.view === "projection"));
  const Z = rows.map((_, at) => scaled.map((column) => column.values[at]));
  const model = modelOf(Z, labels);
  const points = state.view === "columns" ? Z.map((z) => [z[0], z[used.length - 1]]) : projected(Z, model);
  return { table, choices, used, rows, labels, marks, scaled, Z, model, points, every, missing: values.length - complete.length, separable: model?.separable ?? null, separated: model?.separable === true };
}

function scaledColumn(values, isStandardised) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length) || 1;
  return isStandardised ? { mean, deviation, values: values.map((x) => (x - mean) / deviation) } : { mean: 0, deviation: 1, values };
}

// the largest margin if it is quick and exists, otherwise the averaged perceptron
function modelOf(Z, labels) {
  if (!labels.includes(1) || !labels.includes(-1)) return null;
  const quick = Z.length * Z[0].length <= MOST_PROVED;
  const verdict = quick ? separate(Z, labels) : null;
  if (verdict?.separable) return { w: verdict.w, b: verdict.b, margin: verdict.margin, separable: true };
  const run = trace(Z, labels, { epochs: PASSES, order: "shuffled", until: "separated", maxSteps: 100_000 });
  const { w, b } = run.separated ? run : averaged(run);
  const length = Math.hypot(...w) || 1;
  return { w: w.map((x) => x / length), b: b / length, margin: null, separable: run.separated ? true : verdict ? false : null };
}

// across: w; along: the direction of largest variance at right angles to w
function projected(Z, model) {
  const d = Z[0].length;
  const w = model?.w ?? Array.from({ length: d }, (_, at) => Number(at === 0));
  const mean = Array.from({ length: d }, (_, k) => Z.reduce((sum, z) => sum + z[k], 0) / Z.length);
  const rest = Z.map((z) => { const centred = z.map((x, k) => x - mean[k]); const along = dot(w, centred); return centred.map((x, k) => x - along * w[k]); });
  let v = Array.from({ length: d }, (_, k) => 1 + k / 7);
  for (let round = 0; round < 60; round += 1) {
    const next = Array(d).fill(0);
    for (const z of rest) { const part = dot(v, z); z.forEach((x, k) => { next[k] += part * x; }); }
    const length = Math.hypot(...next);
    if (!length) break;
    v = next.map((x) => x / length);
  }
  return Z.map((z, at) => [dot(w, z), dot(v, rest[at])]);
}

function paint(pen, { view, chosen }, result) {
  const { points, model, marks, used } = result;
  if (!points?.length) { pen.grid(); return; }
  const line = !model ? null : view === "projection" ? [1, 0, model.b] : used.length === 2 ? [...model.w, model.b] : [model.w[0], 0, model.b];
  if (line) pen.halves(...line, { opacity: 0.06 });
  pen.grid();
  if (line) {
    if (model.margin) pen.band(...line, model.margin, { colour: "--proof" });
    pen.line(...line);
  }
  pen.points(points, marks, { size: points.length > 400 ? 3 : 5 });
  if (points[chosen]) pen.ring(points[chosen], "chosen");
}

function viewOf(state, { points } = {}) {
  if (!points?.length) return [[-1, 1], [-1, 1]];
  return [0, 1].map((k) => {
    const [low, high] = [Math.min(...points.map((point) => point[k])), Math.max(...points.map((point) => point[k]))];
    const room = 0.08 * (high - low) || 1;
    return [low - room, high + room];
  });
}

function press(place, state, { points }) {
  if (!points?.length) return {};
  const [[x0, x1], [y0, y1]] = viewOf(state, { points });
  const away = ([x, y]) => Math.hypot((x - place[0]) / (x1 - x0), (y - place[1]) / (y1 - y0));
  const nearest = points.reduce((best, point, at) => (away(point) < away(points[best]) ? at : best), 0);
  return { chosen: away(points[nearest]) < 0.04 ? nearest : -1 };
}

function sentences(state, { table, choices, points, problem, model, missing, every }) {
  if (!table) return [`Load ${state.file} to see its points: a link contains the name of a file, not its rows.`];
  if (problem) return [problem];
  const { positive, target, all } = choices;
  const kept = `${counted(points.length, "row")} of ${state.file}${missing ? `; ${counted(missing, "row")} with a missing value left out` : ""}${every > 1 ? `; every ${every}th row is drawn` : ""}.`;
  const space = state.view === "columns" ? "In these two columns" : "With all columns of numbers";
  const found = !model ? "" : model.separable ? ` a line separates ${target} = ${positive} from the rest${model.margin ? `, with margin ${real(model.margin, 4)} (largest possible)` : ""}.` : model.separable === false ? ` no line separates ${target} = ${positive} from the rest (proved); the line is of the averaged perceptron.` : " the line is of the averaged perceptron.";
  return [kept, `${space}${state.view === "columns" ? "," : ","}${found.replace(/line/, state.view === "columns" ? "line" : "hyperplane")}${all ? " Colours show all classes." : ""}`, state.chosen >= 0 && points[state.chosen] ? "The table shows how each column contributes to the score of the chosen point." : "Click a point to see how each column contributes to its score."];
}

function tables(state, result) {
  const { table, points, model, used, rows, Z, scaled, choices } = result;
  if (!table || !points.length) return [];
  const list = [{
    caption: "Columns", head: ["column", "read as", "values", "missing"],
    rows: table.names.map((name, at) => { const { kind, values } = table.columns[at]; const missing = values.filter((value) => value === null).length; return [name, kind, new Set(values.filter((value) => value !== null)).size, missing]; }),
  }];
  const { chosen } = state;
  if (model && points[chosen]) {
    const z = Z[chosen];
    const parts = used.map((name, k) => ({ name, raw: columnOf(table, name).values[rows[chosen]], part: model.w[k] * z[k], w: model.w[k] })).sort((one, other) => Math.abs(other.part) - Math.abs(one.part));
    list.push({
      caption: `Row ${rows[chosen] + 1} of the data (${choices.target} = ${columnOf(table, choices.target).values[rows[chosen]]}): contributions to its score`, head: ["column", "value", "w", "contribution"],
      rows: [...parts.map(({ name, raw, part, w }) => [name, real(raw), real(w, 4), real(part, 4)]), ["b", "", "", real(model.b, 4)], ["score", "", "", real(dot(model.w, z) + model.b, 4)]],
    });
  }
  void scaled;
  return list;
}

const columns = (state) => { const table = tableOf(state.file); return table ? choicesOf(state, table) : null; };
const allNames = (state) => tableOf(state.file)?.names ?? [""];

export default {
  start,
  version: versionOf,
  presets: { "flowers": {}, "setosa against the rest": { positive: "setosa", view: "projection" }, "versicolor by its petals": { positive: "versicolor", x: "petal_length", y: "petal_width" } },
  compute,
  planes: [{
    key: "plane", label: "Rows of the file as points", equal: false, paint, view: viewOf, onPress: press, pressLabel: "place", pressDoes: "Enter chooses the point there",
    names: (state, { choices } = {}) => (state.view === "projection" ? ["w·x", "across w"] : [choices?.x ?? "", choices?.y ?? ""]),
  }],
  controls: [
    { name: "target", type: "choice", label: "Label", options: allNames, get: (state) => columns(state)?.target ?? "", set: (target) => ({ target, positive: "", chosen: -1 }) },
    { name: "positive", type: "choice", label: "Class +", options: (state) => { const found = columns(state); return !found ? [""] : [...(found.classes.length > 2 ? [["", "show all"]] : []), ...found.classes]; }, get: (state) => (columns(state)?.all ? "" : columns(state)?.positive ?? "") },
    { name: "view", type: "choice", label: "Axes", options: [["columns", "two columns"], ["projection", "the projection that separates best"]], set: (view) => ({ view, chosen: -1 }) },
    { name: "x", type: "choice", label: "Horizontal", options: (state) => columns(state)?.features ?? [""], get: (state) => columns(state)?.x ?? "", when: ({ view }) => view === "columns", set: (x) => ({ x }) },
    { name: "y", type: "choice", label: "Vertical", options: (state) => columns(state)?.features ?? [""], get: (state) => columns(state)?.y ?? "", when: ({ view }) => view === "columns", set: (y) => ({ y }) },
    { name: "standardised", type: "toggle", label: "standardise the columns", when: ({ view }) => view === "columns" },
  ],
  parts: [filePart],
  sentences, tables,
  python: (state, { table, choices, used }) => (!table ? "# load the file first" : script(
    "import pandas as pd", "from rosenblatt import separate", "", `table = pd.read_csv(${JSON.stringify(state.file)}${table.delimiter && table.delimiter !== "," ? `, sep=${JSON.stringify(table.delimiter)}` : ""}${table.decimalComma ? ', decimal=","' : ""})`,
    used ? `table = table.dropna(subset=${JSON.stringify([choices.target, ...used])})` : null, used ? `X = table[${JSON.stringify(used)}]` : null, used && (state.standardised || state.view === "projection") ? "X = (X - X.mean()) / X.std(ddof=0)" : null,
    used ? `y = [1 if str(label) == ${JSON.stringify(choices.positive)} else -1 for label in table[${JSON.stringify(choices.target)}]]` : null, used ? "print(separate(X.to_numpy(), y))" : null)),
};
