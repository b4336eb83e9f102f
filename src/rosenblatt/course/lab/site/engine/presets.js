/**
 * The worked examples of the notes. Generated from `rosenblatt.lectures` by `make presets`; do not edit.
 *
 * @typedef {{kind: "run", points: number[][], labels: (-1|1)[], settings: Object} |
 *   {kind: "line", w: number[], b: number, points: number[][]} |
 *   {kind: "addition", theta: number[], x: number[]}} Part
 *
 * @type {Object<string, {notes: string, title: string, slip: string, parts: Object<string, Part>}>}
 */
export const EXAMPLES = {
  "001-perceptron": {
    notes: "001",
    title: "the perceptron on three points, without offset",
    slip: "a run without offset need not end whenever some θ classifies all points correctly; this one ends because θ = (2, −1) classifies these three points correctly and none of them is on its line. In 003-cycle every such θ has points on its line, and the run never ends",
    parts: {
      "run": { kind: "run", points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], settings: {"offset": false, "tie": "negative", "epochs": 2} },
    },
  },
  "001-line": {
    notes: "001",
    title: "the line 2x₁ + 3x₂ − 6 = 0 and its normal (2, 3)",
    slip: "",
    parts: {
      "line": { kind: "line", w: [2, 3], b: -6, points: [[3, 0], [0, 2], [0, 0], [3, 2]] },
    },
  },
  "001-exercise": {
    notes: "001",
    title: "on which side of the line are these points?",
    slip: "the arrows +, ?, −, − do not fit the line written beside them; w = (3, 2), b = −2 is one of several lines that they fit; and −3x₁ + 2x₂ + 2 = 0 is x₂ = 1.5x₁ − 1, not 3x₁ − 2",
    parts: {
      "w = (−3, 2), b = 2": { kind: "line", w: [-3, 2], b: 2, points: [[2, 1], [1, 1], [-1, 1], [1, -1]] },
      "w = (3, 2), b = −2, which fits the arrows": { kind: "line", w: [3, 2], b: -2, points: [[2, 1], [1, 1], [-1, 1], [1, -1]] },
    },
  },
  "001-origin": {
    notes: "001",
    title: "without offset the line goes through the origin: x₁ + 2x₂ = 0",
    slip: "",
    parts: {
      "line": { kind: "line", w: [1, 2], b: 0, points: [[0, 0], [2, -1], [1, 1], [-1, -1]] },
    },
  },
  "001-addition": {
    notes: "001",
    title: "an update is an addition of vectors",
    slip: "",
    parts: {
      "sum": { kind: "addition", theta: [1, 1], x: [-2, 1] },
    },
  },
  "003-cycle": {
    notes: "003",
    title: "three points on which the perceptron cycles without an offset and converges with one",
    slip: "the first update drops the sign of y and gets (−1, ½) where w + y·x is (1, −½); the second update is then on a point that is already classified correctly",
    parts: {
      "without offset": { kind: "run", points: [[0, 1], [0, -1], [-1, 0.5]], labels: [1, 1, -1], settings: {"offset": false, "tie": "positive", "epochs": null, "until": "separated"} },
      "with offset": { kind: "run", points: [[0, 1], [0, -1], [-1, 0.5]], labels: [1, 1, -1], settings: {"offset": true, "tie": "positive", "epochs": null, "until": "separated"} },
    },
  },
  "004-two-points": {
    notes: "004",
    title: "two points, the constant feature first",
    slip: "the pseudocode updates where y·w·x < 0, which never happens from w = 0; the example itself counts sign(0) = +1 as a prediction",
    parts: {
      "run": { kind: "run", points: [[1, 1, 2], [1, 2, 1]], labels: [1, -1], settings: {"offset": false, "tie": "positive", "order": "first_mistake", "until": "separated"} },
    },
  },
  "xor": {
    notes: "001, 004",
    title: "no halfspace computes exclusive or; products of coordinates do",
    slip: "",
    parts: {
      "halfspace": { kind: "run", points: [[-1, -1], [-1, 1], [1, -1], [1, 1]], labels: [-1, 1, 1, -1], settings: {"epochs": null, "until": "separated"} },
      "(x·z)²": { kind: "run", points: [[1, 1, 1, 1], [1, -1, -1, 1], [1, -1, -1, 1], [1, 1, 1, 1]], labels: [-1, 1, 1, -1], settings: {"offset": false, "epochs": null, "until": "separated"} },
      "(x·z)² on {0, 1}²": { kind: "run", points: [[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 1, 1]], labels: [-1, 1, 1, -1], settings: {"offset": false, "epochs": null, "until": "separated"} },
      "(x·z + 1)² on {0, 1}²": { kind: "run", points: [[0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 0, 1, 0, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1]], labels: [-1, 1, 1, -1], settings: {"offset": false, "epochs": null, "until": "separated"} },
    },
  },
  "order": {
    notes: "001, 004",
    title: "order and start decide which w is found; a point may stay wrong after its own update",
    slip: "",
    parts: {
      "in order": { kind: "run", points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], settings: {"offset": false, "until": "separated"} },
      "in reverse": { kind: "run", points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], settings: {"offset": false, "until": "separated", "order": [2, 1, 0]} },
      "from the unit vector": { kind: "run", points: [[2, 1], [0, 2], [-0.5, -2]], labels: [1, -1, 1], settings: {"offset": false, "until": "separated", "init": "unit"} },
      "stays wrong": { kind: "run", points: [[4, 4], [1, 0]], labels: [1, -1], settings: {"offset": false, "until": "separated", "epochs": null} },
    },
  },
};
