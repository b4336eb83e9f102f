// Number formatting: a minus sign (−), few digits, powers of ten.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Format a number with the given number of digits: 0.0014, −12,346, 2.5×10⁻⁷, ∞. */
export function real(value, digits = 5) {
  if (Number.isNaN(value) || value === null || value === undefined) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const sign = value < 0 ? "−" : "";
  const [mantissa, exponent] = Math.abs(value).toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 6) return `${sign}${trimmed(mantissa)}×10${superscript(power)}`;
  const places = Math.max(0, digits - 1 - power);
  const [before, behind] = Math.abs(value).toFixed(places).split(".");
  return sign + trimmed(behind ? `${thousands(before)}.${behind}` : thousands(before));
}

/** Format a count: 1,234,567. */
export function whole(value) {
  return (value < 0 ? "−" : "") + thousands(String(Math.abs(Math.round(value))));
}

/** Format a number with all digits needed to recover it exactly: −0.1, 1×10⁻⁷. */
export function exactly(value) {
  const [mantissa, power] = String(value).split("e");
  const digits = mantissa.replace("-", "−");
  return power === undefined ? digits : `${digits}×10${superscript(Number(power))}`;
}

/** Format numbers in brackets: (2, −1); only the first few of many. */
export function vector(values, digits = 5, most = 6) {
  const shown = Array.from(values.slice(0, most), (value) => real(value, digits));
  return `(${shown.join(", ")}${values.length > most ? ", …" : ""})`;
}

/** Format a number with its noun: 1 pass, 2 passes, 0 mistakes. */
export function counted(value, noun) {
  const ending = value === 1 ? "" : noun.endsWith("s") ? "es" : "s";
  return `${whole(value)} ${noun}${ending}`;
}

/** Format an exponent as superscript digits: ⁻⁷. */
export function superscript(power) {
  return String(power).replace(/\d/g, (digit) => SUPERSCRIPTS[digit]).replace("-", "⁻");
}

function trimmed(digits) {
  return digits.includes(".") ? digits.replace(/0+$/, "").replace(/\.$/, "") : digits;
}

function thousands(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
