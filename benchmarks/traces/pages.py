"""Waiting times and sizes in the browser: chapters of the lab and replays.

Measured in Debian's chromium, as a person has it: from opening a page to its first picture, from a step or
a move of the slider to the pixels of all canvases, and the bytes of all answers of the server. There is no
peer.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.results import Measured, record
from rosenblatt import trace
from rosenblatt.course.lab.static_site import site_files

REPEATS = 5
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]

MOVES = """async (targets) => {
  const slider = document.querySelector("input[type=range]");
  const root = document.querySelector(".replay");
  const canvases = [...document.querySelectorAll("canvas")];
  const [answered, drawn] = [[], []];
  for (const target of targets) {
    const start = performance.now();
    slider.value = String(target);
    slider.dispatchEvent(new Event("input"));
    for (const canvas of canvases) canvas.getContext("2d").getImageData(0, 0, 1, 1);
    answered.push(performance.now() - start);
    while (root.dataset.step !== String(target)) await new Promise((resolve) => setTimeout(resolve, 0));
    for (const canvas of canvases) canvas.getContext("2d").getImageData(0, 0, 1, 1);
    drawn.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return [answered, drawn];
}"""


PAINTED = """() => [
  performance.getEntriesByName("first-contentful-paint")[0].startTime, window.lab.firstPicture,
]"""

LOADED = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, each) => sum + each.transferSize, 0)"""

STEPS = """() => Array.from({ length: 100 }, (_, k) => {
  const start = performance.now();
  lab.view.go(1 + k);
  for (const canvas of document.querySelectorAll("canvas")) {
    canvas.getContext("2d").getImageData(0, 0, 1, 1);
  }
  return performance.now() - start;
})"""


@contextmanager
def served_lab() -> Iterator[str]:
    """Yield the address of a running lab."""
    command = [sys.executable, "-m", "rosenblatt.cli.main", "lab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        yield next(match.group() for line in lab.stdout if (match := re.search(r"http://[\d.:]+", line)))
        lab.terminate()


def chapters(browser: Any, address: str) -> dict[str, Measured]:
    """Measure the first picture of every chapter and the bytes that it loads, each in a new context."""
    index = site_files()["chapters/index.js"].decode()
    paints, pictures, sizes = {}, {}, {}
    for key in re.findall(r'key: "(\w+)", title: "[^"]+", about', index):
        times = []
        for _ in range(REPEATS):
            context = browser.new_context()
            page = context.new_page()
            page.goto(f"{address}/?chapter={key}")
            page.wait_for_selector("body[data-ready]")
            times.append(page.evaluate(PAINTED))
            sizes[key] = page.evaluate(LOADED)
            context.close()
        paints[key], pictures[key] = map(spread, zip(*times, strict=True))
    first, _ = zip(*paints.values(), strict=True)
    medians, late = zip(*pictures.values(), strict=True)
    site = sum(map(len, site_files().values()))
    print("\n".join(f"{key}: {pictures[key][0]:.0f} ms, {sizes[key] / 1e3:.0f} kB" for key in pictures))
    return {
        "first-paint/median": of_range(first, 1e3, "s", "first paint of a chapter of the lab"),
        "first-picture/median": of_range(medians, 1e3, "s", "first picture of a chapter of the lab"),
        "first-picture/p90": of_range(late, 1e3, "s"),
        "chapter-size": of_range(list(sizes.values()), 1e3, "kB", "bytes that a chapter loads"),
        "site-size": Measured(site / 1e6, "MB", job="all files of the lab"),
    }


def lab_steps(browser: Any, address: str) -> dict[str, Measured]:
    """Measure steps of a run on 200 points, until all canvases are drawn."""
    points = [[(7 * k % 41) / 8 - 2.5, (11 * k % 37) / 8 - 2.2] for k in range(200)]
    labels = [1 if x + 0.5 * y > 0.1 else -1 for x, y in points]
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/?chapter=steps#{quote(json.dumps({'points': points, 'labels': labels}))}")
    page.wait_for_selector("body[data-ready]")
    median, late = spread(page.evaluate(STEPS))
    page.close()
    return {
        "lab-step/median": Measured(median / 1e3, "s", job="a step of 200 points in the lab"),
        "lab-step/p90": Measured(late / 1e3, "s"),
    }


def of_range(values: Any, per: float, unit: str, job: str = "") -> Measured:
    """Return the median of values with their range."""
    return Measured(
        statistics.median(values) / per, unit, low=min(values) / per, high=max(values) / per, job=job
    )


def replays(browser: Any) -> list[tuple[str, str, float, float, str]]:
    """Steps of a large picture, and far jumps in a long run."""
    rng = np.random.default_rng(0)
    many = rng.normal(size=(2000, 2))
    few = rng.normal(size=(500, 2))
    chance = random.Random(1)
    jobs = (
        ("step", "a step of 2,000 points", many, {"epochs": 2}, list(range(2, 202))),
        (
            "jump",
            "a jump among 100,000 steps",
            few,
            {"epochs": 200},
            [chance.randrange(100_000) for _ in range(200)],
        ),
    )
    rows = []
    for key, job, points, settings, targets in jobs:
        labels = np.where(points @ [1.0, 0.6] + 0.3 * rng.normal(size=len(points)) > 0.0, 1, -1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "replay.html"
            trace(points, labels, **settings).to_html(path)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_selector(".replay[data-step='0']")
            answered, drawn = page.evaluate(MOVES, targets)
            page.close()
            size = path.stat().st_size / 1e6
        rows.append((f"{key}", f"{job}: curves and slider", *spread(answered), "16 ms"))
        rows.append(
            (f"{key}-drawn", f"{job}: whole picture drawn (page of {size:.1f} MB)", *spread(drawn), "")
        )
    return rows


def spread(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 90th percentile."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(0.9 * (len(ordered) - 1))]


def main() -> None:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        print("pages: no chromium here; install it to measure pages")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        with served_lab() as address:
            found = chapters(browser, address) | lab_steps(browser, address)
        rows = replays(browser)
        browser.close()
    table = Table("job", "median", "ninth of ten", "wanted below", title="Sight")
    figures = {f"pages/{key}": figure for key, figure in found.items()}
    for key, job, median, late, aim in rows:
        table.add_row(job, f"{median:.1f} ms", f"{late:.1f} ms", aim)
        figures[f"pages/{key}/median"] = Measured(median / 1e3, "s", job=job)
        figures[f"pages/{key}/p90"] = Measured(late / 1e3, "s")
    for key, figure in found.items():
        print(key, figure.value, figure.unit)
    record("pages", figures)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
