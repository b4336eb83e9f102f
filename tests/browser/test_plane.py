"""The plane, the chart and the numbers that the replay and the lab are drawn with."""

from __future__ import annotations

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


# ---------------------------------------------------------------- numbers


def test_numbers_read_as_those_of_the_report(sheet: Any) -> None:
    chance = random.Random(3)
    values = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-12, 12) for _ in range(500)]
    values += [0.0, 1.0, -2.0, 999999.6, 0.00009999996, 123456.0, 1e6, 5e-324, 1.7e308]
    assert sheet.evaluate("(values) => values.map((value) => real(value, 5))", values) == [
        real(v, 5) for v in values
    ]


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
