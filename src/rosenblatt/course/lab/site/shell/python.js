// Python code that a reader can copy: literals, assignments and calls.

const WIDTH = 76;

/** Return a value as Python text. */
export function literal(value) {
  if (value === null || value === undefined) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, part]) => `${literal(name)}: ${literal(part)}`).join(", ")}}`;
  if (Object.is(value, -0)) return "-0.0";
  return String(value).replace("e+", "e");
}

/** Return `name = value`; a long list is split over several lines. */
export function assignment(name, value) {
  const plain = `${name} = ${literal(value)}`;
  if (plain.length <= WIDTH || !Array.isArray(value)) return plain;
  return [`${name} = [`, ...filled(value.map((part) => `${literal(part)},`)), "]"].join("\n");
}

/** Return a call with positional arguments and keywords, in lines that fit the page. */
export function call(start, positional, keywords = {}) {
  const words = [...positional, ...Object.entries(keywords).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${literal(value)}`)];
  const plain = `${start}(${words.join(", ")})`;
  if (plain.length <= WIDTH) return plain;
  return [`${start}(`, ...filled(words.map((word) => `${word},`)), ")"].join("\n");
}

/** Join lines of a script. */
export const script = (...lines) => lines.filter((line) => line !== null && line !== false).join("\n");

function filled(words) {
  const lines = [];
  for (const word of words) {
    if (lines.length && lines.at(-1).length + word.length + 1 <= WIDTH) lines[lines.length - 1] += ` ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines;
}
