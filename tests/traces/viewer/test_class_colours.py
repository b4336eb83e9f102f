"""One choice of colours and marks for all pictures: pages, lab, reports and plots read the same table."""

from __future__ import annotations

import re
from pathlib import Path

import rosenblatt
from rosenblatt.reports.report_page import style as style_of_reports
from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.class_colours import CLASSES, NEGATIVE, POSITIVE

PACKAGE = Path(rosenblatt.__file__).parent


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
