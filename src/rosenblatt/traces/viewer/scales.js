// Round numbers along an axis, and ranges that contain the data.

import { real, superscript } from "./numbers.js";

/** Return about `most` round numbers within [low, high], in steps of 1, 2 or 5 times a power of ten. */
export function niceTicks(low, high, most = 7) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((length) => length >= rough * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) ticks.push(k * step);
  return ticks;
}

/**
 * Return the powers of ten within [low, high], thinned to about `most`; if there are few, add 2 and 5
 * between.
 */
export function logTicks(low, high, most = 6) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  if (last - first < 1) {
    const inner = niceTicks(low, high, most).filter((tick) => tick > 0);
    return inner.length ? inner : [low, high];
  }
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let power = first; power <= last; power += every) ticks.push(10 ** power);
  return ticks;
}

/**
 * Return the label of a tick, with enough digits to distinguish adjacent ticks; powers of ten for a wide
 * range.
 */
export function tickText(value, ticks) {
  if (arePowersOfTen(ticks)) return `10${superscript(Math.round(Math.log10(value)))}`;
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(value) || 1;
  if (Math.abs(value) < step * 1e-6) return "0";
  const digits = Math.max(1, Math.min(12, Math.ceil(Math.log10(Math.abs(value) / step) - 1e-9) + 2));
  return real(value, digits);
}

/** Return the smallest and the largest finite number, or nothing if none is finite. */
export function extentOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [] : [low, high];
}

/**
 * Return a range that contains the numbers and a part `margin` of its length on both sides; at least
 * `least` long.
 */
export function rangeOf(values, margin = 0, least = 0) {
  const [low, high] = extentOf(values);
  if (low === undefined) return [-1, 1];
  const length = Math.max(high - low, least) || Math.abs(high) || 1;
  const added = margin * length + (length - (high - low)) / 2;
  return [low - added, high + added];
}

// the ticks of a logarithmic axis with a wide range
function arePowersOfTen(ticks) {
  const powers = ticks.map((tick) => Math.log10(tick));
  const whole = powers.every((power) => Math.abs(power - Math.round(power)) < 1e-9);
  return whole && ticks.length > 1 && powers.some((power) => Math.abs(power) > 3.5);
}
