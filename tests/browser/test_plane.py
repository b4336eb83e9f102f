"""The plane, the chart and the numbers that the replay and the lab are drawn with."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.reports.number_text import real
from rosenblatt.traces.viewer.bundle import MODULES, module, style
from rosenblatt.traces.viewer.bundle import script as whole_script

SHEET = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Plane</title>
<style>%s</style></head>
<body class="rosenblatt page"><main><h1>Plane</h1><div id="here" style="width: 600px"></div></main>
<script type="module">
%s
const here = document.getElementById("here");
Object.assign(window, { Plane, Chart, real, exactly, niceTicks, here, seen: [] });
</script></body></html>"""


@pytest.fixture
def sheet(open_page: Callable[..., Any], tmp_path: Path) -> Any:
    """A page on which planes and charts can be made."""
    path = tmp_path / "sheet.html"
    path.write_text(SHEET % (style(), whole_script()), encoding="utf-8")
    page = open_page(path)
    page.wait_for_function("Boolean(window.Plane)")
    return page


PLANE = """(options) => {
  window.plane = new Plane(here, { label: "a plane", ...options });
  plane.fit([[-3, -2], [3, 2]]);
  plane.draw((pen) => { window.seen.push("drawn"); pen.grid(); });
}"""


@pytest.mark.parametrize("high", [1.0, 1e3, 1e5, 1e7, 1e-7])
def test_the_numbers_of_the_upright_axis_have_room(high: float, sheet: Any) -> None:
    """Nothing is drawn in the first pixel, so no text is cut; a short text leaves the frame as it is."""
    sheet.evaluate(PLANE, {})
    sheet.evaluate("(high) => plane.setView([-high, high], [-high, high])", high)
    edge = (
        "plane.canvas.context.getImageData(0, 0, 1, plane.canvas.element.height).data.some((part) => part)"
    )
    assert not sheet.evaluate(edge)
    left = sheet.evaluate("plane.frame.left")
    assert left == 40 if high == 1.0 else left > 40
    assert sheet.evaluate("plane.x(plane.view.x[0])") == left, "what is drawn begins at the frame"


def test_tick_texts_do_not_touch_each_other(sheet: Any) -> None:
    sheet.evaluate(PLANE, {})
    sheet.evaluate("plane.setView([123456.2, 123456.9], [0, 0.5])")
    ends = sheet.evaluate(
        """() => {
          const { context } = plane.canvas;
          const drawn = [];
          context.fillText = (text, x, y) => {
            const half = context.measureText(text).width / 2;
            if (y > plane.frame.bottom && context.textAlign === "center") drawn.push([x - half, x + half]);
          };
          plane.draw((pen) => pen.grid());
          return drawn;
        }"""
    )
    assert len(ends) >= 2
    assert all(after[0] > before[1] for before, after in itertools.pairwise(ends))


HANDLE = """(given) => { window.handle = plane.handle({ at: [1, 1], label: "w", text: "w",
  onMove: (point) => window.seen.push(point), ...given }); }"""


@pytest.mark.parametrize("along", ["x", "y"])
def test_a_handle_on_a_line_stays_on_it(along: str, sheet: Any) -> None:
    sheet.evaluate(PLANE, {})
    sheet.evaluate(HANDLE, {"along": along})
    sheet.get_by_role("button").focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowUp"):
        sheet.keyboard.press(key)
    point = sheet.evaluate("window.seen.at(-1)")
    assert point[along == "x"] == 1
    assert point[along == "y"] > 1


def test_a_handle_states_what_it_is_and_where(sheet: Any) -> None:
    sheet.evaluate(PLANE, {})
    sheet.evaluate(HANDLE, {})
    sheet.evaluate("handle.moveTo([2, -1])")
    assert sheet.get_by_role("button").get_attribute("aria-label") == "w at (2, −1); arrow keys move it"
    assert sheet.evaluate("window.seen.at(-1)") == "drawn", "to be moved is not to move"
    sheet.evaluate("handle.remove()")
    assert sheet.get_by_role("button").count() == 0


def test_ten_classes_have_ten_shapes(sheet: Any) -> None:
    shape = """(number) => {
      here.replaceChildren();
      const plane = new Plane(here, { label: "a plane" });
      plane.setView([-1, 1], [-1, 1]);
      for (let k = 0; k < 10; k += 1) here.style.setProperty(`--class-${k}`, "#000000");
      plane.canvas.palette.forget();
      plane.draw((pen) => pen.points([[0, 0]], [number], { size: 9 }));
      return plane.canvas.element.toDataURL();
    }"""
    assert len({sheet.evaluate(shape, number) for number in range(10)}) == 10, (
        "in one colour they still differ"
    )


