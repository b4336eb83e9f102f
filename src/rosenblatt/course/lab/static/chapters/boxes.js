// Boxes and balls: fill the boxes, draw balls, and infer the box.

import { button, table, toggle } from "../controls.js";
import { Chart } from "../viewer/chart.js";
import { markIcon } from "../viewer/marks.js";
import { real } from "../viewer/numbers.js";
import { caption, plainElement } from "./drawing.js";

const COLOURS = [["red", 0, "--wrong"], ["green", 2, "--class-2"], ["blue", 1, "--class-1"]];
const BOX_COLOURS = [8, 4, 9, 7]; // not the colours of the balls
const DASHES = [null, [7, 4], [2, 3], [9, 3, 2, 3]];
const MOST_SHOWN = 20; // balls drawn per colour; the others are given as a number
const MOST_BOXES = 4;
const MOST_DRAWN = 12;

/** Build the topic “boxes and balls” of the chapter on probability. */
export function mountBoxes(lab, stage, panel) {
  const { state } = lab;
  const shelf = plainElement(stage, "div", "boxes");
  const drawnLine = plainElement(stage, "p");
  const below = caption(stage);
  const bars = plainElement(stage, "div", "bars");
  bars.setAttribute("role", "img");
  const chart = new Chart(stage, {
    label: "Probability of each box, draw by draw", xLabel: "draws", yLabel: "P(box | drawn)", height: 170,
  });
  const working = table(stage, "Bayes’ rule, step by step");
  const joint = table(stage, "P(box, ball) of one draw");
  let answer = null;

  const set = (part) => {
    lab.change(part);
    fillShelf();
  };
  const draw = (colour) => state.drawn.length < MOST_DRAWN && set({ drawn: [...state.drawn, colour] });
  const setCount = (box, column, count) => set({
    counts: state.counts.map((row, k) => (k === box ? row.with(column, count) : row)),
  });

  const setPick = (box, pick) => set({ picks: state.picks.with(box, pick) });

  const grid = countFields(panel, state, setCount, setPick);
  const anotherBox = (counts, picks) => {
    set({ counts, picks });
    grid.fill();
  };
  button(panel, "Add a box", () => state.counts.length < MOST_BOXES
    && anotherBox([...state.counts, [1, 1, 1]], [...state.picks, 1]));
  button(panel, "Remove last box", () => state.counts.length > 1
    && anotherBox(state.counts.slice(0, -1), state.picks.slice(0, -1)));
  const blind = button(panel, "Draw a ball", () => draw(answer.picture.next));
  for (const [colour] of COLOURS) button(panel, `Draw ${colour}`, () => draw(colour));
  button(panel, "Clear draws", () => set({ drawn: [], seed: (state.seed + 1) % 1000 }));
  toggle(panel, {
    label: "Put each ball back", value: state.replacement,
    onChange: (replacement) => set({ replacement }),
  });

  function fillShelf() {
    shelf.replaceChildren(...state.counts.map(boxOf));
    drawnLine.replaceChildren("Drawn: ", ...state.drawn.flatMap(ball));
    if (!state.drawn.length) drawnLine.append("nothing yet");
  }

  function boxOf(counts, k) {
    const figure = document.createElement("figure");
    const name = plainElement(figure, "figcaption");
    const listed = COLOURS.map(([colour], c) => `${counts[c]} ${colour}`).join(", ");
    name.textContent = `Box ${k + 1}: ${listed} of ${counts.reduce((sum, count) => sum + count, 0)}`;
    const inside = plainElement(figure, "div", "box");
    inside.setAttribute("aria-hidden", "true");
    COLOURS.forEach(([colour], c) => {
      for (let n = 0; n < Math.min(counts[c], MOST_SHOWN); n += 1) inside.append(ballIcon(colour));
      if (counts[c] > MOST_SHOWN) inside.append(` +${counts[c] - MOST_SHOWN} ${colour} `);
    });
    return figure;
  }

  function fillTables({ joint: shares, marginals }, steps) {
    const names = COLOURS.map(([colour]) => colour);
    const rows = state.counts.map((_, k) => [
      `box ${k + 1}`, ...names.map((colour) => shares[`box ${k + 1}, ${colour}`])]);
    joint.set(["", ...names], [...rows, ["any box", ...names.map((colour) => marginals[colour])]]);
    working.element.hidden = !steps;
    if (steps) working.set(["", "prior", "likelihood", "product", "posterior"], steps);
  }

  function fillBars(prior, posterior) {
    bars.replaceChildren(...prior.flatMap((share, k) => {
      const [name, both, text] = ["span", "div", "span"].map((tag) => document.createElement(tag));
      name.textContent = `box ${k + 1}`;
      plainElement(both, "i", "before").style.width = `${100 * share}%`;
      plainElement(both, "i").style.width = `${100 * posterior[k]}%`;
      text.textContent = `${real(share, 3)} → ${real(posterior[k], 3)}`;
      return [name, both, text];
    }));
    bars.setAttribute("aria-label", prior.map((share, k) => `box ${k + 1}: ${real(share, 3)} before, `
      + `${real(posterior[k], 3)} after`).join("; "));
  }

  function drawShares(shares) {
    const xs = shares.map((_, n) => n);
    chart.set(shares[0].map((_, k) => ({
      name: `box ${k + 1}`, xs, ys: shares.map((after) => after[k]),
      colour: `--class-${BOX_COLOURS[k]}`, dash: DASHES[k],
    })), { xRange: [0, Math.max(4, shares.length - 1)], yRange: [0, 1.02], cursor: shares.length - 1 });
    chart.describe(bars.getAttribute("aria-label"));
  }

  fillShelf();
  return {
    show(now) {
      answer = now;
      blind.disabled = answer.picture.next === null;
      below.set(answer.sentences, "“Draw a ball” draws from a hidden box, always the same one. Thin "
        + "bars: the probability of each box before the draws; thick bars: after them.");
      const { after_draws: shares } = answer.picture;
      fillBars(shares[0], shares.at(-1));
      drawShares(shares);
      fillTables(answer.numbers, answer.picture.steps);
    },
    refuse: below.clear,
    end: () => chart.destroy(),
  };
}

