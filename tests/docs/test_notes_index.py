"""Every part of the lecture notes has a row in docs/notes/index.md, whose names and pages exist."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from rosenblatt.course.lectures import EXAMPLES

ROOT = Path(__file__).parents[2]
NOTES = ROOT / "docs" / "notes"
CODE = re.compile(r"`([^`]+)`")


def rows():
    """The cells of the table, line by line: id, part, Python, pages."""
    lines = (NOTES / "index.md").read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| M")
    ]


def test_every_row_of_the_notes_is_there_once_and_in_order():
    assert [row[0].strip() for row in rows()] == [f"M{number}" for number in range(1, 31)]
    assert {len(row) for row in rows()} == {4}


def names_in(cell):
    """Each name, with the parameters it is called with: `Perceptron(offset=False)`."""
    for code in CODE.findall(cell):
        tree = ast.parse(code, mode="eval").body
        called = tree.func if isinstance(tree, ast.Call) else tree
        yield (
            ast.unparse(called),
            [word.arg for word in tree.keywords] if isinstance(tree, ast.Call) else [],
        )


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_name_can_be_had_and_takes_the_parameters_shown(row):
    names = list(names_in(row[2]))
    assert names
    for name, parameters in names:
        value = resolve_name(f"rosenblatt.{name}")
        if parameters:
            assert set(parameters) <= set(inspect.signature(value).parameters), name


def test_every_slip_of_an_example_is_listed_on_the_page_of_its_note():
    with_slip = [key for key, example in EXAMPLES.items() if example.slip]
    assert with_slip
    for key in with_slip:
        page = (NOTES / f"{key[:3]}.md").read_text(encoding="utf-8")
        assert f"- `{key}`" in page.partition("## Errors in the note")[2], key
