"""Pages in a real browser: Debian's chromium, driven by Playwright; no network, one browser for all."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.viewer_page import replay_page
from tests.browser.replays import Opened, Viewer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-gpu",
    "--font-render-hinting=none",
]
HERE = Path(__file__).parent
ALONE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Alone</title><style>%s</style>
<body class="rosenblatt"><main id="here"></main><script type="module">%s
const given = %s;
const letters = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const chunk = async (k) => letters(given.chunks[k]).buffer;
Object.assign(window, { viewer: mountReplay(document.getElementById("here"), given.head, chunk) });
</script></body></html>"""
NAIVE = HERE.parent / "traces" / "viewer" / "naive_replay.py"
PHONE = {"width": 390, "height": 844, "has_touch": True}


def missing() -> str:
    """What is not installed here, or nothing."""
    if CHROMIUM is None:
        return "needs chromium: apt install chromium"
    if importlib.util.find_spec("playwright") is None:
        return "needs playwright: pip install playwright"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if missing():
                item.add_marker(pytest.mark.skip(reason=missing()))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser itself."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def _is_trouble(message: Any) -> bool:
    return bool(message.type == "error")


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open a page: open_page(address or file, width=1280, dark=False, …). Its errors fail the test.

    What is given beside width, height and dark goes to Playwright's `new_context`.
    """
    contexts: list[Any] = []
    said: list[str] = []

    def open_page(
        address: str | Path, width: int = 1280, height: int = 800, dark: bool = False, **given: Any
    ) -> Any:
        scheme = "dark" if dark else "light"
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **given
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # the first answer of a chapter may have loops to compile
        page.on("console", lambda message: said.append(message.text) if _is_trouble(message) else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address.as_uri() if isinstance(address, Path) else address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not said, f"the page complained: {said}"


@pytest.fixture
def alone(open_page: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """alone(head, chunks, how to open): a page with one replay, whose viewer can be asked for its plane."""

    def mount(head: dict[str, Any], chunks: Iterable[bytes], **how: Any) -> Any:
        packed = [base64.b64encode(chunk).decode("ascii") for chunk in chunks]
        given = json.dumps({"head": head, "chunks": packed}).replace("<", "\\u003c")
        path = tmp_path / "alone.html"
        path.write_text(ALONE % (style(), script(), given), encoding="utf-8")
        return open_page(path, **how)

    return mount


@pytest.fixture(scope="session")
def store() -> Callable[[Any, str], None]:
    """store(page, name): keep a picture of the whole page where ROSENBLATT_SCREENSHOTS says, if it does."""
    folder = os.environ.get("ROSENBLATT_SCREENSHOTS")

    def store(page: Any, name: str) -> None:
        if folder:
            page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)

    return store


@pytest.fixture(scope="session")
def serious() -> Callable[..., list[str]]:
    """serious(page): what axe finds that is serious or critical, as sentences.

    colours_only: what other colours can change, where the page was looked through before.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    checker = axe.Axe()

    def find_violations(page: Any, colours_only: bool = False) -> list[str]:
        asked = {"resultTypes": ["violations"]} | ({"runOnly": ["color-contrast"]} if colours_only else {})
        violations = checker.run(page, options=asked).response["violations"]
        return [
            f"{each['id']}: {each['help']} ({each['nodes'][0]['html'][:200]})"
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]

    return find_violations


@pytest.fixture
def naive(load: Callable[[Path], Any]) -> Any:
    return load(NAIVE)


@pytest.fixture
def show_run(naive: Any, open_page: Opened, tmp_path: Path) -> Callable[..., Viewer]:
    """show_run(run, how to open): the viewer of a made-up run, in a page of its own."""

    def show(run: dict[str, Any], *, title: str = "", **how: Any) -> Viewer:
        path = tmp_path / "replay.html"
        path.write_text(replay_page(*naive.example_run(**run), title), encoding="utf-8")
        return Viewer(open_page(path, **how))

    return show


@pytest.fixture
def mount_run(naive: Any, alone: Opened) -> Callable[..., Viewer]:
    """mount_run(run, part of its head, how to open): a viewer that the page can ask for its plane."""

    def mount(run: dict[str, Any], head: dict[str, Any] | None = None, **how: Any) -> Viewer:
        made, chunks = naive.example_run(**run)
        return Viewer(alone(made | (head or {}), chunks, **how))

    return mount
