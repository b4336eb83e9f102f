// The zero curve of the values on a grid, and the sign of each part of a cell.

const FINER = 3; // subdivisions of a cell per axis, so that the tinted regions follow the curve

/**
 * Return the curve where the values are 0, as lists of points. `grid` is {x, y, columns, rows}; the values
 * are given row by row from the top. Within a cell the curve is a straight line between points on its
 * edges.
 */
export function zeroCurve(grid, values) {
  const links = new Map();
  const link = (a, b) => {
    for (const [from, to] of [[a, b], [b, a]]) {
      if (!links.has(from)) links.set(from, []);
      links.get(from).push(to);
    }
  };
  for (let row = 0; row < grid.rows - 1; row += 1) {
    for (let column = 0; column < grid.columns - 1; column += 1) {
      for (const [a, b] of crossings(grid, values, row, column)) link(a, b);
    }
  }
  return chains(links).map((edges) => edges.map((edge) => placeOn(grid, values, edge)));
}

/** Return the side of each part of each cell (1 if the values are above 0), for `pen.regions`. */
export function sidesOf(grid, values) {
  const [columns, rows] = [FINER * (grid.columns - 1), FINER * (grid.rows - 1)];
  const classes = new Uint8Array(columns * rows);
  for (let r = 0; r < rows; r += 1) {
    const [row, down] = [Math.floor(r / FINER), ((r % FINER) + 0.5) / FINER];
    for (let c = 0; c < columns; c += 1) {
      const [column, across] = [Math.floor(c / FINER), ((c % FINER) + 0.5) / FINER];
      const first = row * grid.columns + column;
      const top = values[first] + across * (values[first + 1] - values[first]);
      const below = first + grid.columns;
      const bottom = values[below] + across * (values[below + 1] - values[below]);
      classes[r * columns + c] = top + down * (bottom - top) > 0 ? 1 : 0;
    }
  }
  return { columns, rows, classes, view: { x: grid.x, y: grid.y } };
}

// edges are numbered by the node at their left or upper end: even for horizontal edges, odd for vertical
// ones
function crossings({ columns }, values, row, column) {
  const node = row * columns + column;
  const corners = [node, node + 1, node + columns + 1, node + columns].map((at) => values[at] > 0);
  if (corners.every((side) => side === corners[0])) return [];
  const edges = [2 * node, 2 * (node + 1) + 1, 2 * (node + columns), 2 * node + 1];
  const crossed = edges.filter((_, k) => corners[k] !== corners[(k + 1) % 4]);
  if (crossed.length === 2) return [crossed];
  // a saddle: the value at the centre determines which corners are connected
  const middle = values[node] + values[node + 1] + values[node + columns] + values[node + columns + 1];
  const [top, right, bottom, left] = edges;
  return (middle > 0) === corners[0] ? [[top, right], [bottom, left]] : [[top, left], [bottom, right]];
}

function placeOn({ x, y, columns, rows }, values, edge) {
  const node = edge >> 1;
  const other = edge % 2 ? node + columns : node + 1;
  const share = values[node] / (values[node] - values[other]);
  const across = (node % columns) + (edge % 2 ? 0 : share);
  const down = Math.floor(node / columns) + (edge % 2 ? share : 0);
  return [x[0] + (across / (columns - 1)) * (x[1] - x[0]), y[1] - (down / (rows - 1)) * (y[1] - y[0])];
}

// follow the curve from edge to edge until it ends or closes, first from edges with a single neighbour
function chains(links) {
  const found = [];
  const follow = (start) => {
    const chain = [start];
    for (let at = start; ;) {
      const next = links.get(at).pop();
      if (next === undefined) break;
      const back = links.get(next);
      back.splice(back.indexOf(at), 1);
      chain.push(next);
      at = next;
    }
    found.push(chain);
  };
  for (const [edge, neighbours] of links) if (neighbours.length === 1) follow(edge);
  for (const [edge, neighbours] of links) if (neighbours.length) follow(edge);
  return found;
}
