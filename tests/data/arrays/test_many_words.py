"""Classes of many text labels are found in the first rows, with the numbers that a full scan gives."""

from __future__ import annotations

import numpy as np
import pyarrow
import pytest

from rosenblatt import Perceptron
from rosenblatt.data import few_classes
from rosenblatt.data.arrow_words import arrow_words
from rosenblatt.data.few_classes import find_among
from rosenblatt.data.targets import read_target
from rosenblatt.errors import BadInput

WORDS = ["ham", "spam", "", "eggs and more", "ä", "hamster"]
KINDS = {"wide": "U", "bytes": "S", "objects": object}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(few_classes, "MANY_ROWS", 4)
    monkeypatch.setattr(few_classes, "CHUNK", 16)


@pytest.fixture(params=KINDS)
def label_array(request):
    def make(numbers, words=WORDS):
        kind = KINDS[request.param]
        if kind == "S":
            return np.array([word.encode() for word in words])[numbers]
        return np.array(words, kind)[numbers]

    return make


def one_by_one(y):
    classes = sorted(set(y.tolist()))
    return classes, [classes.index(label) for label in y.tolist()]


@pytest.mark.parametrize(("n_words", "step"), [(2, 1), (3, 1), (6, 1), (2, -3)])
def test_classes_and_numbers_are_those_found_one_by_one(n_words, step, label_array):
    y = label_array(np.random.default_rng(0).integers(0, n_words, size=100))[::step]
    target = read_target(y, len(y))
    assert (target.classes.tolist(), target.numbers.tolist()) == one_by_one(y)


def test_a_class_that_comes_late_is_found(label_array):
    y = label_array(np.array([0, 1] * 20 + [5]))
    target = read_target(y, len(y))
    assert len(target.classes) == 3
    assert target.numbers[-1] == one_by_one(y)[1][-1]


def test_classes_of_another_width_are_found_and_others_left_to_those_who_name_them(label_array):
    y, classes = (
        label_array(np.array([0, 1, 1, 0, 1])),
        label_array(np.array([0, 1]), ["ham", "spam", "much longer"]),
    )
    assert find_among(y, classes).tolist() == [0, 1, 1, 0, 1]
    assert find_among(y, classes[::-1]).tolist() == [1, 0, 0, 1, 0]
    assert find_among(label_array(np.array([0, 1, 1, 0, 4])), classes) is None
    with pytest.raises(BadInput, match="in row 4 is neither"):
        read_target(label_array(np.array([0, 1, 1, 0, 4])), 5, known=classes)


WORD_LABELS, NUMBER_LABELS = (
    np.array(["ham", "spam"] * 20 + ["ham"], object),
    np.array([0.0, 1.0] * 20 + [0.0]),
)


@pytest.mark.parametrize(
    ("y", "row", "value", "message"),
    [
        (WORD_LABELS, 40, None, "row 40"),
        (WORD_LABELS, 40, float("nan"), "row 40"),
        (WORD_LABELS, 40, ["a"], "row 40 holds a list"),
        (WORD_LABELS, 40, 7, "labels must be of one kind"),
        *((NUMBER_LABELS, row, value, f"row {row}") for row in (3, 40) for value in (np.nan, np.inf, 0.5)),
    ],
)
def test_a_value_that_is_not_a_class_is_refused_wherever_it_is(y, row, value, message):
    y = y.copy()
    y[row] = value
    with pytest.raises(BadInput, match=message):
        read_target(y, len(y))


def test_two_infinities_are_no_classes():
    with pytest.raises(BadInput, match="infinity"):
        read_target(np.array([np.inf, -np.inf] * 9), 18)


ARROW = {
    "text": lambda text: text,
    "wide": lambda text: text.cast(pyarrow.large_string()),
    "views": lambda text: text.cast(pyarrow.string_view()),
    "chunks": lambda text: pyarrow.chunked_array([text[:7], text[7:60], text[60:]]),
    "a part": lambda text: pyarrow.concat_arrays([pyarrow.array(["one", "more"]), text])[2:],
    "polars": lambda text: pytest.importorskip("polars").from_arrow(text),
    "pandas": lambda text: pytest.importorskip("pandas").Series(text, dtype="string[pyarrow]"),
}


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize(
    "words", [WORDS[:2], WORDS, ["exactly8", "of nine b", "a name of twelve and more"]]
)
def test_arrow_text_has_the_classes_and_numbers_of_its_objects(kind, words):
    y = np.array(words, object)[np.random.default_rng(0).integers(0, len(words), size=100)]
    classes, numbers = one_by_one(y)
    column = arrow_words(ARROW[kind](pyarrow.array(y.tolist())))
    assert find_among(column, np.array(classes, object)).tolist() == numbers
    assert find_among(column, np.array([*classes[:-1], "another"], object)) is None
    target = read_target(column, len(y))
    assert (target.classes.tolist(), target.numbers.tolist()) == (classes, numbers)
    assert target.classes.dtype == object


def test_arrow_columns_with_gaps_or_numbers_and_tables_are_read_as_ever():
    assert arrow_words(pyarrow.array(["ham", None])) is None
    assert arrow_words(pyarrow.array([1, 2])) is None
    assert arrow_words(pyarrow.table({"y": ["ham", "spam"]})) is None
    assert arrow_words(["ham", "spam"]) is None


def test_arrow_text_of_which_a_class_comes_late_is_learned_from():
    y = pyarrow.array(["ham", "spam"] * 20 + ["eggs"])
    X = np.eye(41)
    assert Perceptron().fit(X, y).classes_.tolist() == ["eggs", "ham", "spam"]
