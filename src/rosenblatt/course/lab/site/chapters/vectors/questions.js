// Questions on vectors.

import { Value } from "../../shell/value.js";
import { start } from "./scene.js";

export const opening = {
  kind: "choice",
  text: "The inner product of two vectors of length 3 and 4 is 0. What do you know?",
  options: [
    { text: "One of them is the zero vector.", hint: "Their lengths are 3 and 4." },
    { text: "They are perpendicular.", right: true },
    { text: "They point in opposite directions.", hint: "Then the inner product would be −12." },
  ],
  explain: "$x \\cdot z = \\lVert x \\rVert \\lVert z \\rVert \\cos\\theta$ is 0 only if $\\cos\\theta = 0$.",
};

export const exercises = [
  { title: "The L1 norm", note: "004", kind: "number", answer: 7, start: { ...start, x: [3, -4] }, text: "What is the L1 norm of $(3, -4)$?", hints: [[(value) => value.equals(5), "That is the L2 norm."], [(value) => value.equals(-1), "Add the absolute values."]], explain: "$|3| + |-4|$." },
  { title: "The L2 norm", note: "004", kind: "number", answer: 5, start: { ...start, x: [3, -4] }, text: "And the L2 norm of $(3, -4)$?", hints: [[(value) => value.equals(25), "Take the square root."], [(value) => value.equals(7), "That is the L1 norm."]], explain: "$\\sqrt{9 + 16}$." },
  { title: "Add element-wise", note: "001", kind: "vector", answer: [-1, 2], start: { ...start, topic: "sum", x: [1, 1], z: [0, 0] }, text: "Compute $\\theta + x$ for $\\theta = (1, 1)$ and $x = (-2, 1)$.", hints: [[([x, y]) => x.equals(3) && y.sign() === 0, "That is θ − x."]], explain: "$(1 - 2, 1 + 1)$." },
  {
    title: "Draw θ + x", note: "001", kind: "scene", start: { ...start, topic: "sum", x: [1, 1], z: [2, 2] }, text: "Keep $\\theta = (1, 1)$. Drag $x$ until $\\theta + x$ is **exactly** $(-1, 2)$.",
    check: ({ topic, x, z }) => {
      if (topic !== "sum" || x[0] !== 1 || x[1] !== 1) return "Keep the topic and θ = (1, 1).";
      const sum = z.map((part) => Value.of(part).plus(1));
      return (sum[0].equals(-1) && sum[1].equals(2)) || `θ + x is (${sum.join(", ")}) now.`;
    },
    example: { z: [-2, 1] }, explain: "$x = (-2, 1)$.",
  },
  { title: "The inner product", note: "001", kind: "number", answer: -1, text: "Compute $(1, 2) \\cdot (3, -2)$.", hints: [[(value) => value.equals(7), "2·(−2) is −4."]], explain: "$3 - 4$." },
  {
    title: "Make them perpendicular", note: "004", kind: "scene", start: { ...start, topic: "angle", x: [3, 1], z: [1, 2] }, text: "Keep $x = (3, 1)$. Choose a $z$, other than 0, that is **exactly** perpendicular to it.",
    check: ({ x, z }) => {
      if (x[0] !== 3 || x[1] !== 1) return "Keep x = (3, 1).";
      if (!z[0] && !z[1]) return "z must not be 0.";
      const product = Value.of(z[0]).times(3).plus(z[1]);
      return product.sign() === 0 || `x·z is ${product}; it must be 0.`;
    },
    example: { z: [-1, 3] }, explain: "For example $(-1, 3)$: swap the numbers and change one sign.",
  },
  { title: "When is the projection largest?", note: "004", kind: "choice", text: "$x$ and the length of $y$ are given. For which $y$ is $x^\\top y$ the largest?", options: [{ text: "y = a·x with a > 0", right: true }, { text: "y perpendicular to x", hint: "Then the product is 0." }, { text: "y = −x", hint: "Then it is the smallest." }], explain: "$\\cos\\theta = 1$ only if both point in the same direction." },
  { title: "A projection", note: "003", kind: "vector", answer: [1, 2], start: { ...start, topic: "projection", x: [3, 1], z: [1, 2] }, text: "Project $x = (3, 1)$ on $v = (1, 2)$.", hints: [[([x, y]) => x.equals(5) && y.equals(10), "Divide by v·v = 5."]], explain: "$\\frac{x \\cdot v}{v \\cdot v} v = \\frac{5}{5} (1, 2)$." },
  { title: "A signed distance", note: "002", kind: "number", answer: "-2", start: { ...start, topic: "distance", w: [3, 4], b: -10, x: [0, 0] }, text: "What is the signed distance of the origin from the line $3x_1 + 4x_2 - 10 = 0$?", hints: [[(value) => value.equals(-10), "Divide by ‖w‖ = 5."], [(value) => value.equals(2), "The origin is on the side opposite to w."]], explain: "$-10/5$." },
  {
    title: "Not positive definite", note: "004", kind: "scene", start: { ...start, topic: "definite", sigma: [1, 2, 1], z: [2, 1] }, text: "$\\Sigma = \\begin{pmatrix} 1 & 2 \\\\ 2 & 1 \\end{pmatrix}$ has positive entries, but is not positive definite. Drag $z$ to show it: find a $z$ with $z^\\top \\Sigma z < 0$.",
    check: ({ topic, sigma }, { form }) => (topic !== "definite" || sigma.join() !== "1,2,1" ? "Keep Σ as it is." : form < 0 || "zᵀΣz is not negative. Try a z whose numbers have different signs."),
    example: { z: [1, -1] }, explain: "For $z = (1, -1)$ it is $1 - 4 + 1 = -2$.",
  },
];
