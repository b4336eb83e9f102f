"""The replay in a real browser: one point, very many features, cycles, names, trouble."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosenblatt.traces.viewer.viewer_page import replay_page
from tests.browser.replays import CYCLES, NOTES, Opened, Viewer, cloud

CYCLE = {"points": [[0, 1], [0, -1], [-1, 0.5]], "labels": [1, 1, -1], "offset": False, "tie": "positive"}

PLACE = """([x, y]) => {
  const { plane } = window.viewer;
  const box = plane.canvas.element.getBoundingClientRect();
  return [box.left + plane.x(x), box.top + plane.y(y)];
}"""

# ---------------------------------------------------------------- one point


def test_a_point_is_chosen_by_its_number_and_says_why_it_is_wrong(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run({**NOTES, "passes": 2, "classes": ["spam", "ham"]})
    assert viewer.of_point.inner_text().startswith("Point at a mark or enter the number of a point")
    viewer.point.fill("1")
    said = "Point 1, class − (spam): x₁ = 0, x₂ = 2. Its functional margin is now {}."
    assert viewer.of_point.inner_text() == said.format("0: a tie, which counts as correct")
    viewer.goto(1)
    judged = said.format("−2: misclassified")
    assert viewer.of_point.inner_text() == f"{judged} Next step with this point: 2."
    viewer.goto(4)
    steps = "Last step with this point: 2. Next step with this point: 5."
    assert viewer.of_point.inner_text() == f"{said.format('2: correct')} {steps}"
    viewer.point.fill("3")
    assert viewer.of_point.inner_text() == "There is no such point: points are numbered 0 to 2."
    viewer.point.fill("")
    assert viewer.of_point.inner_text().startswith("Point at a mark or enter the number of a point")


def test_keys_in_the_field_of_the_point_change_the_point_and_not_the_step(
    show_run: Callable[..., Viewer],
) -> None:
    viewer = show_run({**NOTES, "passes": 2})
    viewer.point.focus()
    for key in ("1", "Home", "ArrowUp", "End", "PageDown", "-"):
        viewer.page.keyboard.press(key)
    assert viewer.state[0] == 0


def test_keys_step_through_the_visits_of_a_point(naive: Any, show_run: Callable[..., Viewer]) -> None:
    run = {**cloud(9), "passes": 4}
    viewer = show_run({**run, "chunk": 5})
    looks = naive.looks(run["points"], run["labels"], 4, True, "mistake")
    own = [number for number, look in enumerate(looks, start=1) if look["index"] == 6]
    viewer.point.fill("6")
    for name, steps in (("Next", own), ("Previous", own[-2::-1])):
        viewer.page.get_by_role("button", name=f"{name} step with this point").focus()
        for step in steps:
            viewer.page.keyboard.press("Enter")
            viewer.at(step)
        viewer.page.keyboard.press("Enter")
        viewer.page.get_by_text(
            f"There is no step with point 6 {'after' if name == 'Next' else 'before'} this one."
        ).wait_for()


def test_a_mark_that_is_pointed_at_states_what_it_is_and_a_click_chooses_it(
    mount_run: Callable[..., Viewer],
) -> None:
    viewer = mount_run({**NOTES, "passes": 2}, {"features": ["petal length", "petal width"]})
    viewer.press("One step forward")
    viewer.at(1)
    viewer.page.mouse.move(*viewer.page.evaluate(PLACE, [0, 2]))
    said = "Point 1, class −: petal length = 0, petal width = 2. Its functional margin is now "
    assert viewer.tip.inner_text() == f"{said}−2: misclassified."
    assert viewer.point.input_value() == ""
    viewer.page.mouse.click(*viewer.page.evaluate(PLACE, [-0.5, -2]))
    assert viewer.point.input_value() == "2"
    viewer.page.mouse.move(*viewer.page.evaluate(PLACE, [1, 0]))
    assert viewer.tip.is_hidden()
    assert viewer.of_point.inner_text().startswith("Point 2, class +: petal length = −0.5")
    viewer.page.mouse.click(*viewer.page.evaluate(PLACE, [1, 0]))
    assert viewer.point.input_value() == "", "a click beside all marks chooses none"


def test_a_tapped_mark_states_what_it_is_until_the_next_step(mount_run: Callable[..., Viewer]) -> None:
    viewer = mount_run({**NOTES, "passes": 2}, width=390, height=844, has_touch=True)
    viewer.page.touchscreen.tap(*viewer.page.evaluate(PLACE, [0, 2]))
    assert viewer.point.input_value() == "1"
    assert viewer.tip.is_visible()
    viewer.page.get_by_role("button", name="One step forward", exact=True).tap()
    viewer.at(1)
    assert viewer.tip.is_hidden()
    assert "−2: misclassified" in viewer.of_point.inner_text()


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
