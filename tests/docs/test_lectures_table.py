"""Every row of the lecture notes has its line in docs/lectures.md, and what the line names exists."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from rosenblatt.course.lectures import EXAMPLES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "lectures.md"
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#]*)(#[^)]*)?\)")


def rows():
    """The cells of the table, line by line: id, part, Python, pages, tests."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| M")
    ]


def test_every_row_of_the_notes_is_there_once_and_in_order():
    assert [row[0].strip() for row in rows()] == [f"M{number}" for number in range(1, 31)]
    assert {len(row) for row in rows()} == {5}


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


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_page_that_is_linked_exists(row):
    pages = [page for page, _ in LINK.findall(row[3])]
    assert pages
    for page in filter(None, pages):
        assert (ROOT / "docs" / page).is_file(), page


def defined_in(path):
    """The names of the tests in a file, without running it."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_test_that_is_named_exists(row):
    named = CODE.findall(row[4])
    assert named
    for path, _, name in (test.partition("::") for test in named):
        assert name.startswith("test_")
        assert name in defined_in(path), f"{path}::{name}"


def test_every_slip_of_an_example_is_listed():
    listed = PAGE.read_text(encoding="utf-8").partition("## Slips in the notes")[2]
    with_slip = [key for key, example in EXAMPLES.items() if example.slip]
    assert with_slip
    assert [key for key in with_slip if f"`{key}`" not in listed] == []
