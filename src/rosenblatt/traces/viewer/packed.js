// Decoding of numbers that a page stores as base64 text.

/** Return the bytes of a base64 text. */
export function bytesOf(base64) {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

/** Return doubles from little-endian bytes, eight per number. */
export function doublesOf(base64) {
  return new Float64Array(bytesOf(base64).buffer);
}

/** Return single-precision numbers from little-endian bytes, four per number. */
export function singlesOf(base64) {
  return new Float32Array(bytesOf(base64).buffer);
}
