// Points that can be dragged: one handle for each, made anew when their number changes.

/**
 * Handles over the points of a plane. `set(points)` places them; `onMove(row, point)` is called while one
 * is dragged or moved by keys, `onRemove(row)` on Delete or a double click.
 */
export function grips(plane, { name = "point", along = null, onMove, onRemove }) {
  let handles = [];

  function make(row, at) {
    const handle = plane.handle({
      at, label: `${name} ${row + 1}`, along, keys: "arrow keys move it, Delete removes it",
      onMove: (point) => onMove(row, point),
    });
    handle.element.classList.add("grip");
    handle.element.addEventListener("dblclick", () => onRemove(row));
    handle.element.addEventListener("keydown", (event) => {
      if (event.key === "Delete" || event.key === "Backspace") onRemove(row);
    });
    return handle;
  }

  return {
    set(points) {
      if (points.length !== handles.length) {
        const held = handles.findIndex((handle) => handle.element === document.activeElement);
        handles.forEach((handle) => handle.remove());
        handles = points.map((point, row) => make(row, point));
        // the point is gone: the next one is where the keys go on
        if (held >= 0) handles.at(Math.min(held, handles.length - 1))?.element.focus();
      } else points.forEach((point, row) => handles[row].moveTo(point));
    },
  };
}
