"""Every array and every field of the golden files, damaged: each is refused by the name of its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load
from rosenblatt.storage.container import read, write

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.safetensors"))


class Place(NamedTuple):
    """An array by its name, or a field by the names that lead to it."""

    file: Path
    path: tuple[str, ...]
    is_array: bool

    def __str__(self) -> str:
        return f"{self.file.stem} {'.'.join(self.path)}"


def fields_of(document: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in document.items():
        yield (*path, name)
        if isinstance(value, dict):
            yield from fields_of(value, (*path, name))


def places() -> list[Place]:
    """Return each array and each field by its last name and type, where it occurs first."""
    found: dict[Any, Place] = {}
    for file in GOLDEN:
        arrays, document = read(file)
        for name, array in arrays.items():
            found.setdefault((name.split(".")[-1], array.dtype), Place(file, (name,), True))
        for path in fields_of(document):
            found.setdefault((path[-1], type(value_at(document, path))), Place(file, path, False))
    return list(found.values())


def value_at(document: dict[str, Any], path: tuple[str, ...]) -> Any:
    for name in path:
        document = document[name]
    return document


ARRAYS = {
    "missing": None,
    "one dimension more": lambda array: array[None],
    "another type": lambda array: array.astype(np.int16 if array.dtype == np.float32 else np.float32),
    "not a number": lambda array: np.full_like(array, np.nan) if array.dtype.kind == "f" else array[None],
}
FIELDS = {"a list": [[]], "a section": {"strange": 1}}
OPTIONAL = {
    "mistakes_per_class", "false_positives_per_class", "false_negatives_per_class", "constant_labels",
    "learner.monomial_weights", "feature_names.ends",
}  # fmt: skip
"""Arrays that a file may leave out."""
ANY_VALUE = {
    "history.training_error", "history.validation_error", "state.norm2", "state.budgeted.rows_0.values",
    "parameters.init.w", "written_by", "run", "reading", "history", "state.keeper", "state.pocket",
    "run_arrays", "run_arrays.names",
}  # fmt: skip
"""Places where some of these values mean something, or are not read."""


@pytest.mark.parametrize("place", places(), ids=str)
def test_a_damaged_place_is_refused_by_its_name(place, tmp_path):
    arrays, document = read(place.file)
    name = ".".join(place.path)
    for damage, change in (ARRAYS if place.is_array else FIELDS).items():
        changed, others = copy.deepcopy(document), dict(arrays)
        if not place.is_array:
            value_at(changed, place.path[:-1])[place.path[-1]] = change
        elif change is None:
            del others[name]
        elif arrays[name].size:
            others[name] = change(arrays[name])
        write(tmp_path / "lie", others, changed)
        said = refusal_of(tmp_path / "lie")
        if said is None:
            is_left_out = change is None and name in OPTIONAL
            assert is_left_out or name in ANY_VALUE or not arrays.get(name, np.ones(1)).size, damage
        else:
            assert said.startswith(f"{tmp_path / 'lie'}: ")
            assert place.path[-1].split(".")[-1] in said, damage


def refusal_of(path: Path) -> str | None:
    try:
        load(path)
    except BadInput as refusal:
        return str(refusal)
    return None
