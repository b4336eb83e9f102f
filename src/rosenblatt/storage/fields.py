"""What a file holds of a thing, field by field: its name there, what it may be, and where it is in Python.

A schema is a dict of kinds by name, in the order in which fields are written and read. What has been read
is at hand for the fields after it: a length may be the name of a number, so that arrays agree with each
other. A length that has no number yet is whatever the array has, and the next of that name must agree.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.storage.sections import MOST, Draft, Section


class Found(dict[str, Any]):
    """What has been read, by name."""

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def made(self, cls: Any) -> Any:
        """The dataclass of these fields."""
        return cls(**{field.name: self[field.name] for field in dataclasses.fields(cls)})


Bound = float | str | None | Callable[[Found], Any]
"""A number, the name of one, or how it is found (a whole shape may be found too); None for any."""


class Kind(NamedTuple):
    """What a field is: how it is written, how it is read and checked, whether a file has it; and how it is
    found in what is to be written, if it is not an attribute of that name."""

    write: Callable[[Draft, str, Any], Any]
    read: Callable[[Section, str, Found], Any]
    there: Callable[[Section, str], bool] = lambda section, name: name in section
    get: Callable[[Any], Any] | None = None

    def of(self, get: Callable[[Any], Any]) -> Kind:
        return self._replace(get=get)

    def then(self, check: Callable[[Section, Found], None]) -> Kind:
        """Checked together with what was read before it."""

        def read(section: Section, name: str, found: Found) -> Any:
            found[name] = self.read(section, name, found)
            check(section, found)
            return found[name]

        return self._replace(read=read)

    def optional(self, null: bool = False) -> Kind:
        """None where it is missing (null: where it is null)."""

        def write(draft: Draft, name: str, value: Any) -> None:
            if value is not None:
                self.write(draft, name, value)
            elif null:
                draft[name] = None

        def read(section: Section, name: str, found: Found) -> Any:
            return self.read(section, name, found) if self.there(section, name) else None

        return self._replace(write=write, read=read)


Schema = dict[str, Kind]


def encode(draft: Draft, schema: Schema, thing: Any, get: Callable[[Any, str], Any] = getattr) -> None:
    for name, kind in schema.items():
        kind.write(draft, name, get(thing, name) if kind.get is None else kind.get(thing))


def decode(section: Section, schema: Schema, **known: Any) -> Found:
    """Every field by its name, as it may be; with them the lengths that were found, and what was known."""
    found = Found(known)
    for name, kind in schema.items():
        found[name] = kind.read(section, name, found)
    return found


def each(things: Sequence[Any], name: str) -> Any:
    """An attribute of many things of one make: one in each row."""
    return np.stack([getattr(thing, name) for thing in things])


def clock(state: Any, name: str) -> Any:
    """A clock of every column."""
    return state.clock(name)


def in_numbers(bound: Bound, found: Found) -> Any:
    return bound(found) if callable(bound) else found.get(bound) if isinstance(bound, str) else bound


def part(encode_it: Callable[[Draft, Any], Any], decode_it: Callable[[Section, Found], Any]) -> Kind:
    """A section of its own."""
    return Kind(
        lambda draft, name, value: encode_it(draft.part(name), value),
        lambda section, name, found: decode_it(section.part(name), found),
    )


# ---------------------------------------------------------------- of the document


def plain(read: Callable[[Section, str, Found], Any], as_json: Callable[[Any], Any] = lambda x: x) -> Kind:
    """What is JSON."""
    return Kind(lambda draft, name, value: draft.__setitem__(name, as_json(value)), read)


FLAG = plain(lambda section, name, found: section.flag(name), bool)
JSON = plain(lambda section, name, found: section.part(name).fields())


def text(among: Iterable[str] | None = None) -> Kind:
    return plain(lambda section, name, found: section.text(name, among))


def whole(least: int = 0, most: Bound = MOST) -> Kind:
    return plain(lambda section, name, found: section.whole(name, least, in_numbers(most, found)), int)


# ---------------------------------------------------------------- arrays


def _array(dtype: Any, shape: tuple[Bound, ...], read: Callable[..., Any], finite: bool = False) -> Kind:
    def read_and_name(section: Section, name: str, found: Found) -> Any:
        lengths = tuple(in_numbers(length, found) for length in shape)
        array = read(section, name, lengths[0] if isinstance(lengths[0], tuple) else lengths, found)
        named = zip(shape, array.shape, strict=False)
        found.update({length: size for length, size in named if isinstance(length, str)})
        return array

    def write(draft: Draft, name: str, value: Any) -> None:
        array = np.asarray(value, dtype)
        if array.ndim > len(shape) and array.shape[-1] == 1:  # things that have an array of one number
            array = array[..., 0]
        (draft.finite if finite else draft.array)(name, array)

    return Kind(write, read_and_name, Section.has_array)


def finite(*shape: Bound, least: float = -math.inf) -> Kind:
    """Doubles, none of them infinite; what has overflowed cannot be written."""
    return _array(float, shape, lambda part, name, size, found: part.finite(name, size, least), finite=True)


def positive(*shape: Bound) -> Kind:
    """Doubles of at least 0, which may be infinite."""
    return _array(float, shape, lambda part, name, size, found: part.positive(name, size))


def counts(*shape: Bound, least: int = 0, most: Bound = MOST) -> Kind:
    """Whole numbers."""

    def read(section: Section, name: str, size: tuple[int | None, ...], found: Found) -> Any:
        return section.counts(name, size, least, in_numbers(most, found))

    return _array(np.int64, shape, read)


def numbers(dtype: Any, *shape: Bound) -> Kind:
    """Numbers of this type, whatever they are."""
    return _array(dtype, shape, lambda part, name, size, found: part.array(name, dtype, size))
