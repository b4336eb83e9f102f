"""Waiting times in the browser: a first picture, a step of 2,000 points, a jump among 100,000 steps.

Measured in Debian's chromium, as a person has it: from opening the page to its first picture, and from a
move of the slider to the pixels of all canvases. There is no peer; beside each figure is what was promised.
"""

from __future__ import annotations

import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

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


def first_pictures(browser: Any) -> list[tuple[str, str, float, float, str]]:
    """From opening a page of the lab to its first picture."""
    command = [sys.executable, "-m", "rosenblatt.cli.main", "lab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        found = next(match for line in lab.stdout if (match := re.search(r"http://[\d.:]+", line)))
        rows = []
        index = site_files()["chapters/index.js"].decode()
        for key, title in re.findall(r'key: "(\w+)", title: "([^"]+)", about', index):
            times = []
            for _ in range(REPEATS):
                page = browser.new_page()
                page.goto(f"{found.group()}/?chapter={key}")
                page.wait_for_selector("body[data-ready]")
                times.append(page.evaluate("window.lab.firstPicture"))
                page.close()
            rows.append((f"first-picture/{key}", f"first picture: {title}", *spread(times), "500 ms"))
        lab.terminate()
    return rows


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


def spread(times: list[float]) -> tuple[float, float]:
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
        rows = first_pictures(browser) + replays(browser)
        browser.close()
    table = Table("job", "median", "ninth of ten", "wanted below", title="Sight")
    figures = {}
    for key, job, median, late, aim in rows:
        table.add_row(job, f"{median:.1f} ms", f"{late:.1f} ms", aim)
        figures[f"pages/{key}/median"] = Measured(median / 1e3, "s", job=job)
        figures[f"pages/{key}/p90"] = Measured(late / 1e3, "s")
    record("pages", figures)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
