"""The Python code beside the pictures of the lab: it runs, and finds what the page shows."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

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
