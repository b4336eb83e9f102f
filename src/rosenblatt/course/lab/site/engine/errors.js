/** An error in what the user entered; its message says what is wrong, where, and what to do. */
export class BadInput extends Error {}

/** Throw `BadInput` with this message unless the condition holds. */
export function require(condition, message) {
  if (!condition) throw new BadInput(message);
}
