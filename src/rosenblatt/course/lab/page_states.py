"""States of pages, received from a browser or a link; every value is checked when it is used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_choice

MOST_POINTS = 2000
"""The most rows on a page; more points would be indistinguishable. Python has no such limit."""

FARTHEST = 1e6


class State:
    """Hold the settings of a chapter: its initial settings, with changes from the page or a link.

    >>> State({"b": 0.0, "tie": "mistake"}, {"b": 2}).number("b")
    2.0
    """

    def __init__(self, start: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
        if not isinstance(changes, Mapping):
            raise BadInput(f"state: expected an object with settings by name, got {_shorten(changes)}")
        unknown = [key for key in changes if key not in start]
        if unknown:
            raise BadInput(
                f"state: there is no setting {_shorten(unknown[0])} here; it has {', '.join(start)}"
            )
        self.values = {**start, **changes}

    def number(self, name: str, low: float = -FARTHEST, high: float = FARTHEST) -> float:
        return _number(name, self.values[name], low, high)

    def whole(self, name: str, low: int, high: int) -> int:
        value = self.number(name, low, high)
        if value != int(value):
            raise BadInput(f"{name}: expected a whole number, got {_shorten(self.values[name])}")
        return int(value)

    def choice(self, name: str, choices: Sequence[str]) -> str:
        value = self.values[name]
        if not isinstance(value, str) or value not in choices:
            raise bad_choice(name, value[:40] if isinstance(value, str) else _shorten(value), list(choices))
        return value

    def text(self, name: str) -> str:
        value = self.values[name]
        if not isinstance(value, str):
            raise BadInput(f"{name}: expected a text, got {_shorten(value)}")
        return value

    def flag(self, name: str) -> bool:
        value = self.values[name]
        if not isinstance(value, bool):
            raise BadInput(f"{name}: expected true or false, got {_shorten(value)}")
        return value

    def numbers(self, name: str, most: int = MOST_POINTS) -> list[float]:
        return [_number(name, value) for value in self._list(name, most)]

    def point(self, name: str, size: int = 2) -> list[float]:
        """Return a point or vector after checking its number of coordinates."""
        return _point(name, self.values[name], size)

    def points(self, name: str = "points", least: int = 1, most: int = MOST_POINTS) -> NDArray[np.float64]:
        """Return points of the plane, one per row, after checking their number."""
        rows = [_point(f"{name}, row {row}", point, 2) for row, point in enumerate(self._list(name, most))]
        if len(rows) < least:
            missing = "there is no point yet" if not rows else f"there are only {len(rows)} points"
            raise BadInput(
                f"{name}: {missing}; click into the picture to add {'one' if least == 1 else 'more'}"
            )
        return np.array(rows, np.float64).reshape(-1, 2)

    def labels(self, n_points: int, name: str = "labels", classes: Sequence[int] = (-1, 1)) -> NDArray[Any]:
        """Return the label of each point after checking that it is one of the classes."""
        labels = self._list(name, MOST_POINTS)
        if len(labels) != n_points:
            raise BadInput(f"{name}: {len(labels)} labels for {n_points} points; give one for each")
        for row, label in enumerate(labels):
            if isinstance(label, bool) or label not in classes:
                known = ", ".join(f"{c:+d}" if -1 in classes else str(c) for c in classes)
                raise BadInput(f"{name}, row {row}: got {_shorten(label)}, expected one of {known}")
        return np.array(labels, np.int64)

    def _list(self, name: str, most: int) -> list[Any]:
        values = self.values[name]
        if not isinstance(values, (list, tuple)):
            raise BadInput(f"{name}: expected a list, got {_shorten(values)}")
        if len(values) > most:
            raise BadInput(
                f"{name}: {len(values):,} rows, and this page takes at most {most:,}; "
                "the Python below the picture takes any number of them"
            )
        return list(values)


def both_classes(labels: NDArray[Any]) -> None:
    """Raise an error if all points belong to one class."""
    present = set(labels.tolist())
    if len(present) < 2:
        only = "+" if present == {1} else "−"
        raise BadInput(f"labels: all points are {only}; add a point of the other class")


def _point(name: str, value: Any, size: int) -> list[float]:
    if not isinstance(value, (list, tuple)) or len(value) != size:
        raise BadInput(f"{name}: expected {size} numbers, got {_shorten(value)}")
    return [_number(name, part) for part in value]


def _number(name: str, value: Any, low: float = -FARTHEST, high: float = FARTHEST) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(f"{name}: expected a number, got {_shorten(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"{name}: expected a finite number, got {value}")
    if not low <= value <= high:  # also valid for an integer too large for a float
        raise BadInput(f"{name}: expected a number from {low:g} to {high:g}, got {_shorten(value)}")
    return float(value)


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"
