"""The contents of a model file as sections and fields, with a schema that checks every field.

A file is written from a tree of `Part`s. A file that was read is a `Section`, which trusts nothing: every
value it returns has the requested type, shape and range, so it can be passed to compiled code, which checks
nothing.

A schema is used for writing and for reading: a dict from field names to kinds, in the order of the fields
in the file. A field can refer to earlier fields: the length of an array may be given by the name of an
earlier number. If there is no number with that name yet, the length of the array defines it, and all later
arrays with that name must have the same length.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.storage.container import Path, naming, read, short, write
from rosenblatt.version import __version__

MOST = 1 << 53
"""Largest value of a counter: integers up to here are exact in doubles."""

Shape = tuple[int | None, ...]
Type = TypeVar("Type")


class Part(dict[str, Any]):
    """Collect a section to be written: JSON values, arrays and nested parts by name.

    An array with an empty name belongs to the section itself.
    """

    def split(self, path: str = "") -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the JSON document, and the arrays by name, prefixed by the path of their section."""
        document: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        for name, value in self.items():
            if isinstance(value, Part):
                document[name], inner = value.split(f"{path}{name}.")
                arrays |= inner
            elif isinstance(value, np.ndarray):
                arrays[path + name if name else path[:-1]] = np.atleast_1d(value)
            else:
                document[name] = value
        return document, arrays


class Section:
    """Hold a section that was read. `name in section` is True if the field is present and not null."""

    def __init__(self, document: dict[str, Any], arrays: dict[str, NDArray[Any]], path: str = "") -> None:
        self._document, self._arrays, self._path = document, arrays, path

    def __contains__(self, name: str) -> bool:
        return self._document.get(name) is not None

    def wrong(self, name: str, what: str) -> BadInput:
        """Return an error about a field of this section."""
        return BadInput(
            f"damaged: {self._path}{name}: {what}; save the model again, or copy the file again"
        )

    @contextmanager
    def blaming(self, name: str) -> Iterator[None]:
        """Turn errors about a bad value into errors about this field."""
        try:
            yield
        except BadInput as error:
            raise self.wrong(name, str(error)) from error

    def _odd(self, name: str, expected: str) -> BadInput:
        return self.wrong(name, f"expected {expected}, got {short(self._document[name])}")

    def _of_type(self, kind: type[Type], name: str, expected: str) -> Type:
        if name not in self._document:
            raise self.wrong(name, f"missing, expected {expected}")
        found: Type = self._document[name]
        if type(found) is not kind:
            raise self._odd(name, expected)
        return found

    # ------------------------------------------------------------ fields

    def part(self, name: str) -> Section:
        return Section(self._of_type(dict, name, "a section"), self._arrays, f"{self._path}{name}.")

    def fields(self) -> dict[str, Any]:
        """Return all fields of the section as JSON, unchecked."""
        return self._document

    def text(self, name: str, among: Iterable[str] | None = None) -> str:
        found = self._of_type(str, name, "a text")
        if among is not None and found not in (known := tuple(among)):
            raise self._odd(name, "one of " + ", ".join(map(repr, known)))
        return found

    def flag(self, name: str) -> bool:
        return self._of_type(bool, name, "true or false")

    def whole(self, name: str, least: int = 0, most: int = MOST) -> int:
        expected = f"a whole number from {least} to {most}"
        found = self._of_type(int, name, expected)
        if not least <= found <= most:
            raise self._odd(name, expected)
        return found

    def list_of(self, name: str) -> list[Any]:
        return self._of_type(list, name, "a list")

    # ------------------------------------------------------------ arrays

    def has_array(self, name: str) -> bool:
        return self._path + name in self._arrays

    def any_array(self, name: str) -> NDArray[Any]:
        """Return an array of any type and shape."""
        if not self.has_array(name):
            raise self.wrong(name, "this array is missing")
        return self._arrays[self._path + name]

    def array(self, name: str, numbers: type | tuple[type, ...], shape: Shape) -> NDArray[Any]:
        """Return an array; check that it has one of these dtypes and this shape (None: any length)."""
        allowed = numbers if isinstance(numbers, tuple) else (numbers,)
        found = self.any_array(name)
        if found.dtype.type not in allowed:
            listed = " or ".join(number.__name__ for number in allowed)
            raise self.wrong(name, f"numbers of type {found.dtype}, expected {listed}")
        if len(shape) != found.ndim or any(
            expected not in (None, length) for expected, length in zip(shape, found.shape, strict=True)
        ):
            listed = " × ".join("any" if length is None else str(length) for length in shape)
            raise self.wrong(name, f"shape {found.shape}, expected {listed}")
        return found

    def finite(self, name: str, shape: Shape, least: float = -math.inf) -> NDArray[np.float64]:
        """Return an array of doubles; check that all are finite and at least `least`."""
        found = self.array(name, np.float64, shape)
        if not np.isfinite(found).all():
            raise self.wrong(name, "a number is not finite")
        if found.size and not found.min() >= least:
            raise self.wrong(name, f"a number is not between {least:g} and inf")
        return found

    def positive(self, name: str, shape: Shape) -> NDArray[np.float64]:
        """Return an array of doubles; check that all are at least 0 (infinity is allowed)."""
        found = self.array(name, np.float64, shape)
        if not (found >= 0.0).all():
            raise self.wrong(name, "a number is below 0 or NaN")
        return found

    def counts(self, name: str, shape: Shape, least: int = 0, most: int = MOST) -> NDArray[np.int64]:
        """Return an array of integers; check that all are between `least` and `most`."""
        found = self.array(name, np.int64, shape)
        if found.size and not (found.min() >= least and found.max() <= most):
            raise self.wrong(name, f"a number is not between {least} and {most}")
        return found


