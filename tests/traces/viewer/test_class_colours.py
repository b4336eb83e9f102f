"""One choice of colours and marks for all pictures: pages, lab, reports and plots read the same table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt.reports.report_page import style as style_of_reports
from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.class_colours import CLASSES, NEGATIVE, POSITIVE, insert_colours, shape_of

PACKAGE = Path(rosenblatt.__file__).parent
TABLE = PACKAGE / "traces" / "viewer" / "classes.js"


def test_plus_is_a_blue_circle_and_minus_a_vermilion_square() -> None:
    assert (POSITIVE.shape, POSITIVE.marker, POSITIVE.light) == ("circle", "o", "#0072b2")
    assert (NEGATIVE.shape, NEGATIVE.marker, NEGATIVE.light) == ("square", "s", "#d55e00")
    assert len(CLASSES) == 10


def test_no_colour_of_a_class_is_written_anywhere_else() -> None:
    own = {colour for look in CLASSES for colour in (look.light, look.dark)}
    own -= {CLASSES[7].light, CLASSES[7].dark}  # the colour of ink, which is that of texts too
    for path in PACKAGE.rglob("*"):
        if path.suffix in (".py", ".js", ".css", ".html") and path not in (
            TABLE,
            TABLE.with_name("class_colours.py"),
        ):
            written = set(re.findall(r"#[0-9a-f]{6}\b", path.read_text(encoding="utf-8").lower()))
            assert not written & own, path


def test_the_style_sheets_have_the_colours_of_the_table() -> None:
    for theme in ("light", "dark"):
        blocks = re.findall(rf"\{{\s*color-scheme: {theme};([^}}]*)\}}", style())
        for block in blocks:
            found = dict(re.findall(r"--class-(\d): (#\w{6});", block))
            assert found == {str(number): getattr(look, theme) for number, look in enumerate(CLASSES)}
    assert f"--first: {POSITIVE.light}; --second: {NEGATIVE.light}" in style_of_reports()
    assert f"--first: {POSITIVE.dark}; --second: {NEGATIVE.dark}" in style_of_reports()
    assert "@light" not in style() + style_of_reports()
    assert "@channels" not in style_of_reports()


def test_the_viewer_draws_every_shape_of_the_table() -> None:
    drawn = re.search(r"const SHAPES = \{(.*?)\n\};", script(), re.DOTALL)
    assert drawn is not None
    names = [name.strip('"') for name in re.findall(r'^  ("[\w ]+"|\w+): \(path', drawn[1], re.MULTILINE)]
    assert names == [look.shape for look in CLASSES]


def test_the_lab_serves_the_style_sheet_with_its_colours() -> None:
    pytest.importorskip("starlette")
    from rosenblatt.course.lab.server import static_files

    assert static_files()["viewer/viewer.css"][0].decode() == style()


def test_a_hundred_classes_have_different_marks() -> None:
    looks = {(shape_of(number).shape, CLASSES[number % len(CLASSES)].light) for number in range(100)}
    assert len(looks) == 100


def test_a_style_sheet_without_classes_stays_as_it_is() -> None:
    assert (
        insert_colours("@media print { a { color: #123456 } }") == "@media print { a { color: #123456 } }"
    )


# ---------------------------------------------------------------- plots


@pytest.mark.parametrize(("paper", "theme"), [("default", "light"), ("dark_background", "dark")])
def test_plots_draw_plus_and_minus_as_the_replay_does(pyplot, paper, theme) -> None:
    from matplotlib.colors import to_hex

    from rosenblatt import Perceptron, over_orders, plots

    X, y = np.array([[2.0, 1.0], [0.0, 2.0], [1.0, -1.0], [-1.0, 1.0]]), [1, -1, 1, -1]
    with pyplot.style.context(paper):
        regions = plots.decision_regions(Perceptron(random_state=0).fit(X, y), X, y)
    pictures = [regions]
    if theme == "light":
        pictures.append(over_orders(Perceptron(), X, y, orders=3).plot_lines())
    circle, square = (pyplot.matplotlib.markers.MarkerStyle(mark) for mark in "os")
    for ax in pictures:
        by_name = {scatter.get_label(): scatter for scatter in ax.collections}
        for name, look, mark in (("-1", NEGATIVE, square), ("1", POSITIVE, circle)):
            scatter = by_name.get(name) or by_name[f"class {name}"]
            assert to_hex(scatter.get_facecolor()[0]) == getattr(look, theme)
            shape = mark.get_path().transformed(mark.get_transform())
            assert np.array_equal(scatter.get_paths()[0].vertices, shape.vertices)
