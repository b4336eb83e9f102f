// Small things that several pictures of these chapters draw.

const NEAR = 12; // px: a click so near to a point means that point
const SHARES = ["", "½", "¼", "⅛", "1⁄16", "1⁄32", "1⁄64"];

/** To two decimals, so that links stay short. */
export const rounded = (value) => Math.round(value * 100) / 100;

/** The nearest number between low and high. */
export const within = (value, low, high) => Math.max(low, Math.min(high, value));

/** A new element at the end of its parent. */
export function plainElement(parent, tag, className = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  parent.append(element);
  return element;
}

/** Points of a circle around the origin. */
export function circle(radius, [x, y] = [0, 0]) {
  return Array.from({ length: 97 }, (_, k) => {
    const angle = (k * Math.PI) / 48;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** 1, ½, ¼, …: the scale at which all these vectors are shorter than `room`. */
export function arrowScale(vectors, room) {
  const longest = Math.max(...vectors.map(([a, b]) => Math.hypot(a, b)));
  let scale = 1;
  while (longest * scale > room && scale > 1 / 64) scale /= 2;
  return scale;
}

/** How arrows are drawn, in words; nothing where they have their true length. */
export function scaleText(scale) {
  const share = SHARES[Math.round(-Math.log2(scale))];
  return share ? `Arrows of w are drawn at ${share} of their length.` : "";
}

/** 0, then how many of the first 1, 2, 3, … are true. */
export function totals(flags) {
  let total = 0;
  return [0, ...flags.map((flag) => (total += flag ? 1 : 0))];
}

/** Call `remove` with the row of the point that was pressed; false where there is none. */
export function removeNear(plane, points, at, remove) {
  const away = ([x, y]) => Math.hypot(plane.x(x) - plane.x(at[0]), plane.y(y) - plane.y(at[1]));
  const row = points.findIndex((point) => away(point) < NEAR);
  if (row >= 0) remove(row);
  return row >= 0;
}

/**
 * Under a picture: what it comes to, and in quiet how to read it. The sentences are those of the page,
 * which stay where they are for screen readers, and are seen here instead.
 */
export function caption(parent) {
  const told = plainElement(parent, "p");
  const key = plainElement(parent, "p", "quiet");
  told.setAttribute("aria-hidden", "true");
  document.getElementById("said").classList.add("unseen");
  return {
    set(sentences, keyText) {
      told.textContent = sentences.join(" ");
      key.textContent = keyText;
    },
    clear: () => told.replaceChildren(),
  };
}

/** Room for what is opened only when wanted; `open`: on a wide page it is open at first. */
export function folded(parent, title, { open = false } = {}) {
  const details = plainElement(parent, "details");
  details.open = open && matchMedia("(min-width: 56rem)").matches;
  plainElement(details, "summary").textContent = title;
  return details;
}
