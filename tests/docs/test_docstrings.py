"""What a docstring says, its page says: no sign of a formula is taken for markup."""

from __future__ import annotations

from pathlib import Path

import pytest
from docutils.core import publish_doctree
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rewriting(load):
    return load(ROOT / "docs" / "_ext" / "docstrings_as_rst.py")


def parse(lines):
    """The tree that reStructuredText makes of it; a complaint of the parser is an error."""
    settings = {"report_level": 2, "halt_level": 2, "warning_stream": False}
    return publish_doctree("\n".join(lines), settings_overrides=settings)


@given(text=st.text("wxyθγ*|_\\:<>[]()‖²·−≤. 1", min_size=1, max_size=60))
def test_any_text_is_read_as_it_was_written(rewriting, text):
    said = f"So {text} it is"
    assert parse(rewriting.as_rst([said])).astext() == " ".join(said.split())


def test_a_formula_set_in_is_shown_as_it_stands(rewriting):
    tree = parse(rewriting.as_rst(["On a mistake:", "", "    w* ← |w| + y_·x", "", "and so on."]))
    paragraph, formula, rest = tree.children
    assert formula.astext() == "w* ← |w| + y_·x"
    assert (paragraph.astext(), rest.astext()) == ("On a mistake:", "and so on.")


def definitions(tree):
    items = [node for node in tree.findall() if node.tagname == "definition_list_item"]
    return [(item.children[0].astext(), item.children[-1].astext()) for item in items]


def test_parameters_are_a_list_of_names_with_what_they_are(rewriting):
    docstring = [
        "Parameters",
        "----------",
        "tie : str, default=None",
        "    What 0 answers.",
        "text, words : columns to take, else",
        "    all of them.",
        "mistakes_,",
        "updates_ : counters.",
    ]
    assert definitions(parse(rewriting.as_rst(docstring))) == [
        ("tie", "What 0 answers."),
        ("text, words", "columns to take, else all of them."),
        ("mistakes_, updates_", "counters."),
    ]


def test_results_and_errors_are_a_list_of_types_with_what_they_are(rewriting):
    docstring = ["Returns", "-------", "tuple of (int, float)", "    The row and", "    its score."]
    assert definitions(parse(rewriting.as_rst(docstring))) == [
        ("tuple of (int, float)", "The row and its score.")
    ]
    written = rewriting.as_rst(["Raises", "------", "BadInput", "    If `w` is zero."])
    assert written == [".. rubric:: Raises", "", ":py:obj:`BadInput`", "    If :py:obj:`w` is zero.", ""]


def test_names_with_colons_in_a_paragraph_are_such_a_list_too(rewriting):
    docstring = ["X, y: the rows. offset: whether lines may", "be anywhere.", "tie: what 0 answers."]
    assert definitions(parse(rewriting.as_rst(docstring))) == [
        ("X, y", "the rows."),
        ("offset", "whether lines may be anywhere."),
        ("tie", "what 0 answers."),
    ]


def test_a_name_in_backticks_is_a_reference_and_other_code_is_code(rewriting):
    assert (
        rewriting.as_rst(["See `trace`, `a + b` and ``c_``."])[0]
        == "See :py:obj:`trace`, ``a + b`` and ``c_``."
    )
