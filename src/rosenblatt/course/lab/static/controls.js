// Controls with visible labels, which screen readers also read.

let made = 0;

function labelled(parent, text, control) {
  control.id = `control-${++made}`;
  const row = document.createElement("div");
  row.className = "control";
  const label = document.createElement("label");
  label.htmlFor = control.id;
  label.textContent = text;
  row.append(label, control);
  parent.append(row);
  return row;
}

/** Add a slider and its value; `shown` turns the value into text, and `real` a slider position into the value. */
export function slider(parent, { label, min, max, step, value, onInput, shown = String }) {
  const control = document.createElement("input");
  Object.assign(control, { type: "range", min, max, step });
  control.value = value;
  const row = labelled(parent, label, control);
  const output = document.createElement("output");
  output.htmlFor = control.id;
  row.append(output);
  const say = () => {
    output.textContent = shown(Number(control.value));
    control.setAttribute("aria-valuetext", output.textContent);
  };
  say();
  control.addEventListener("input", () => {
    say();
    onInput(Number(control.value));
  });
  return {
    set(next) {
      control.value = next;
      say();
    },
    element: row,
  };
}

/** Add a choice: options are [value, text] pairs or strings; `offer` replaces them. */
export function choice(parent, { label, options, value, onChange }) {
  const control = document.createElement("select");
  const offer = (next) => control.replaceChildren(...next.map((option) => {
    const [of, text] = Array.isArray(option) ? option : [option, option];
    return new Option(text, of);
  }));
  offer(options);
  control.value = value;
  const row = labelled(parent, label, control);
  control.addEventListener("change", () => onChange(control.value));
  return { set(next) { control.value = next; }, offer, element: row };
}

/** Add a check box. */
export function toggle(parent, { label, value, onChange }) {
  const control = document.createElement("input");
  control.type = "checkbox";
  control.checked = value;
  const row = labelled(parent, label, control);
  row.classList.add("toggle");
  control.addEventListener("change", () => onChange(control.checked));
  return { set(next) { control.checked = next; }, element: row };
}

/** Add a field for a number; the package checks its range. */
export function numberField(parent, { label, value, step = "any", onChange }) {
  const control = document.createElement("input");
  Object.assign(control, { type: "number", step });
  control.value = value;
  const row = labelled(parent, label, control);
  control.addEventListener("change", () => {
    if (control.value !== "") onChange(Number(control.value));
  });
  return { set(next) { control.value = next; }, element: row };
}

/** Add a field for a few words or numbers. */
export function textField(parent, { label, value, onChange }) {
  const control = document.createElement("input");
  control.type = "text";
  control.value = value;
  const row = labelled(parent, label, control);
  control.addEventListener("change", () => onChange(control.value));
  return { set(next) { control.value = next; }, element: row };
}

/** Add a button. */
export function button(parent, text, onClick) {
  const control = document.createElement("button");
  control.type = "button";
  control.textContent = text;
  control.addEventListener("click", onClick);
  parent.append(control);
  return control;
}

/** Add a group of controls with a name. */
export function group(parent, title) {
  const set = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = title;
  set.append(legend);
  parent.append(set);
  return set;
}

/** Add a table of numbers; its first column names the rows. */
export function table(parent, caption) {
  const element = document.createElement("table");
  element.createCaption().textContent = caption;
  const wide = document.createElement("div");
  wide.className = "wide";
  wide.tabIndex = 0;
  wide.setAttribute("role", "region");
  wide.setAttribute("aria-label", caption);
  wide.append(element);
  parent.append(wide);
  const head = element.createTHead();
  const body = element.createTBody();
  return {
    element: wide,
    set(names, rows) {
      const cells = names.map((name) => {
        const cell = document.createElement("th");
        cell.scope = "col";
        cell.textContent = name;
        return cell;
      });
      const top = document.createElement("tr");
      top.append(...cells);
      head.replaceChildren(top);
      body.replaceChildren(...rows.map(([first, ...rest]) => {
        const row = document.createElement("tr");
        const name = document.createElement("th");
        name.scope = "row";
        name.textContent = first;
        row.append(name, ...rest.map((text) => {
          const cell = document.createElement("td");
          cell.textContent = text;
          return cell;
        }));
        return row;
      }));
    },
  };
}

/** Add a line of small text under a picture or a control. */
export function note(parent) {
  const paragraph = document.createElement("p");
  paragraph.className = "quiet";
  parent.append(paragraph);
  return paragraph;
}
