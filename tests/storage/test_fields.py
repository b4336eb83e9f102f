"""A schema reads what it writes, and refuses fields that do not agree."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.errors import BadInput
from rosenblatt.storage import fields
from rosenblatt.storage.fields import Part, Schema, Section, decode, encode

SCHEMA: Schema = {
    "n_features": fields.whole(1),
    "name": fields.text().optional(null=True),
    "weights": fields.finite("columns", "n_features"),
    "looks": fields.counts("columns", most=lambda found: 10 * found.columns),
    "late": fields.positive("columns").optional(),
}


def section_of(**changed):
    thing = {"n_features": 2, "name": None, "weights": np.eye(3, 2), "looks": [1, 2, 3], "late": None}
    return Section(*encode(SCHEMA, {**thing, **changed}).split())


def test_a_written_file_can_be_read():
    found = decode(section_of(), SCHEMA)
    assert (found.n_features, found.columns, found.name, found.late) == (2, 3, None, None)
    assert (found.weights == np.eye(3, 2)).all()
    assert found.looks.tolist() == [1, 2, 3]


def test_missing_and_null_fields_are_none():
    section = section_of()
    assert section.fields() == {"n_features": 2, "name": None}
    assert not section.has_array("late")
    assert decode(section_of(name="w", late=[0.5, 1.0, np.inf]), SCHEMA).late.tolist() == [0.5, 1.0, np.inf]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_features": 3}, r"weights: shape \(3, 2\), expected any × 3"),
        ({"looks": [1, 2]}, r"looks: shape \(2,\), expected 3"),
        ({"looks": [1, 2, 31]}, "looks: a number is not between 0 and 30"),
        ({"late": [1.0, -1.0, 0.0]}, "late: a number is below 0"),
        ({"n_features": 0}, "n_features: expected a whole number from 1"),
    ],
)
def test_fields_must_agree_with_those_before_them(changed, message):
    with pytest.raises(BadInput, match=message):
        decode(section_of(**changed), SCHEMA)


def test_arrays_have_the_names_of_their_sections_and_the_document_has_the_rest():
    given = {"x": {"y": [1]}}  # JSON of somebody else
    tree = Part({"a": Part({"": np.arange(2), "w": np.ones(1), "k": 1}), "given": given, "b.c": np.ones(3)})
    document, arrays = tree.split()
    assert document == {"a": {"k": 1}, "given": given}
    assert {name: len(array) for name, array in arrays.items()} == {"a": 2, "a.w": 1, "b.c": 3}


def test_an_overflowed_model_cannot_be_written():
    with pytest.raises(BadInput, match="weights: a number has overflowed"):
        section_of(weights=np.array([[np.inf, 0.0]]))
