"""The lab's JavaScript engine: each algorithm is called with random cases, in node or in chromium."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NODE = shutil.which("node")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ENGINE = Path(str(resources.files("rosenblatt.course.lab"))) / "site" / "engine"
DRIVERS = Path(__file__).with_name("drivers.js")
IN_NODE = """
import { readFileSync, writeFileSync } from "node:fs";
import { callAll } from "./drivers.js";
const [given, found] = process.argv.slice(2);
writeFileSync(found, callAll(readFileSync(given, "utf-8")));
"""
IN_BROWSER = """<!DOCTYPE html><meta charset="utf-8"><title>Engine</title>
<script type="module">import { callAll } from "./drivers.js"; window.callAll = callAll;</script>"""
BEYOND = {"-0": -0.0, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

Caller = Callable[[str], str]
Engine = Callable[[str, list[Any]], list[Any]]


@pytest.fixture(scope="session")
def many() -> int:
    """The number of random cases of each algorithm: a few, or 10,000 in `make test-engine`."""
    return int(os.environ.get("ROSENBLATT_ENGINE_CASES", "200"))


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator with a seed of its own for each test."""
    return np.random.default_rng(sum(map(ord, request.node.name)))


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """engine(driver, cases): the result of a function of drivers.js for each case."""
    folder = tmp_path_factory.mktemp("engine")
    shutil.copytree(ENGINE, folder / "engine")
    shutil.copy(DRIVERS, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "in_node.js").write_text(IN_NODE)
    (folder / "index.html").write_text(IN_BROWSER)
    if NODE and os.environ.get("ROSENBLATT_ENGINE_IN") != "chromium":
        yield _engine(lambda given: _call_node(folder, given))
    elif CHROMIUM and importlib.util.find_spec("playwright"):
        with _chromium_page(folder) as page:
            yield _engine(lambda given: page.evaluate("(given) => window.callAll(given)", given))
    else:
        pytest.skip("needs node or chromium (with playwright): apt install chromium")


def _engine(call: Caller) -> Engine:
    def engine(driver: str, cases: list[Any]) -> list[Any]:
        found = json.loads(call(json.dumps({"driver": driver, "cases": cases})), parse_int=float)
        return [_as_numbers(each) for each in found]

    return engine


def _call_node(folder: Path, given: str) -> str:
    (folder / "given.json").write_text(given, encoding="utf-8")
    command = [str(NODE), "in_node.js", "given.json", "found.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return (folder / "found.json").read_text(encoding="utf-8")


class _chromium_page:  # noqa: N801  (a context manager)
    """Serve the folder to a page in chromium; no port is opened."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Any:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        self._browser = self._playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = self._browser.new_page()
        page.set_default_timeout(600_000)
        page.route("http://engine.test/**", self._serve)
        page.goto("http://engine.test/index.html")
        page.wait_for_function("Boolean(window.callAll)")
        return page

    def _serve(self, route: Any) -> None:
        path = route.request.url.removeprefix("http://engine.test/")
        route.fulfill(path=self._folder / path)

    def __exit__(self, *error: object) -> None:
        self._browser.close()
        self._playwright.stop()


def _as_numbers(found: Any) -> Any:
    """Restore the numbers that JSON has no form for."""
    if isinstance(found, dict):
        return {name: _as_numbers(value) for name, value in found.items()}
    if isinstance(found, list):
        return [_as_numbers(value) for value in found]
    return BEYOND.get(found, found) if isinstance(found, str) else found
