// The controls of a chapter, made from their descriptions.

let numbered = 0;

/** Create an element with attributes, properties and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, callback] of Object.entries(value)) element.addEventListener(event, callback);
    else if (name === "class") element.className = value;
    else if (name === "html") element.innerHTML = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Create a button. */
export function button(text, onClick, attributes = {}) {
  return make("button", { type: "button", on: { click: onClick }, ...attributes }, text);
}

/** Put text on the clipboard, and say in `status` whether that worked. */
export async function copyText(text, status, what = "Link") {
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = `${what} copied.`;
  } catch {
    status.textContent = `The browser blocked copying. Select and copy: ${text}`;
  }
}

/**
 * Build the controls described by `specs` in `parent`. `change(part, key)` changes the state. Return
 * `update(state)`, which shows their values and hides those that do not apply. `allowed` names the controls
 * that an assignment permits; null for all.
 */
export function buildControls(parent, specs, { change, settle, allowed = null }) {
  const groups = new Map();
  const updates = [];
  for (const spec of specs) {
    if (allowed && !allowed.includes(spec.name)) continue;
    const title = spec.group ?? "";
    if (!groups.has(title)) {
      const box = title ? make("fieldset", {}, make("legend", {}, title)) : make("div", { class: "ungrouped" });
      parent.append(box);
      groups.set(title, { box, rows: [] });
    }
    const { box, rows } = groups.get(title);
    const update = BUILDERS[spec.type](box, spec, change, settle);
    rows.push(update.element);
    updates.push((state) => {
      update.element.hidden = spec.when ? !spec.when(state) : false;
      if (!update.element.hidden) update.set(state);
    });
  }
  return (state) => {
    updates.forEach((update) => update(state));
    for (const { box, rows } of groups.values()) box.hidden = rows.every((row) => row.hidden);
  };
}

const nameOf = (spec, state) => (typeof spec.label === "function" ? spec.label(state) : spec.label);

function row(parent, spec, control, ...others) {
  numbered += 1;
  control.id = `control-${numbered}`;
  const label = make("label", { for: control.id }, nameOf(spec, {}));
  const element = make("div", { class: "control" }, label, control, ...others);
  parent.append(element);
  return { element, label };
}

// the part of the state of a change, for a setting or for one number of a list: "w.0"
const partOf = (spec, state, value) => {
  if (spec.set) return spec.set(value, state);
  const [name, at] = spec.name.split(".");
  if (at === undefined) return { [name]: value };
  return { [name]: state[name].map((old, k) => (k === Number(at) ? value : old)) };
};
const valueOf = (spec, state) => {
  if (spec.get) return spec.get(state);
  const [name, at] = spec.name.split(".");
  return at === undefined ? state[name] : state[name][Number(at)];
};

const BUILDERS = {
  choice(parent, spec, change) {
    const control = make("select");
    let [now, offered] = [null, ""];
    const { element } = row(parent, spec, control);
    control.addEventListener("change", () => {
      const options = typeof spec.options === "function" ? spec.options(now) : spec.options;
      const value = options.map((option) => (Array.isArray(option) ? option[0] : option))[control.selectedIndex];
      change(partOf(spec, now, value));
    });
    return {
      element,
      set(state) {
        now = state;
        const options = (typeof spec.options === "function" ? spec.options(state) : spec.options).map((option) => (Array.isArray(option) ? option : [option, String(option)]));
        if (JSON.stringify(options) !== offered) {
          offered = JSON.stringify(options);
          control.replaceChildren(...options.map(([value, text]) => new Option(text, String(value))));
        }
        control.value = String(valueOf(spec, state));
      },
    };
  },

  slider(parent, spec, change, settle) {
    const [to, from] = [spec.to ?? ((x) => x), spec.from ?? ((x) => x)];
    const control = make("input", { type: "range", min: String(spec.min), max: String(spec.max), step: String(spec.step ?? 1) });
    const output = make("output");
    let now = null;
    const { element } = row(parent, spec, control, output);
    output.htmlFor = control.id;
    const show = (value) => {
      output.textContent = (spec.shown ?? String)(value);
      control.setAttribute("aria-valuetext", output.textContent);
    };
    control.addEventListener("input", () => {
      const value = to(Number(control.value));
      show(value);
      change(partOf(spec, now, value), spec.name);
    });
    control.addEventListener("change", settle);
    return {
      element,
      set(state) {
        now = state;
        const value = valueOf(spec, state);
        if (spec.maxOf) control.max = spec.maxOf(state);
        if (to(Number(control.value)) !== value) control.value = from(value);
        show(value);
      },
    };
  },

  number(parent, spec, change) {
    const control = make("input", { type: "number", step: String(spec.step ?? "any"), ...(spec.min === undefined ? {} : { min: String(spec.min) }), ...(spec.max === undefined ? {} : { max: String(spec.max) }) });
    let now = null;
    const { element } = row(parent, spec, control);
    control.addEventListener("change", () => {
      const value = Number(control.value);
      if (control.value === "" || !control.checkValidity()) { control.value = valueOf(spec, now); return; }
      change(partOf(spec, now, value));
    });
    return { element, set(state) { now = state; control.value = valueOf(spec, state); } };
  },

  text(parent, spec, change) {
    const control = make("input", { type: "text", ...(spec.placeholder ? { placeholder: spec.placeholder } : {}) });
    let now = null;
    const { element } = row(parent, spec, control);
    control.addEventListener("change", () => change(partOf(spec, now, spec.read ? spec.read(control.value) : control.value)));
    return { element, set(state) { now = state; control.value = spec.write ? spec.write(valueOf(spec, state)) : valueOf(spec, state); } };
  },

  toggle(parent, spec, change) {
    const control = make("input", { type: "checkbox" });
    let now = null;
    const { element } = row(parent, spec, control);
    element.classList.add("toggle");
    control.addEventListener("change", () => change(partOf(spec, now, control.checked)));
    return { element, set(state) { now = state; control.checked = valueOf(spec, state); } };
  },

  action(parent, spec, change) {
    let now = null;
    const control = button(nameOf(spec, {}), () => change(spec.do(now)));
    const element = make("span", { class: "action" }, control);
    parent.append(element);
    return { element, set(state) { now = state; } };
  },

  note(parent, spec) {
    const element = make("p", { class: "quiet" });
    parent.append(element);
    return { element, set(state) { element.textContent = nameOf(spec, state); } };
  },
};

/** A table of numbers whose first column names the rows. */
export function tableOf({ caption, head, rows, mark = -1 }) {
  const line = (cells, isHead, at) => make("tr", at === mark && !isHead ? { class: "now" } : {}, ...cells.map((cell, column) => (
    isHead ? make("th", { scope: "col" }, cell) : column ? make("td", {}, cell) : make("th", { scope: "row" }, cell))));
  const table = make("table", {}, make("caption", {}, caption), make("thead", {}, line(head, true)), make("tbody", {}, ...rows.map((cells, at) => line(cells.map(String), false, at))));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, table);
}
