"""The replay in a real browser: how it looks, how fast it is, in a notebook."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.viewer_page import packed_chunk
from tests.browser.replays import CYCLES, NOTES, Opened, Viewer, cloud

# ---------------------------------------------------------------- looks


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_all_of_it_without_scrolling_sideways(
    dark: bool, show_run: Callable[..., Viewer], store: Callable[..., Path]
) -> None:
    run = {**cloud(40), "passes": 3, "star": (1, 0.6, 0.7), "cycle": CYCLES}
    viewer = show_run(
        run, title="Forty points", width=390, height=844, dark=dark, has_touch=True, is_mobile=True
    )
    viewer.page.get_by_role("button", name="One step forward", exact=True).tap()
    viewer.at(1)
    wide = viewer.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    smallest = viewer.page.locator(".buttons button").evaluate_all(
        "all => Math.min(...all.map(b => Math.min(b.offsetWidth, b.offsetHeight)))"
    )
    assert smallest >= 36, "fingers are wide"
    store(viewer.page, f"replay-phone-{'dark' if dark else 'light'}")


# ---------------------------------------------------------------- the widget


NOTEBOOK = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Notebook</title>
<style>%s</style><body data-jp-theme-light="false"><main id="cell"></main><script type="module">
const letters = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const bytes = (base64) => new DataView(letters(base64).buffer);
const given = %s;
const heard = { "msg:custom": [], "change:step": [] };
const values = { head: given.head, packed: given.packed.slice(0, 1).map(bytes), step: 2 };
window.sent = [];
window.model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; heard["change:" + name]?.forEach((call) => call()); },
  save_changes: () => {},
  on: (name, call) => heard[name].push(call),
  off: (name, call) => { heard[name] = heard[name].filter((other) => other !== call); },
  send: (message) => {
    window.sent.push(message);
    const answer = [bytes(given.packed[message.number])];
    setTimeout(() => heard["msg:custom"].forEach((call) => call(message, answer)), 20);
  },
};
const source = URL.createObjectURL(new Blob([given.script], { type: "text/javascript" }));
const widget = (await import(source)).default;
window.leave = widget.render({ model: window.model, el: document.getElementById("cell") });
</script></body></html>"""


def test_in_a_notebook_later_chunks_are_asked_of_the_kernel(
    naive: Any, open_page: Opened, tmp_path: Path
) -> None:
    head, chunks = naive.example_run(**NOTES, passes=4, chunk=5)
    packed = [base64.b64encode(packed_chunk(chunk)).decode("ascii") for chunk in chunks]
    given = json.dumps({"head": head, "packed": packed, "script": script()}).replace("<", "\\u003c")
    path = tmp_path / "notebook.html"
    path.write_text(NOTEBOOK % (style(), given), encoding="utf-8")
    viewer = Viewer(open_page(path))
    assert viewer.state[0] == 2
    assert viewer.page.evaluate("window.sent") == []
    assert viewer.root.evaluate("root => getComputedStyle(root).backgroundColor") == "rgb(20, 23, 26)"
    viewer.press("Last step")
    viewer.at(12)
    assert viewer.page.evaluate("window.sent") == [{"kind": "chunk", "number": 2}]
    viewer.until("window.model.get('step') === 12")
    viewer.press("One step back")
    viewer.page.wait_for_timeout(100)
    viewer.press("One step back")
    viewer.page.wait_for_timeout(300)
    assert viewer.state[0] == 10, "what the kernel is told does not come back as an order"
    viewer.page.evaluate("window.model.set('step', 3)")
    viewer.at(3)
    viewer.page.evaluate("window.leave()")
    assert viewer.page.locator(".replay").count() == 0
