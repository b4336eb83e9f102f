// A pen without a canvas: it checks that everything drawn is finite.

import { strict as assert } from "node:assert";

export class Pen {
  constructor([x, y]) {
    this.plane = { view: { x, y } };
    this.calls = [];
    for (const name of ["grid", "points", "ring", "rings", "line", "band", "halves", "segment", "curve", "area", "regions", "arrow", "text"]) {
      this[name] = (...given) => {
        if (!["curve", "line", "halves", "band"].includes(name)) assert.ok(!/null/.test(JSON.stringify(given)), `${name} is drawn with a number that is not finite: ${JSON.stringify(given).slice(0, 200)}`);
        this.calls.push([name, ...given]);
      };
    }
  }
}
