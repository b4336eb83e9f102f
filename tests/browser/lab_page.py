"""A page of the lab, as a person at it uses it and as a test reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from rosenblatt.course.lab.chapters import CHAPTERS, Chapter
from rosenblatt.course.lab.server import finite

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

SCREEN_PLACE = """([x, y]) => {
  const plane = window.lab.view.plane();
  plane.element.scrollIntoView({block: "center"});
  const box = plane.canvas.element.getBoundingClientRect();
  return [box.left + plane.x(x), box.top + plane.y(y)];
}"""


def _changes(url: str) -> Any:
    return json.loads(unquote(url.partition("#")[2]) or "{}")


class LabPage:
    """One chapter in the browser; what acts on the page waits for the last answer to it.

    `opened` is the fixture that opens an address, `given` what it is given beside the address.
    `page` is Playwright's own, for what only one test does.
    """

    def __init__(self, opened: Callable[..., Any], address: str, **given: Any) -> None:
        self.opened = opened
        self.page = opened(address, **given)
        self.trouble = self.page.locator("#trouble")
        self.result = self.page.locator("#result")

    def ready(self) -> LabPage:
        """Wait for the first answer, and for the picture that shows it."""
        self.page.wait_for_selector('main[data-answers][data-busy="false"]')
        self.page.wait_for_selector("#picture canvas")
        self.wait_for_drawing()
        return self

    def in_the_dark(self) -> LabPage:
        """The same page, once its reader has chosen dark colours."""
        self.page.emulate_media(color_scheme="dark")
        self.wait_for_drawing()
        return self

    def reopen(self) -> LabPage:
        """The same address in another window, as someone gets it who is sent the link."""
        return LabPage(self.opened, self.page.url).ready()

    def follow_link(self, state: dict[str, Any]) -> LabPage:
        """The same window, once its reader has followed a link to another state of the chapter."""
        chapter = self.page.url.partition("#")[0]
        self.page.goto("about:blank")  # a link within a page would not open it anew at once
        self.page.goto(f"{chapter}#{quote(json.dumps(state))}")
        return self.ready()

    # ------------------------------------------------------------ what is shown

    @property
    def numbers(self) -> Any:
        """The numbers of the last answer."""
        return json.loads(self.page.get_attribute("main", "data-numbers"))

    @property
    def state(self) -> Any:
        """The state that the page itself has."""
        return self.page.evaluate("window.lab.state")

    @property
    def changes(self) -> Any:
        """What the link carries: what differs from the start of the chapter."""
        return _changes(self.page.url)

    @property
    def link_state(self) -> dict[str, Any]:
        """The whole state that the link stands for."""
        return {**self.chapter.start, **self.changes}

    @property
    def chapter(self) -> Chapter:
        return CHAPTERS[self.page.get_attribute("main", "data-chapter")]

    @property
    def of_python(self) -> Any:
        """The numbers that Python has for the state in the link, as they reach a page."""
        return json.loads(json.dumps(finite(dict(self.chapter.answer(self.link_state).numbers))))

    @property
    def caption(self) -> str:
        """The sentences under the picture."""
        return self.page.locator("#picture > p").first.inner_text()

    @property
    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return self.page.evaluate("document.documentElement.scrollWidth") - self.page.viewport_size["width"]

    def button(self, name: str) -> Any:
        """A button by a part of its name."""
        return self.page.get_by_role("button", name=name)

    def handle(self, name: str) -> Any:
        """What can be dragged in the picture, by how its name begins; where it is follows."""
        return self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))

    def field(self, label: str) -> Any:
        """A control by its label."""
        return self.page.get_by_label(label, exact=True)

    def table(self, caption: str) -> Any:
        return self.page.get_by_role("region", name=caption)

    def carries(self, **settings: Any) -> None:
        """Wait until the link carries these settings: a step is written there once it has come to rest."""
        self.page.wait_for_url(lambda url: _changes(url).items() >= settings.items())

    # ------------------------------------------------------------ what is done

    def after(self, act: Callable[[], Any]) -> None:
        """Do something, and wait for the last answer to it: a drag is answered more than once."""
        before = self.page.get_attribute("main", "data-answers")
        act()
        self.wait_for_drawing()
        self.page.wait_for_selector(f'main[data-busy="false"]:not([data-answers="{before}"])')

    def wait_for_drawing(self) -> None:
        """Wait until what is known by now has been drawn."""
        self.page.evaluate(TWO_FRAMES)

    def press(self, name: str) -> None:
        """Click on a button."""
        self.after(self.button(name).click)

    def enter(self, name: str) -> None:
        """Press a button with keys only."""
        self.button(name).focus()
        self.key("Enter")

    def key(self, name: str) -> None:
        """Press a key where the focus is."""
        self.after(lambda: self.page.keyboard.press(name))

    def type_text(self, label: str, text: str) -> None:
        """Write into a field with keys only; nothing is asked before the field is used."""
        self.field(label).focus()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def fill(self, label: str, text: str) -> None:
        """Set a slider."""
        self.after(lambda: self.field(label).fill(text))

    def choose(self, label: str, value: str) -> None:
        """Choose from a list."""
        self.after(lambda: self.field(label).select_option(value))

    def load(self, name: str) -> None:
        """Take one of the sets of points that the chapter offers."""
        self.after(lambda: self.page.locator("#controls select").first.select_option(label=name))

    def place(self, x: float, y: float) -> list[float]:
        """Where on the screen a point of the picture is."""
        return self.page.evaluate(SCREEN_PLACE, [x, y])

    def click_at(self, x: float, y: float) -> None:
        """Click into the picture, at coordinates of the picture."""
        self.after(lambda: self.page.mouse.click(*self.place(x, y)))

    def drag(self, start: list[float], end: list[float]) -> None:
        """Drag what is at one point of the picture to another."""
        first = self.place(*start)
        self.after(lambda: self._drag(first, self.place(*end)))

    def _drag(self, first: Any, last: Any) -> None:
        self.page.mouse.move(*first)
        self.page.mouse.down()
        self.page.mouse.move(*last, steps=6)
        self.page.mouse.up()
