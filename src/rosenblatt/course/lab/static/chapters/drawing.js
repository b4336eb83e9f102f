// Small helpers for the pictures of several chapters.

const NEAR = 12; // pixels: a click within this distance of a point refers to the point
const SHARES = ["", "½", "¼", "⅛", "1⁄16", "1⁄32", "1⁄64"];

/** Round to two decimals, so that links are short. */
export const rounded = (value) => Math.round(value * 100) / 100;

/** Return the nearest number between low and high. */
export const within = (value, low, high) => Math.max(low, Math.min(high, value));

/** Append a new element to its parent. */
export function plainElement(parent, tag, className = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  parent.append(element);
  return element;
}

/** Return points on a circle around the origin. */
export function circle(radius, [x, y] = [0, 0]) {
  return Array.from({ length: 97 }, (_, k) => {
    const angle = (k * Math.PI) / 48;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** Return the largest of the scales 1, ½, ¼, … at which all these vectors are shorter than `room`. */
export function arrowScale(vectors, room) {
  const longest = Math.max(...vectors.map(([a, b]) => Math.hypot(a, b)));
  let scale = 1;
  while (longest * scale > room && scale > 1 / 64) scale /= 2;
  return scale;
}

/** Describe the scale of the arrows; empty if they have their true length. */
export function scaleText(scale) {
  const share = SHARES[Math.round(-Math.log2(scale))];
  return share ? `Arrows of w are drawn at ${share} of their length.` : "";
}

/** Return 0, then the numbers of true values among the first 1, 2, 3, …. */
export function totals(flags) {
  let total = 0;
  return [0, ...flags.map((flag) => (total += flag ? 1 : 0))];
}

/** Call `remove` with the row of the point that was pressed; return false if there is none. */
export function removeNear(plane, points, at, remove) {
  const away = ([x, y]) => Math.hypot(plane.x(x) - plane.x(at[0]), plane.y(y) - plane.y(at[1]));
  const row = points.findIndex((point) => away(point) < NEAR);
  if (row >= 0) remove(row);
  return row >= 0;
}

/**
 * Show the result and a legend under a picture. The sentences are those of the page: they remain there for
 * screen readers, and are visible only here.
 */
export function caption(parent) {
  const summary = plainElement(parent, "p");
  const key = plainElement(parent, "p", "quiet");
  summary.setAttribute("aria-hidden", "true");
  document.getElementById("result").classList.add("unseen");
  return {
    set(sentences, keyText) {
      summary.textContent = sentences.join(" ");
      key.textContent = keyText;
    },
    clear: () => summary.replaceChildren(),
  };
}

/** Add a section that can be opened; with `open`, it is open at first on a wide page. */
export function folded(parent, title, { open = false } = {}) {
  const details = plainElement(parent, "details");
  details.open = open && matchMedia("(min-width: 56rem)").matches;
  plainElement(details, "summary").textContent = title;
  return details;
}
