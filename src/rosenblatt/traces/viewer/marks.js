// The marks of points: each class has its own shape and colour.

import { CLASSES } from "./classes.js";

const SHAPES = {
  square: (path, r) => path.rect(-0.88 * r, -0.88 * r, 1.76 * r, 1.76 * r),
  circle: (path, r) => path.arc(0, 0, r, 0, 2 * Math.PI),
  triangle: (path, r) => polygon(path, [[0, -1.25], [1.12, 0.75], [-1.12, 0.75]], r),
  diamond: (path, r) => polygon(path, [[0, -1.3], [1.1, 0], [0, 1.3], [-1.1, 0]], r),
  "triangle on its tip": (path, r) => polygon(path, [[0, 1.25], [-1.12, -0.75], [1.12, -0.75]], r),
  pentagon: (path, r) => polygon(path, corners(5, 1.15), r),
  plus: (path, r) => polygon(path, cross(0.42, 1.2), r),
  star: (path, r) => polygon(path, star(), r),
  cross: (path, r) => polygon(path, turned(cross(0.38, 1.3)), r),
  hexagon: (path, r) => polygon(path, corners(6, 1.15), r),
};

/** Return the name of the shape of a class. After ten classes the colours repeat with other shapes. */
export function shapeName(classNumber) {
  const round = Math.floor(classNumber / CLASSES.length);
  return CLASSES[(classNumber + round) % CLASSES.length].shape;
}

/** Return the name of the CSS variable with the colour of a class. */
export function classColour(classNumber) {
  return `--class-${classNumber % CLASSES.length}`;
}

/**
 * Return a sprite of one mark, drawn once and copied for each point, so that thousands of points are cheap.
 */
export function markSprite(classNumber, radius, palette, ratio) {
  const side = Math.ceil((2.7 * radius + 3) * ratio);
  const sprite = new OffscreenCanvas(side, side);
  const context = sprite.getContext("2d");
  context.translate(side / 2, side / 2);
  context.scale(ratio, ratio);
  context.beginPath();
  SHAPES[shapeName(classNumber)](context, radius);
  context.closePath();
  context.lineWidth = 2.5;
  context.lineJoin = "round";
  context.strokeStyle = palette.colour("--paper");
  context.stroke();
  context.fillStyle = palette.colour(classColour(classNumber));
  context.fill();
  return sprite.transferToImageBitmap();
}

const RINGS = {
  now: [8, 3, "--ink"], wrong: [4, 2, "--wrong"], support: [4, 1.5, "--ink"], chosen: [11, 2, "--link"],
};

/** Draw a ring around a mark: "now" (the current row), "wrong", "support" of the margin, or "chosen". */
export function ringSprite(kind, size, palette, ratio) {
  // full rings would hide many small marks
  const small = size < 5 && ["wrong", "support"].includes(kind);
  const [gap, full, colour] = RINGS[kind];
  const [radius, width] = small ? [size + 0.4 * gap, 0.6 * full] : [size + gap, full];
  const side = Math.ceil((3 * radius + 2 * width) * ratio);
  const sprite = new OffscreenCanvas(side, side);
  const context = sprite.getContext("2d");
  context.translate(side / 2, side / 2);
  context.scale(ratio, ratio);
  context.lineWidth = width;
  context.strokeStyle = palette.colour(colour);
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  if (kind === "wrong") {
    // a stroke out of the ring, so that the ring is recognisable without colour
    context.moveTo(radius * 0.7, -radius * 0.7);
    context.lineTo(radius * 1.35, -radius * 1.35);
  }
  // four strokes around, so that the ring is recognisable without colour
  for (const [x, y] of kind === "chosen" ? [[1, 0], [0, 1], [-1, 0], [0, -1]] : []) {
    context.moveTo(radius * x, radius * y);
    context.lineTo(1.4 * radius * x, 1.4 * radius * y);
  }
  context.stroke();
  return sprite.transferToImageBitmap();
}

/** Return an SVG of the mark for legends, in the colour of its class. */
export function markIcon(classNumber, title = "") {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("viewBox", "-8 -8 16 16");
  icon.setAttribute("class", "mark");
  if (title) icon.setAttribute("aria-label", title);
  else icon.setAttribute("aria-hidden", "true");
  const steps = [];
  const recorder = {
    rect: (x, y, w, h) => steps.push(`M${x} ${y}h${w}v${h}h${-w}z`),
    arc: (x, y, r) => steps.push(`M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`),
    moveTo: (x, y) => steps.push(`M${x} ${y}`),
    lineTo: (x, y) => steps.push(`L${x} ${y}`),
  };
  SHAPES[shapeName(classNumber)](recorder, 5.5);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", steps.join(""));
  path.style.fill = `var(${classColour(classNumber)})`;
  icon.append(path);
  return icon;
}

function polygon(path, points, r) {
  points.forEach(([x, y], k) => (k ? path.lineTo(x * r, y * r) : path.moveTo(x * r, y * r)));
}

function corners(n, size) {
  return Array.from({ length: n }, (_, k) => {
    const angle = (2 * Math.PI * k) / n - Math.PI / 2;
    return [size * Math.cos(angle), size * Math.sin(angle)];
  });
}

function star() {
  const outer = corners(5, 1.35);
  const inner = corners(5, 0.6).map(([x, y]) => rotated(x, y, Math.PI / 5));
  return outer.flatMap((point, k) => [point, inner[k]]);
}

function cross(thin, long) {
  return [[-thin, -long], [thin, -long], [thin, -thin], [long, -thin], [long, thin], [thin, thin],
    [thin, long], [-thin, long], [-thin, thin], [-long, thin], [-long, -thin], [-thin, -thin]];
}

function turned(points) {
  return points.map(([x, y]) => rotated(x, y, Math.PI / 4));
}

function rotated(x, y, angle) {
  return [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
}
