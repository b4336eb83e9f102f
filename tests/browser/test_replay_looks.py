"""The replay in a real browser: how it looks, how fast it is, in a notebook."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.viewer_page import packed_chunk
from tests.browser.replays import CYCLES, NOTES, PIXELS, Opened, Viewer, cloud

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


def test_the_picture_follows_the_page_from_light_to_dark(
    show_run: Callable[..., Viewer], store: Callable[..., Path]
) -> None:
    viewer = show_run({**cloud(60), "passes": 5, "star": (1, 0.6, 0.7)}, title="Sixty points")
    tick = """() => { const canvas = document.querySelector('.plane canvas');
      const data = canvas.getContext('2d').getImageData(0, 0, 38, canvas.height).data;
      let sum = 0, weight = 0;
      for (let k = 0; k < data.length; k += 4) { sum += data[k] * data[k + 3]; weight += data[k + 3]; }
      return sum / weight; }"""
    light = viewer.page.evaluate(tick)
    viewer.page.get_by_role("checkbox", name="best line (w*)").check()
    viewer.press("Last step")
    viewer.at(300)
    store(viewer.page, "replay-light")
    viewer.page.emulate_media(color_scheme="dark")
    viewer.until(f"({tick})() > {light + 40}")
    assert "rgb(20, 23, 26)" in viewer.root.evaluate("root => getComputedStyle(root).backgroundColor")
    store(viewer.page, "replay-dark")
    viewer.page.evaluate("document.documentElement.dataset.theme = 'light'")
    viewer.until(f"({tick})() < {light + 5}")


def test_the_picture_states_what_it_shows(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run({**NOTES, "passes": 2})
    picture = viewer.page.locator(".plane canvas")
    expected = (
        "Picture of 3 points, 2 of class + and 1 of class −. The weights are 0, so there is no line yet."
    )
    assert picture.get_attribute("aria-label") == expected
    viewer.press("One step forward")
    viewer.at(1)
    assert picture.get_attribute("aria-label").endswith("The line w = (2, 1) misclassifies 2 of them.")


def test_while_w_is_zero_no_point_is_ringed_as_wrong(mount_run: Callable[..., Viewer]) -> None:
    viewer = mount_run({**cloud(30), "passes": 2})
    assert viewer.note.inner_text() == "w = 0, b = 0: every point is a tie"
    assert viewer.page.evaluate(PIXELS, "--wrong") == 0
    viewer.press("One step forward")
    viewer.at(1)
    assert "of 30 points misclassified" in viewer.note.inner_text()
    assert viewer.page.evaluate(PIXELS, "--wrong") > 0


def test_the_view_can_be_that_of_the_points_alone(
    mount_run: Callable[..., Viewer], store: Callable[..., Path]
) -> None:
    near = [[100 + x, 60 + y] for x, y in cloud(40)["points"]]
    viewer = mount_run({"points": near, "labels": cloud(40)["labels"], "passes": 2})
    area = "(() => { const { x, y } = viewer.plane.view; return (x[1] - x[0]) * (y[1] - y[0]); })()"
    before = viewer.page.evaluate(area)
    viewer.zoom.check()
    view = viewer.page.evaluate("viewer.plane.view")
    assert all(view["x"][0] < x < view["x"][1] and view["y"][0] < y < view["y"][1] for x, y in near)
    assert viewer.page.evaluate(area) < before
    assert viewer.page.evaluate("viewer.plane.equal")
    assert "0 is outside the picture" in viewer.note.inner_text()
    store(viewer.page, "replay-zoomed")
    viewer.zoom.uncheck()
    assert viewer.page.evaluate(area) == before


def test_the_notes_are_stacked_and_no_number_of_the_table_is_cut(
    mount_run: Callable[..., Viewer], store: Callable[..., Path]
) -> None:
    chance = random.Random(2)
    points = [[chance.gauss(0, 1e-7) for _ in range(30)] for _ in range(8)]
    names = [f"the mean of the column number {j}" for j in range(30)]
    run = {"points": points, "labels": [1, -1] * 4, "passes": 2}
    for width in (1280, 700, 390):
        viewer = mount_run(run, {"features": names}, width=width)
        viewer.press("Last step")
        viewer.at(16)
        tops, bottoms = viewer.page.locator(".remarks > p").evaluate_all(
            "all => [all.map(p => p.offsetTop), all.map(p => p.offsetTop + p.offsetHeight)]"
        )
        gaps = [below - above for below, above in zip(tops[1:], bottoms, strict=False)]
        assert len(gaps) >= 3
        assert max(gaps) < 16
        table = viewer.page.locator(".wide")
        assert table.evaluate("box => box.scrollWidth <= box.clientWidth"), f"at {width} pixels"
        store(viewer.page, f"replay-table-{width}")


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