# ---------------------------------------------------------------- schemas


class Found(dict[str, Any]):
    """Hold the fields that have been read, by name."""

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def build(self, cls: type[Type]) -> Type:
        """Return an instance of a dataclass, built from the fields with the same names."""
        names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: self[name] for name in names})

    def clocks(self, dtype: Any, names: Iterable[str]) -> NDArray[Any]:
        """Return a structured array of the counters `names`, with one entry per classifier."""
        clocks = np.zeros(self.n, dtype)
        for name in names:
            clocks[name] = self[name]
        return clocks

    def shares(self, names: Iterable[str], sizes: NDArray[np.int64]) -> list[tuple[NDArray[Any], ...]]:
        """Split the fields `names` into the parts of each classifier; part k has sizes[k] entries."""
        ends = np.cumsum(sizes)[:-1]
        return list(zip(*(np.split(self[name], ends) for name in names), strict=True))


Bound = float | str | None | Callable[[Found], Any]
"""A number, the name of a number, a function that computes a number or a shape, or None for any number."""


class Kind(NamedTuple):
    """Describe a field: how it is written, how it is read and checked, and how its presence is tested."""

    write: Callable[[Part, str, Any], Any]
    read: Callable[[Section, str, Found], Any]
    there: Callable[[Section, str], bool] = Section.__contains__

    def then(self, check: Callable[[Section, Found], None]) -> Kind:
        """Return this kind with a check that runs after reading and can use all earlier fields."""

        def read(section: Section, name: str, found: Found) -> Any:
            found[name] = self.read(section, name, found)
            check(section, found)
            return found[name]

        return self._replace(read=read)

    def optional(self, null: bool = False) -> Kind:
        """Return this kind for a field that may be missing; its value is then None.

        With `null`, None is written as JSON null, otherwise the field is left out.
        """

        def write(part: Part, name: str, value: Any) -> None:
            if value is not None:
                self.write(part, name, value)
            elif null:
                part[name] = None

        def read(section: Section, name: str, found: Found) -> Any:
            return self.read(section, name, found) if self.there(section, name) else None

        return self._replace(write=write, read=read)


Schema = dict[str, Kind]


def encode(schema: Schema, values: Mapping[str, Any]) -> Part:
    """Return the part of a file that stores these values, written by the schema."""
    part = Part()
    for name, kind in schema.items():
        kind.write(part, name, values[name])
    return part


def decode(section: Section, schema: Schema, **known: Any) -> Found:
    """Return the checked fields of a section, the lengths of its arrays and the `known` values, by name."""
    found = Found(known)
    for name, kind in schema.items():
        found[name] = kind.read(section, name, found)
    return found


