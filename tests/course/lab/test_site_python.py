"""The Python code beside the pictures of the lab: it runs, and finds what the page shows."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import verify
from tests.course.lab.test_site_chapters import KEYS, NODE, SOURCE, site

__all__ = ["site"]  # a fixture

PRINTED = """
import { readFileSync } from "node:fs";
const key = process.argv[2];
const { default: scene } = await import(`./chapters/${key}/scene.js`);
if (key === "data") {
  const { remember } = await import("./chapters/data/tables.js");
  remember("flowers.csv", readFileSync("./chapters/data/flowers.csv", "utf8"));
}
const states = [{}, ...Object.values(scene.presets ?? {})].map((part) => ({ ...scene.start, ...part }));
console.log(JSON.stringify(states.map((state) => {
  const result = scene.compute(state);
  const { run, verdict } = result;
  const shown = { mistakes: run?.mistakes ?? null, w: run?.w ?? null, margin: verdict?.margin ?? null };
  return { code: scene.python(state, result), shown };
})));
"""


PROVED = """
import { readFileSync } from "node:fs";
import { proofFile } from "./engine/proof_file.js";
import { separate } from "./engine/separation.js";
const proofs = [];
for (const { points, labels, offset } of JSON.parse(readFileSync("given.json"))) {
  proofs.push(await proofFile(points, labels, separate(points, labels, { offset })));
}
console.log(JSON.stringify(proofs));
"""


def scripts(site: Path, key: str) -> list[dict[str, Any]]:
    """The code and some numbers of the initial state and of every example of a chapter."""
    (site / "printed.mjs").write_text(PRINTED)
    done = subprocess.run(
        [str(NODE), "printed.mjs", key], cwd=site, capture_output=True, text=True, timeout=120, check=True
    )
    return list(json.loads(done.stdout))


def names_left_by(code: str) -> tuple[dict[str, Any], str]:
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "the same in Python", "exec", dont_inherit=True), names)
    return names, printed.getvalue()


@pytest.mark.skipif(NODE is None, reason="needs node: apt install nodejs")
@pytest.mark.parametrize("key", KEYS)
def test_the_code_of_a_chapter_runs_and_finds_the_numbers_of_the_page(key, site, monkeypatch):
    if key == "data":
        pytest.importorskip("pandas")
    monkeypatch.chdir(SOURCE / "chapters" / "data")
    for each in scripts(site, key):
        names, printed = names_left_by(each["code"])
        assert printed.strip(), each["code"]
        shown = each["shown"]
        if "steps" in names and shown["mistakes"] is not None:
            assert names["steps"].mistakes == shown["mistakes"], each["code"]
        if "steps" in names and shown["w"] is not None:
            assert names["steps"].weights.tolist() == shown["w"], each["code"]
        if "proof" in names and shown["margin"]:
            assert names["proof"].margin[0] == pytest.approx(shown["margin"]), each["code"]


@pytest.mark.skipif(NODE is None, reason="needs node: apt install nodejs")
def test_the_package_verifies_the_proofs_that_the_page_saves(site):
    given, draw = [], np.random.default_rng(0)
    for n in [2, 3, 5, 8, 13] * 12:
        points = np.round(draw.normal(size=(n, 2)), 1) + 0.0
        labels = np.where(points @ draw.normal(size=2) + draw.normal() * 0.2 > 0, 1, -1)
        labels[:2] = 1, -1
        given.append(
            {"points": points.tolist(), "labels": labels.tolist(), "offset": bool(draw.integers(2))}
        )
    (site / "given.json").write_text(json.dumps(given))
    (site / "proved.mjs").write_text(PROVED)
    done = subprocess.run([str(NODE), "proved.mjs"], cwd=site, capture_output=True, text=True, check=True)
    separable = set()
    for case, proof in zip(given, json.loads(done.stdout), strict=True):
        facts = verify(json.loads(proof), np.array(case["points"]), np.array(case["labels"]))
        separable.add(facts.separable)
    assert separable == {True, False}
