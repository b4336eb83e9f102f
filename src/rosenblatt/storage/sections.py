"""The document and arrays of a file, section by section: a `Draft` to write, a `Section` to read.

A section believes nothing. Whatever it hands out has the type, shape and range that was asked for, so that
what is made of it can go to compiled code, which checks nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.storage.container import short

MOST = 1 << 53
"""No counter goes further: whole numbers are doubles up to here."""

Shape = tuple[int | None, ...]


class Draft:
    """What is to be written: fields of a JSON object, and arrays whose names begin with the section's."""

    def __init__(
        self,
        document: dict[str, Any] | None = None,
        arrays: dict[str, NDArray[Any]] | None = None,
        path: str = "",
    ) -> None:
        self.document: dict[str, Any] = {} if document is None else document
        self.arrays: dict[str, NDArray[Any]] = {} if arrays is None else arrays
        self._path = path

    def __setitem__(self, name: str, value: Any) -> None:
        self.document[name] = value

    def part(self, name: str) -> Draft:
        """A section of this one."""
        self.document[name] = {}
        return Draft(self.document[name], self.arrays, f"{self._path}{name}.")

    def array(self, name: str, values: Any, number: Any = None) -> None:
        self.arrays[self._path + name] = np.ascontiguousarray(values, dtype=number)

    def finite(self, name: str, values: NDArray[np.floating[Any]]) -> None:
        """An array that could not be loaded if it had an infinite number."""
        if not np.isfinite(values).all():
            raise BadInput(
                f"{self._path}{name}: a number has overflowed, so the model can neither decide nor be "
                "saved; divide the features by their largest value and train again"
            )
        self.array(name, values)


class Section:
    """What has been read. `name in section` asks for a field that is there and not null."""

    def __init__(self, document: dict[str, Any], arrays: dict[str, NDArray[Any]], path: str = "") -> None:
        self._document, self._arrays, self._path = document, arrays, path

    def __contains__(self, name: str) -> bool:
        return self._document.get(name) is not None

    def wrong(self, name: str, what: str) -> BadInput:
        """A sentence about a field of this section."""
        return BadInput(
            f"damaged: {self._path}{name}: {what}; save the model again, or copy the file again"
        )

    def _found(self, name: str, expected: str) -> Any:
        if name not in self._document:
            raise self.wrong(name, f"missing, expected {expected}")
        return self._document[name]

    def _odd(self, name: str, expected: str) -> BadInput:
        return self.wrong(name, f"expected {expected}, got {short(self._document[name])}")

    # ------------------------------------------------------------ fields

    def part(self, name: str) -> Section:
        found = self._found(name, "a section")
        if not isinstance(found, dict):
            raise self._odd(name, "a section")
        return Section(found, self._arrays, f"{self._path}{name}.")

    def fields(self) -> dict[str, Any]:
        """All of them, as they are."""
        return self._document

    def text(self, name: str, among: Iterable[str] | None = None) -> str:
        found = self._found(name, "a text")
        if not isinstance(found, str):
            raise self._odd(name, "a text")
        if among is not None and found not in (known := tuple(among)):
            raise self._odd(name, "one of " + ", ".join(map(repr, known)))
        return found

    def flag(self, name: str) -> bool:
        found = self._found(name, "true or false")
        if not isinstance(found, bool):
            raise self._odd(name, "true or false")
        return found

    def whole(self, name: str, least: int = 0, most: int = MOST) -> int:
        expected = f"a whole number from {least} to {most}"
        found = self._found(name, expected)
        if type(found) is not int or not least <= found <= most:
            raise self._odd(name, expected)
        return found

    def listed(self, name: str) -> list[Any]:
        found = self._found(name, "a list")
        if not isinstance(found, list):
            raise self._odd(name, "a list")
        return found

    # ------------------------------------------------------------ arrays

    def has_array(self, name: str) -> bool:
        return self._path + name in self._arrays

    def any_array(self, name: str) -> NDArray[Any]:
        """An array, whatever it has."""
        if not self.has_array(name):
            raise self.wrong(name, "this array is missing")
        return self._arrays[self._path + name]

    def array(self, name: str, numbers: type | tuple[type, ...], shape: Shape) -> NDArray[Any]:
        """An array of these numbers and this shape; None stands for any length."""
        allowed = numbers if isinstance(numbers, tuple) else (numbers,)
        found = self.any_array(name)
        if found.dtype.type not in allowed:
            listed = " or ".join(number.__name__ for number in allowed)
            raise self.wrong(name, f"numbers of type {found.dtype}, expected {listed}")
        fits = len(shape) == found.ndim and all(
            expected is None or expected == length
            for expected, length in zip(shape, found.shape, strict=True)
        )
        if not fits:
            listed = " × ".join("any" if length is None else str(length) for length in shape)
            raise self.wrong(name, f"shape {found.shape}, expected {listed}")
        return found

    def finite(
        self, name: str, shape: Shape, least: float = -math.inf, most: float = math.inf
    ) -> NDArray[np.float64]:
        """Doubles, all of them finite and from `least` to `most`."""
        found = self.array(name, np.float64, shape)
        if not np.isfinite(found).all():
            raise self.wrong(name, "a number is not finite")
        if found.size and not (found.min() >= least and found.max() <= most):
            raise self.wrong(name, f"a number is not between {least:g} and {most:g}")
        return found

    def positive(self, name: str, shape: Shape) -> NDArray[np.float64]:
        """Doubles of at least 0; they may be infinite."""
        found = self.array(name, np.float64, shape)
        if not (found >= 0.0).all():
            raise self.wrong(name, "a number is below 0, or not one")
        return found

    def counts(self, name: str, shape: Shape, least: int = 0, most: int = MOST) -> NDArray[np.int64]:
        """Whole numbers from `least` to `most`."""
        found = self.array(name, np.int64, shape)
        if found.size and not (found.min() >= least and found.max() <= most):
            raise self.wrong(name, f"a number is not between {least} and {most}")
        return found
