// Points that can be dragged: one handle per point, rebuilt when the number of points changes.

/**
 * Add handles over the points of a plane. `set(points)` positions them; `onMove(row, point)` is called while one
 * is dragged or moved by keys, and `onRemove(row)` on Delete or a double click.
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
        // the point was removed: focus the next one
        if (held >= 0) handles.at(Math.min(held, handles.length - 1))?.element.focus();
      } else points.forEach((point, row) => handles[row].moveTo(point));
    },
  };
}
