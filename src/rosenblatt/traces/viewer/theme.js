// Colours come from the style sheet, so that a picture follows the light or dark theme of its page.

/** The font of the pictures, which is the font of the page. */
export const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** Return the value of a CSS variable at the element, as #rrggbb or rgba(…). */
export class Palette {
  constructor(element) {
    this.element = element;
    this.forget();
  }

  /** Read the style sheet again after a change of the theme. */
  forget() {
    this.style = getComputedStyle(this.element);
    this.known = new Map();
  }

  colour(name) {
    let value = this.known.get(name);
    if (value === undefined) {
      value = name.startsWith("--") ? this.style.getPropertyValue(name).trim() || "#808080" : name;
      this.known.set(name, value);
    }
    return value;
  }

  /** [red, green, blue] of a colour, 0 to 255. */
  channels(name) {
    const probe = new OffscreenCanvas(1, 1).getContext("2d");
    probe.fillStyle = this.colour(name);
    probe.fillRect(0, 0, 1, 1);
    return Array.from(probe.getImageData(0, 0, 1, 1).data.slice(0, 3));
  }
}

const themeListeners = new Set();
let watching = false;

/** Call back when the page changes to light or dark; return a function that stops this. */
export function whenThemeChanges(callback) {
  themeListeners.add(callback);
  if (!watching) {
    watching = true;
    const tellAll = () => themeListeners.forEach((listener) => listener());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tellAll);
    new MutationObserver(tellAll).observe(document.documentElement, {
      attributes: true, subtree: true, attributeFilter: ["data-theme"],
    });
  }
  return () => themeListeners.delete(callback);
}

/**
 * A canvas that fills its box, is sharp on every screen, and is redrawn when its size or the theme changes.
 */
export class Canvas {
  constructor(parent, label, redraw) {
    this.element = document.createElement("canvas");
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", label);
    parent.append(this.element);
    this.context = this.element.getContext("2d");
    this.palette = new Palette(parent);
    this.width = 0;
    this.height = 0;
    this.redraw = redraw;
    this.observer = new ResizeObserver(() => this.measure() && this.redraw());
    this.observer.observe(this.element);
    this.endTheme = whenThemeChanges(() => {
      this.palette.forget();
      this.redraw();
    });
    this.measure();
  }

  /** Adopt the size of the box; return false if it has not changed. */
  measure() {
    const [scale, density] = [this.pictureScale(), window.devicePixelRatio || 1];
    const { clientWidth, clientHeight } = this.element;
    const [width, height, ratio] = [clientWidth / scale, clientHeight / scale, density * scale];
    if (width === this.width && height === this.height && ratio === this.ratio) return false;
    Object.assign(this, { width, height, ratio, scale });
    this.element.width = Math.round(clientWidth * density);
    this.element.height = Math.round(clientHeight * density);
    return true;
  }

  /** Return the size of letters and marks relative to the normal one: the CSS variable --picture-scale. */
  pictureScale() {
    return Number(getComputedStyle(this.element).getPropertyValue("--picture-scale")) || 1;
  }

  /** Return a cleared drawing context in CSS pixels, or null while the box has no size. */
  begin() {
    if ((window.devicePixelRatio || 1) * this.pictureScale() !== this.ratio) this.measure();
    if (this.width < 2 || this.height < 2) return null;
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    return this.context;
  }

  describe(text) {
    this.element.setAttribute("aria-label", text);
  }

  destroy() {
    this.observer.disconnect();
    this.endTheme();
  }
}
