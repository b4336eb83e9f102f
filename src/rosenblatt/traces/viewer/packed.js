// Numbers that a page holds as text: bytes in base64.

/** The bytes of a text in base64. */
export function bytesOf(base64) {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

/** Doubles, eight bytes each, the lowest first. */
export function doublesOf(base64) {
  return new Float64Array(bytesOf(base64).buffer);
}

/** Single precision, four bytes each, the lowest first. */
export function singlesOf(base64) {
  return new Float32Array(bytesOf(base64).buffer);
}
