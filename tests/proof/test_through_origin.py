"""Without an offset, every statement about hyperplanes says that they pass through the origin."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rosenblatt import (
    Perceptron,
    mistake_bound,
    overlap,
    plots,
    read,
    separability_table,
    separate,
    trace,
    verify,
)
from rosenblatt.kernels import Linear
from rosenblatt.traces.replay_data import replay

# a hyperplane separates each of these, and none through the origin does
APART = [[1.0], [2.0]], [-1, 1]
TIED = [[0.0, 1.0], [0.0, -1.0], [-1.0, 0.5]], [1, 1, -1]  # w = (1, 0) is right where 0 answers 1
LOOSE = [[-1.0], [3.0]], [-1, 1]  # margin 1 through the origin, and 2 elsewhere

THROUGH = "through the origin"
NAMED = r"(?<!off the )hyperplane|straight boundary|no line|(largest|Largest|best) margin"


@pytest.fixture
def titles():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield lambda ax: ax.get_title().replace("\n", " ")
    pyplot.close("all")


def everything_said(X, y):
    """Every sentence about these rows, asked without an offset."""
    verdict = separate(X, y, offset=False)
    facts = verify(verdict, X, y)
    steps = trace(X, y, offset=False, epochs=2)
    dual = trace(X, y, kernel=Linear(), epochs=2)
    return {
        "verdict": str(verdict),
        "facts": str(facts),
        "in words": facts.in_words(),
        "bound": str(mistake_bound(X, y, offset=False)),
        "kernel bound": str(mistake_bound(X, y, kernel="linear")),
        "overlap": str(overlap(X, y, offset=False)),
        "replay": replay(steps).head["proof_note"],
        "kernel replay": replay(dual).head["proof_note"],
        "kernel trace": dual.bound_sentence(),
    }


@pytest.mark.parametrize(("X", "y"), [APART, TIED, LOOSE], ids=["apart", "tied", "loose"])
def test_every_sentence_about_a_hyperplane_or_its_margin_says_through_the_origin(X, y):
    assert separate(X, y).separable
    for who, sentences in everything_said(X, y).items():
        assert THROUGH in sentences, who
        for found in re.finditer(NAMED, sentences):
            after = sentences[found.end() :]
            assert re.match(rf" (\((a )?hyperplane )?{THROUGH}", after), (who, found[0] + after)


def test_a_proof_without_offset_does_not_speak_of_every_linear_rule():
    X, y = TIED
    w, b = np.array([1.0, -0.5]), 1.0
    assert (np.sign(X @ w + b) == y).all()
    sentences = verify(separate(X, y, offset=False), X, y).in_words()
    assert "every linear rule misclassifies" not in sentences
    assert "every linear rule without an offset" in sentences
    assert "on the wrong side of its boundary or exactly on it" in sentences


def test_a_quasi_separation_counts_its_points_with_a_plural_that_fits():
    for text in (sentences := everything_said(*TIED))["verdict"], sentences["facts"]:
        assert "has no point on its wrong side and 1 point off it (quasi-separable)" in text
    assert "1 of 3 rows is off the hyperplane, on its side: 2." in sentences["overlap"]


def test_classes_apart_are_not_said_to_overlap():
    sentences = everything_said(*APART)
    assert not any("they overlap" in text or "classes overlap" in text for text in sentences.values())
    assert "; every hyperplane through the origin has a row on its wrong side" in sentences["verdict"]
    assert sentences["verdict"].endswith(
        "A logistic regression without intercept on these data has a finite estimate."
    )
    assert sentences["overlap"].endswith(
        "a logistic regression without intercept has a finite estimate (proved)."
    )


def test_the_perceptron_meant_is_the_one_without_offset():
    assert "The perceptron without offset never stops" in str(separate(*APART, offset=False))
    assert "The perceptron without offset that starts at zero" in str(separate(*LOOSE, offset=False))


def test_one_class_that_surrounds_the_origin_is_not_called_two():
    X, y = [[1.0], [-1.0]], ["only", "only"]
    verdict = separate(X, y, offset=False)
    assert str(verdict).startswith("The rows of class 'only' cannot be on one side of a hyperplane through")
    assert "has all rows on one side." in verify(verdict, X, y).in_words()


def test_titles_and_legends_say_through_the_origin(titles):
    X, y = APART
    for run in (trace(X, y, offset=False), trace(X, y, kernel="linear")):
        assert f"no hyperplane {THROUGH}" in titles(plots.mistakes_and_bound(run))
    verdict = separate(X, y, offset=False)
    assert f"no hyperplane {THROUGH} separates" in titles(
        plots.mistakes_and_bound(trace(X, y), bound=verdict)
    )
    for question, label in ((APART, f"no hyperplane {THROUGH}"), (LOOSE, f"largest possible {THROUGH} 1 ")):
        ax = plots.margins(
            Perceptron().fit(*question), *question, verdict=separate(*question, offset=False)
        )
        assert any(text.get_text().startswith(label) for text in ax.get_legend().texts)
    table = separability_table(*LOOSE, offset=False)
    assert str(table).endswith(f"1 test about hyperplanes {THROUGH}: 1 separable")
    assert f"hyperplane {THROUGH} (proved)" in titles(table.plot())


@pytest.mark.parametrize(
    ("rows", "consistent"),
    [
        (["0,1,p", "0,-1,p", "-1,0.5,n"], {"mistake": False, "negative": False, "positive": None}),
        (["1,0,n", "2,0,p"], {"mistake": False, "negative": False, "positive": False}),
        (["-1,0,n", "3,0,p"], {"mistake": True, "negative": True, "positive": True}),
    ],
)
def test_rows_in_pieces_name_the_one_tie_that_may_let_a_run_end(tmp_path, rows, consistent):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,y", *rows]) + "\n")
    verdict = separate(read(path, target="y"), offset=False)
    assert verdict.consistent == consistent
    assert ("(tie='positive')" in str(verdict)) is (None in consistent.values())
    assert "(tie='negative')" not in str(verdict)


@pytest.mark.parametrize("kernel", [None, "linear"])
def test_the_pass_without_mistakes_is_counted_as_one_of_the_passes(kernel):
    bound = mistake_bound([[2, 1], [0, 2]], [1, -1], kernel=kernel)
    steps = trace([[2, 1], [0, 2]], [1, -1], kernel=kernel, epochs=None, until="separated")
    assert [steps[-1].epoch, steps.mistakes] == [bound.passes, bound.mistakes] == [2, 2]
    assert not any(step.mistake for step in steps if step.epoch == 2)
    assert "made 2 mistakes in 2 passes; the last pass made no mistake." in str(bound)
