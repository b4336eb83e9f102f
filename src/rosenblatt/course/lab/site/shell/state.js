// The state of a chapter: the link that contains it, and undo and redo.

/** Longest link that the page calls safe; browsers accept far longer ones, but some mail programs cut them. */
export const LONGEST_LINK = 8000;

/** Return the settings in the part of a URL after #, or an error message. */
export function readHash(hash) {
  const text = hash.replace(/^#/, "");
  if (!text) return { changes: {} };
  try {
    const changes = JSON.parse(decodeURIComponent(text));
    if (changes === null || typeof changes !== "object" || Array.isArray(changes)) throw new Error();
    return { changes };
  } catch {
    return { changes: {}, error: "The link is damaged: the part after # is not a valid state. The chapter opens in its initial state." };
  }
}

/** Return the settings that differ from the initial state, so that links are short. */
export function changesOf(state, start) {
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => !isSame(value, start[name])));
}

/** Return the part of a URL after #, "" for the initial state. */
export function writeHash(changes) {
  return Object.keys(changes).length ? `#${encodeURIComponent(JSON.stringify(changes))}` : "";
}

/**
 * Return why a state cannot be used: each setting must have the type of the initial state, numbers must be
 * finite, and points must agree with their labels. Return "" for a usable state.
 */
export function problemOf(state, start, { most = 300 } = {}) {
  for (const [name, value] of Object.entries(state)) {
    if (name === "task") continue;
    if (!(name in start)) return `there is no setting ${name}`;
    if (kindOf(value) !== kindOf(start[name])) return `${name} must be ${kindOf(start[name])}`;
    if (!isFinite(value)) return `${name} contains a number that is not finite`;
  }
  const { points, labels } = state;
  if (points && labels && points.length !== labels.length) return `${points.length} points but ${labels.length} labels`;
  if (points?.length > most) return `${points.length} points; a chapter shows at most ${most}`;
  if (points?.some((point) => !Array.isArray(point) || point.length !== 2 || point.some((x) => typeof x !== "number"))) return "a point is not a list of two numbers";
  if (labels?.some((label) => typeof label !== "number")) return "a label is not a number";
  return "";
}

const kindOf = (value) => (Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`);

function isFinite(value) {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isFinite);
}

export const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The state with its history. Changes with the same `key` in succession (a drag, a slider) are undone together. */
export class Store {
  constructor(start, changes = {}) {
    this.start = start;
    this.state = { ...structuredClone(start), ...structuredClone(changes) };
    this.past = [];
    this.future = [];
    this.key = null;
    this.listeners = new Set();
  }

  change(part, key = null) {
    const before = this.state;
    const after = { ...before, ...part };
    if (isSame(before, after)) return;
    if (key === null || key !== this.key) this.past.push(before);
    if (this.past.length > 500) this.past.shift();
    this.key = key;
    this.future = [];
    this.adopt(after);
  }

  /** End a succession: the next change is undone separately. */
  settle() {
    this.key = null;
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.state);
    this.key = null;
    this.adopt(this.past.pop());
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.state);
    this.key = null;
    this.adopt(this.future.pop());
    return true;
  }

  reset() {
    this.change(structuredClone(this.start));
  }

  adopt(state) {
    this.state = state;
    this.listeners.forEach((listener) => listener(state));
  }
}