function ballIcon(colour) {
  const [, shape, paint] = COLOURS.find(([name]) => name === colour) ?? COLOURS[0];
  const icon = markIcon(shape);
  icon.querySelector("path").style.fill = `var(${paint})`;
  return icon;
}

const ball = (colour) => [ballIcon(colour), ` ${colour} `];

// a table of input fields: the balls of each colour, and how often the box is picked
function countFields(panel, state, onCount, onPick) {
  const grid = table(panel, "Balls in the boxes");
  const field = (label, value, onChange) => {
    const control = document.createElement("input");
    Object.assign(control, { type: "number", min: 0, max: 99, step: 1 });
    control.value = value;
    control.setAttribute("aria-label", label);
    control.addEventListener("change", () => control.value !== "" && onChange(Number(control.value)));
    return control;
  };
  const fill = () => {
    const names = ["", ...COLOURS.map(([colour]) => colour), "picked"];
    grid.set(names, state.counts.map((counts, box) => [`box ${box + 1}`, ...counts.map(() => ""), ""]));
    grid.element.querySelectorAll("tbody tr").forEach((row, box) => {
      const cells = [...row.querySelectorAll("td")];
      COLOURS.forEach(([colour], c) => cells[c].append(
        field(`${colour} balls in box ${box + 1}`, state.counts[box][c], (n) => onCount(box, c, n))));
      cells[COLOURS.length].append(
        field(`box ${box + 1} relative frequency`, state.picks[box], (pick) => onPick(box, pick)));
    });
  };
  grid.element.classList.add("fields");
  fill();
  return { fill };
}
