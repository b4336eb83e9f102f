// Pictures of a scene as files: PNG, SVG, and an animation of a run.

import { markIcon } from "../viewer/marks.js";
import { Pen } from "../viewer/pen.js";

const PNG_SCALE = 2;
const FRAME_TIME = 450; // milliseconds for each step of an animation
const LONGEST = 60_000; // milliseconds of an animation

/** Return a plane as SVG. `paint` draws it with a pen. */
export function svgOf(plane, paint, describe = "") {
  const { width, height } = plane.canvas;
  const context = new SvgContext(plane.canvas.context);
  const palette = plane.canvas.palette;
  const fake = Object.create(plane, { canvas: { value: { ...plane.canvas, context, palette, ratio: 1, width, height, element: plane.canvas.element } } });
  const pen = new SvgPen(fake);
  fake.clip();
  paint(pen);
  context.restore();
  const escaped = describe.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif"><title>${escaped}</title><rect width="100%" height="100%" fill="${palette.colour("--paper")}"/>${context.parts.join("")}${"</g>".repeat(context.open)}</svg>\n`;
}

class SvgPen extends Pen {
  points(points, classes, { faded = false, size = 5 } = {}) {
    points.forEach((point, at) => {
      const path = markIcon(classes[at]).querySelector("path").getAttribute("d");
      const [x, y] = [this.plane.x(point[0]), this.plane.y(point[1])];
      this.context.parts.push(`<path d="${path}" transform="translate(${round(x)} ${round(y)}) scale(${size / 5.5})" fill="${this.palette.colour(`--class-${classes[at] % 10}`)}" opacity="${faded ? 0.35 : 1}"/>`);
    });
  }

  rings(points, kind = "now", { size = 5 } = {}) {
    const [gap, width, colour] = { now: [8, 3, "--ink"], wrong: [4, 2, "--wrong"], support: [4, 1.5, "--ink"], chosen: [11, 2, "--link"] }[kind];
    for (const point of points) {
      const [x, y, r] = [this.plane.x(point[0]), this.plane.y(point[1]), size + gap].map(round);
      const stroke = `fill="none" stroke="${this.palette.colour(colour)}" stroke-width="${width}"`;
      this.context.parts.push(`<circle cx="${x}" cy="${y}" r="${r}" ${stroke}/>`);
      if (kind === "wrong") this.context.parts.push(`<path d="M${round(x + 0.7 * r)} ${round(y - 0.7 * r)}L${round(x + 1.35 * r)} ${round(y - 1.35 * r)}" ${stroke}/>`);
    }
  }
}

const round = (value) => Math.round(value * 100) / 100;
const KEPT = ["fillStyle", "strokeStyle", "lineWidth", "lineJoin", "globalAlpha", "font", "textAlign", "textBaseline", "dash"];

/** The part of a canvas context that the pen uses, recorded as SVG elements. */
class SvgContext {
  constructor(measuring) {
    Object.assign(this, { measuring, parts: [], stack: [], open: 0, clips: 0, path: "", fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "round", globalAlpha: 1, font: "12px sans-serif", textAlign: "left", textBaseline: "middle", dash: [] });
  }

  save() { this.stack.push({ ...Object.fromEntries(KEPT.map((name) => [name, this[name]])), open: this.open }); }

  restore() {
    const before = this.stack.pop();
    if (!before) return;
    while (this.open > before.open) { this.parts.push("</g>"); this.open -= 1; }
    Object.assign(this, before);
  }

  clip() {
    this.clips += 1;
    this.parts.push(`<clipPath id="clip${this.clips}"><path d="${this.path}"/></clipPath><g clip-path="url(#clip${this.clips})">`);
    this.open += 1;
  }

  beginPath() { this.path = ""; }
  closePath() { this.path += "Z"; }
  moveTo(x, y) { this.path += `M${round(x)} ${round(y)}`; }
  lineTo(x, y) { this.path += `${this.path ? "L" : "M"}${round(x)} ${round(y)}`; }
  rect(x, y, w, h) { this.path += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}Z`; }
  arc(x, y, r) { this.path += `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 0 ${round(-2 * r)} 0Z`; }
  fillRect(x, y, w, h) { this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" fill="${this.fillStyle}"${this.faint()}/>`); }
  fill() { this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.faint()}/>`); }
  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"${dash}${this.faint()}/>`);
  }

  faint() { return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : ""; }
  setLineDash(dash) { this.dash = dash; }
  setTransform() {}
  translate() {}
  scale() {}

  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }

  fillText(text, x, y) { this.text(text, x, y, `fill="${this.fillStyle}"`); }
  strokeText(text, x, y) { this.text(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`); }

  text(text, x, y, style) {
    const [, weight, size] = /^(?:(\d+) )?(\d+)px/.exec(this.font) ?? [0, "", "12"];
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const down = { middle: 0.35, top: 0.85 }[this.textBaseline] ?? 0;
    this.parts.push(`<text x="${round(x)}" y="${round(y + down * Number(size))}" font-size="${size}"${weight ? ` font-weight="${weight}"` : ""} text-anchor="${anchor}" style="white-space:pre" ${style}>${text.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</text>`);
  }

  drawImage(image, x, y, width = image.width, height = image.height) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    this.parts.push(`<image href="${canvas.toDataURL()}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" preserveAspectRatio="none" style="image-rendering:pixelated"/>`);
  }
}

/** Return a plane as a PNG blob, twice the size of the screen. */
export async function pngOf(plane, paint) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(plane, paint))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [plane.canvas.width * PNG_SCALE, plane.canvas.height * PNG_SCALE];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

/** Return an animation of the steps 0 to `count` as a video blob; `show(step)` shows one of them. */
export async function recordSteps(plane, count, show, caption) {
  if (typeof MediaRecorder === "undefined") throw new Error("this browser cannot record an animation");
  const canvas = document.createElement("canvas");
  const { width, height, palette, element } = plane.canvas;
  const foot = 56;
  [canvas.width, canvas.height] = [2 * Math.round(width), 2 * Math.round(height + foot)];
  const context = canvas.getContext("2d");
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((each) => MediaRecorder.isTypeSupported(each));
  if (!type) throw new Error("this browser cannot record an animation");
  const draw = (step) => {
    show(step);
    context.fillStyle = palette.colour("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(element, 0, 0, 2 * width, 2 * height);
    context.fillStyle = palette.colour("--ink");
    context.font = "24px system-ui, sans-serif";
    wrapped(context, caption(step), canvas.width - 32).slice(0, 3).forEach((line, at) => context.fillText(line, 16, 2 * height + 28 + 32 * at));
  };
  draw(0);
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: type, videoBitsPerSecond: 4_000_000 });
  const parts = [];
  recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
  const stopped = new Promise((resolve) => { recorder.addEventListener("stop", resolve); });
  recorder.start();
  const time = Math.min(FRAME_TIME, LONGEST / (count + 1));
  for (let step = 0; step <= count; step += 1) {
    draw(step);
    await new Promise((resolve) => { setTimeout(resolve, time); });
  }
  await new Promise((resolve) => { setTimeout(resolve, 3 * time); });
  recorder.stop();
  await stopped;
  return new Blob(parts, { type: type.split(";")[0] });
}

function wrapped(context, text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (context.measureText(longer).width > width && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
