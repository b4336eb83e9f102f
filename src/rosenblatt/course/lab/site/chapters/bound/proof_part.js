// A button that saves the proof of the page as a file that `verify` checks.

import { proofFile } from "../../engine/proof_file.js";
import { button, make } from "../../shell/controls.js";
import { download } from "../../shell/files.js";

export function proofPart(parent, { store }) {
  let verdict = null;
  const save = async () => download("proof.json", await proofFile(store.state.points, store.state.labels, verdict), "application/json");
  const line = make("p", {}, button("Save the proof", save), " In Python, ", make("code", {}, "verify(\"proof.json\", X, y)"), " checks it.");
  parent.append(line);
  return { update: (state, result) => { verdict = result?.verdict ?? null; line.hidden = !verdict; } };
}