def each(things: Sequence[Any], names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return, for each attribute name, the values of many objects stacked into an array."""
    return {name: np.stack([getattr(thing, name) for thing in things]) for name in names}


def in_numbers(bound: Bound, found: Found) -> Any:
    return bound(found) if callable(bound) else found.get(bound) if isinstance(bound, str) else bound


def value(read: Callable[[Section, str, Found], Any], written: Callable[[Any], Any] | None = None) -> Kind:
    """Return the kind of a JSON value or a part; `written` converts a value before it is written."""

    def write(part: Part, name: str, value: Any) -> None:
        part[name] = value if written is None else written(value)

    return Kind(write, read)


def part(encoded: Callable[[Any], Any], decoded: Callable[[Section, Found], Any]) -> Kind:
    """Return the kind of a nested section, given its encoder and its decoder."""
    return value(lambda section, name, found: decoded(section.part(name), found), encoded)


FLAG = value(lambda section, name, found: section.flag(name), bool)
JSON = value(lambda section, name, found: section.part(name).fields())


def text(among: Iterable[str] | None = None) -> Kind:
    return value(lambda section, name, found: section.text(name, among))


def whole(least: int = 0, most: Bound = MOST) -> Kind:
    return value(lambda section, name, found: section.whole(name, least, in_numbers(most, found)), int)


def _array(dtype: Any, shape: tuple[Bound, ...], read: Callable[..., Any], is_finite: bool = False) -> Kind:
    def read_and_name(section: Section, name: str, found: Found) -> Any:
        lengths = tuple(in_numbers(length, found) for length in shape)
        array = read(section, name, lengths[0] if isinstance(lengths[0], tuple) else lengths, found)
        named = zip(shape, array.shape, strict=False)
        found.update({length: size for length, size in named if isinstance(length, str)})
        return array

    def write(part: Part, name: str, value: Any) -> None:
        array = np.asarray(value, dtype)
        if array.ndim > len(shape) and array.shape[-1] == 1:  # attributes that are arrays of length 1
            array = array[..., 0]
        part[name] = refuse_overflow(name, array) if is_finite else array

    return Kind(write, read_and_name, Section.has_array)


def refuse_overflow(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or raise an error if a number is infinite, since such a model cannot be loaded."""
    if not np.isfinite(array).all():
        raise BadInput(
            f"{name}: a number has overflowed, so the model can neither decide nor be saved; divide the "
            "features by their largest value and train again"
        )
    return array


def finite(*shape: Bound, least: float = -math.inf) -> Kind:
    """Return the kind of arrays of finite doubles; writing an infinite number raises an error."""
    return _array(float, shape, lambda section, name, size, _: section.finite(name, size, least), True)


def positive(*shape: Bound) -> Kind:
    """Return the kind of arrays of doubles of at least 0; infinity is allowed."""
    return _array(float, shape, lambda section, name, size, _: section.positive(name, size))


def counts(*shape: Bound, least: int = 0, most: Bound = MOST) -> Kind:
    """Return the kind of arrays of integers."""

    def read(section: Section, name: str, size: Shape, found: Found) -> Any:
        return section.counts(name, size, least, in_numbers(most, found))

    return _array(np.int64, shape, read)


def numbers(dtype: Any, *shape: Bound) -> Kind:
    """Return the kind of arrays of any numbers of the given dtype."""
    return _array(dtype, shape, lambda section, name, size, _: section.array(name, dtype, size))


# ---------------------------------------------------------------- files


def save_as(kind: str, model: Part, path: Path) -> None:
    """Write a model of the given kind to a file atomically."""
    by_whom = {"kind": kind, "written_by": f"rosenblatt {__version__}"}  # written_by is informative only
    document, arrays = model.split()
    write(path, arrays, {**by_whom, **document})


def load_as(kinds: dict[str, Callable[[Section], Any]], path: Path) -> Any:
    """Return the model in a file of one of the kinds. No code is run, and everything is checked."""
    arrays, document = read(path)
    with naming(path):
        section = Section(document, arrays)
        if len(kinds) == 1 and (found := section.text("kind")) not in kinds:
            (kind,) = kinds
            raise BadInput(f"holds a {found[:80]!r}, expected a {kind!r}; rosenblatt.load reads every kind")
        return kinds[section.text("kind", kinds)](section)