def test_the_line_and_its_band_match_the_numbers(sheet: Any) -> None:
    tint = """([x, y]) => {
      const { ratio, context } = plane.canvas;
      const [left, top] = [plane.x(x) * ratio, plane.y(y) * ratio].map(Math.round);
      return context.getImageData(left, top, 1, 1).data[3];
    }"""
    sheet.evaluate(PLANE, {})
    sheet.evaluate(
        "plane.draw((pen) => pen.band(3, 4, -5, 0.5))"
    )  # 3x + 4y = 5, distance 1 from the origin
    inside = [[0.6, 0.8], [0.6 * 1.4, 0.8 * 1.4], [0.6 * 0.6, 0.8 * 0.6], [0.6 - 1.6, 0.8 + 1.2]]
    outside = [[0, 0], [0.6 * 1.6, 0.8 * 1.6], [0.6 * 0.4, 0.8 * 0.4]]
    assert all(sheet.evaluate(tint, point) > 0 for point in inside)
    assert all(sheet.evaluate(tint, point) == 0 for point in outside)


def test_a_chart_gives_the_value_under_the_cursor_and_the_place_of_a_click(sheet: Any) -> None:
    sheet.evaluate(
        """() => {
          window.chart = new Chart(here, { label: "a chart", xLabel: "m" });
          const xs = [0, 1, 2];
          const steps = { name: "steps", kind: "step", xs, ys: [0, 5, 9] };
          chart.set([{ name: "line", xs, ys: [0, 10, 20] }, steps], { cursor: 1.5 });
          chart.onPick((x) => window.seen.push(x));
        }"""
    )
    assert sheet.locator(".legend li").all_inner_texts() == ["line\n15", "steps\n5"]
    box = sheet.locator("canvas").bounding_box()
    left, right = sheet.evaluate("[chart.frame.left, chart.frame.right]")
    sheet.mouse.click(box["x"] + left + 0.75 * (right - left), box["y"] + 50)
    assert math.isclose(sheet.evaluate("window.seen.at(-1)"), 1.5, abs_tol=0.02)


# ---------------------------------------------------------------- numbers


def test_numbers_read_as_those_of_the_report(sheet: Any) -> None:
    chance = random.Random(3)
    values = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-12, 12) for _ in range(500)]
    values += [0.0, 1.0, -2.0, 999999.6, 0.00009999996, 123456.0, 1e6, 5e-324, 1.7e308]
    assert sheet.evaluate("(values) => values.map((value) => real(value, 5))", values) == [
        real(v, 5) for v in values
    ]


def test_exact_numbers_read_back_as_themselves(sheet: Any) -> None:
    chance = random.Random(4)
    values = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-30, 30) for _ in range(300)] + [
        0.1 + 0.2,
        1e22,
        -1e-7,
    ]
    texts = sheet.evaluate("(values) => values.map(exactly)", values)
    raised = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
    assert [float(text.replace("×10", "e").translate(raised)) for text in texts] == values


def test_ticks_are_round_and_few(sheet: Any) -> None:
    chance = random.Random(5)
    for _ in range(200):
        low = chance.uniform(-1, 1) * 10.0 ** chance.randint(-6, 6)
        high = low + 10.0 ** chance.uniform(-3, 6)
        ticks = sheet.evaluate("([low, high]) => niceTicks(low, high, 7)", [low, high])
        steps = {f"{b - a:.6e}" for a, b in itertools.pairwise(ticks)}
        assert 1 <= len(ticks) <= 8
        assert low - 1e-6 * (high - low) <= ticks[0]
        assert ticks[-1] <= high + 1e-6 * (high - low)
        assert all(step[0] in "125" for step in steps), steps


def test_every_module_loads_by_itself(open_page: Callable[..., Any], tmp_path: Path) -> None:
    """The lab serves the modules one by one; each must name what it imports."""
    for name in MODULES:
        (tmp_path / f"{name}.js").write_text(module(name), encoding="utf-8")
    imports = "\n".join(f'import "./{name}.js";' for name in MODULES)
    (tmp_path / "all.html").write_text(
        f'<!DOCTYPE html><html lang="en"><title>All</title><script type="module">{imports}\n'
        "document.title = 'loaded';</script></html>",
        encoding="utf-8",
    )
    served = (tmp_path / "all.html").as_uri()
    page = open_page("about:blank")
    page.route(
        "http://lab.test/**", lambda route: route.fulfill(path=tmp_path / route.request.url.split("/")[-1])
    )
    page.goto(f"http://lab.test/{Path(served).name}")
    page.wait_for_function("document.title === 'loaded'")
