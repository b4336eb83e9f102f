"""The replay in a real browser: one point, very many features, cycles, names, trouble."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosenblatt.traces.viewer.viewer_page import replay_page
from tests.browser.replays import CYCLES, NOTES, Opened, Viewer

CYCLE = {"points": [[0, 1], [0, -1], [-1, 0.5]], "labels": [1, 1, -1], "offset": False, "tie": "positive"}


# ---------------------------------------------------------------- one point


def test_a_point_is_chosen_by_its_number_and_says_why_it_is_wrong(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run({**NOTES, "passes": 2, "classes": ["spam", "ham"]})
    assert viewer.of_point.inner_text().startswith("Point at a mark or enter the number of a point")
    viewer.point.fill("2")
    said = "Point 2, class − (spam): x₁ = 0, x₂ = 2. Its functional margin is now {}."
    assert viewer.of_point.inner_text() == said.format("0: a tie, which counts as correct")
    viewer.goto(1)
    judged = said.format("−2: misclassified")
    assert viewer.of_point.inner_text() == f"{judged} Next step with this point: 2."
    viewer.goto(4)
    steps = "Last step with this point: 2. Next step with this point: 5."
    assert viewer.of_point.inner_text() == f"{said.format('2: correct')} {steps}"
    viewer.point.fill("4")
    assert viewer.of_point.inner_text() == "There is no such point: points are numbered 1 to 3."
    viewer.point.fill("")
    assert viewer.of_point.inner_text().startswith("Point at a mark or enter the number of a point")


# ---------------------------------------------------------------- very many features


def test_a_run_over_very_many_features_is_drawn(mount_run: Callable[..., Viewer]) -> None:
    wide = 200_000
    points = [[0.0] * wide, [0.0] * wide]
    points[0][0], points[1][1] = 3.0, 4.0
    viewer = mount_run({"points": points, "labels": [1, -1], "passes": 2, "offset": False})
    viewer.press("Last step")
    viewer.at(4)
    assert viewer.note.inner_text().endswith("all points correct, the nearest at distance 1.8 (the band)")
    assert viewer.root.get_attribute("data-w") is None, "so many numbers are not written out at each step"


# ---------------------------------------------------------------- cycles, names, trouble


def test_a_cycle_is_announced_and_marked_on_the_slider(
    show_run: Callable[..., Viewer], store: Callable[..., Path]
) -> None:
    viewer = show_run({**CYCLE, "passes": 3, "cycle": CYCLES}, title="Three points that never come to rest")
    announced = viewer.page.get_by_text("This run cycles: the state after step 3 recurs every 3 steps")
    assert announced.is_visible()
    mark = viewer.page.locator(".cycle-mark").bounding_box()
    track = viewer.page.locator(".track").bounding_box()
    middle = (mark["x"] + mark["width"] / 2 - track["x"]) / track["width"]
    assert abs(middle - 3 / 9) < 0.02
    assert viewer.page.get_by_role("img", name="The cycle begins here, after step 3").count() == 1
    assert viewer.page.locator(".legend").get_by_text("the cycle begins here").is_visible()
    viewer.goto(3)
    assert "The cycle begins here" in viewer.caption.inner_text()
    viewer.goto(6)
    assert "The state after step 3 has occurred again." in viewer.caption.inner_text()
    store(viewer.page, "replay-cycle")


def test_names_of_strangers_are_shown_and_not_run(show_run: Callable[..., Viewer]) -> None:
    hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    viewer = show_run({**NOTES, "passes": 1, "classes": [hostile, "ham"]}, title=hostile)
    asked: list[str] = []
    viewer.page.on("dialog", lambda dialog: asked.append(dialog.message))
    assert viewer.page.get_by_role("heading").inner_text() == hostile
    assert viewer.page.locator(".legend bdi").all_inner_texts() == ["+ ham", f"− {hostile[:38]}…"]
    assert viewer.page.locator("img").count() == 0
    assert asked == []


def test_a_chunk_that_does_not_come_is_a_sentence_on_the_page(
    naive: Any, open_page: Opened, tmp_path: Path
) -> None:
    head, chunks = naive.example_run(**NOTES, passes=3, chunk=3)
    path = tmp_path / "cut.html"
    path.write_text(replay_page(head, [*chunks[:-1], chunks[-1][:-8]], "Cut"), encoding="utf-8")
    viewer = Viewer(open_page(path))
    viewer.slider.fill("9")
    trouble = viewer.page.get_by_role("alert")
    trouble.wait_for()
    assert trouble.inner_text() == "Part 2 of the replay has 304 bytes, expected 312."
    viewer.goto(2)
    viewer.goto(5)
    assert trouble.is_hidden()
