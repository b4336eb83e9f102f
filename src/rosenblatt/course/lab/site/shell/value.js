// Fractions that accept numbers and texts as operands.

import { Fraction } from "../engine/fraction.js";

export class Value extends Fraction {
  /** Return a number, a text such as "2/3", or a fraction as a value. */
  static of(value) {
    if (value instanceof Value) return value;
    const found = value instanceof Fraction ? value : Fraction.of(value);
    return new Value(found.n, found.d);
  }

  plus(other) { return Value.of(super.plus(Value.of(other))); }
  minus(other) { return Value.of(super.minus(Value.of(other))); }
  times(other) { return Value.of(super.times(Value.of(other))); }
  over(other) { return Value.of(super.over(Value.of(other))); }
  equals(other) { return super.equals(Value.of(other)); }
  toString() { return super.toString().replace("-", "−"); }
}
