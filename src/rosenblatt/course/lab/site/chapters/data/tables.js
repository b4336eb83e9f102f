// The tables that the page has read, by the names of their files. They stay in the memory of the page.

import { readCsv } from "../../engine/csv.js";

const tables = new Map();
let version = 0;

export const tableOf = (name) => tables.get(name) ?? null;

/** A number that changes with every table that is read. */
export const versionOf = () => version;

/** Read a file and remember its table. Throw what the reader says about it. */
export function remember(name, content) {
  const table = readCsv(content, { name });
  tables.set(name, table);
  version += 1;
  return table;
}
