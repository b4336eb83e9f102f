"""Every array and every field of the golden files is damaged in turn, and refused by its name."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load
from rosenblatt.storage.container import read, write

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.safetensors"))


NOT_READ = {"written_by", "run", "run_arrays", "reading"}


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
    """Return each array and each field by its name and type, where it occurs first."""
    found: dict[Any, Place] = {}
    for file in GOLDEN:
        arrays, document = read(file)
        for name, array in arrays.items():
            if array.size:
                found.setdefault((name, array.dtype), Place(file, (name,), True))
        for path in fields_of(document):
            if path[0] in NOT_READ:
                continue
            found.setdefault((path, type(value_at(document, path))), Place(file, path, False))
    return list(found.values())


def value_at(document: dict[str, Any], path: tuple[str, ...]) -> Any:
    for name in path:
        document = document[name]
    return document


def with_first(array: np.ndarray, value: Any) -> np.ndarray:
    changed = array.copy()
    changed.reshape(-1)[:1] = value
    return changed


def largest(array: np.ndarray) -> Any:
    return (
        np.inf if array.dtype.kind == "f" else np.iinfo(array.dtype).max if array.dtype.kind in "iu" else 1
    )


ARRAYS: dict[str, Callable[[np.ndarray], Any]] = {
    "missing": lambda array: None,
    "one dimension more": lambda array: array[None],
    "another type": lambda array: array.astype(np.int16 if array.dtype == np.float32 else np.float32),
    "not a number": lambda array: np.full_like(array, np.nan) if array.dtype.kind == "f" else array[None],
    "one number less": lambda array: array[:-1],
    "below zero": lambda array: with_first(array, -1) if array.dtype.kind in "fi" else array[None],
    "too large": lambda array: with_first(array, largest(array)),
}
FIELDS: dict[str, Callable[[Any], Any]] = {
    "a list": lambda value: [[]],
    "a section": lambda value: {"strange": 1},
    "another value": lambda value: {bool: 1, str: "strange", int: -1}.get(type(value), [[]]),
    "a huge number": lambda value: 1 << 60 if type(value) is int else [[]],
    "a fraction": lambda value: 0.5 if type(value) is int else [[]],
}
MAY_PASS = {
    "missing": r"_per_class$|monomial_weights$|(feature|label)_names\.ends$",
    "one dimension more": r"init\.w$",
    "another type": r"(rows_\d|support)\.values$",
    "not a number": r"history\.\w+_error$|norm2$",
    "one number less": r"(init\.b|order|start)$",
    "below zero": r"(values|weights|start|late|before|best|delta|factor|coefficient|matrix|memory|total)$"
    r"|(order|_error|init\.[wb]|keeper\.row)$",
    "too large": r"(classes\.values|mass|random|ratchet|best_errors|largest2|length2|norm2)$|_error$",
    "a section": r"(history|keeper|pocket)$",
    "another value": r"^(learner\.)?(began|parameters)\.|device$",
    "a huge number": r"seed$",
}
"""Where a damaged value means something else, is checked when it is used, or is not read."""
NAMED_BY_OTHERS = {"one number less", "too large"}
"""A place that has to agree with others may be noticed in one of them."""


@pytest.mark.parametrize("place", places(), ids=str)
def test_a_damaged_place_is_refused_by_its_name(place, tmp_path):
    arrays, document = read(place.file)
    name = ".".join(place.path)
    damages = ARRAYS if place.is_array else FIELDS
    for damage, change in damages.items():
        changed, others = copy.deepcopy(document), dict(arrays)
        if place.is_array:
            others[name] = change(arrays[name])
            if others[name] is None:
                del others[name]
        else:
            section = value_at(changed, place.path[:-1])
            section[place.path[-1]] = change(section[place.path[-1]])
        write(tmp_path / "lie", others, changed)
        message = refusal_of(tmp_path / "lie")
        may_pass = re.search(MAY_PASS.get(damage, "$^"), name)
        assert may_pass or (message or "").startswith(f"{tmp_path / 'lie'}: "), damage
        if damage not in NAMED_BY_OTHERS and not may_pass:
            last = place.path[-1].split(".")[-1]
            assert {"size": "budget"}.get(last, last) in message, damage


def refusal_of(path: Path) -> str | None:
    try:
        load(path)
    except BadInput as refusal:
        return str(refusal)
    return None
