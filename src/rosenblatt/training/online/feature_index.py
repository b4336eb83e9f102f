"""Convert examples as users pass them (arrays, dicts, texts and lists of words) to rows."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from math import isfinite
from struct import error, pack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.numeric.dicts import addresses, reader
from rosenblatt.numeric.row_batches import Rows, Sparse, as_rows, check_finite, keep_entries, read_only


class FeatureIndex(dict[str, int]):
    """Number each named feature in the order of appearance.

    `are_named` states whether features have names; None means that it is not known yet. `must_rise` states
    that the feature numbers in a row must rise, because kernels walk through two rows in parallel.
    """

    def __init__(self, must_rise: bool = False) -> None:
        super().__init__()
        self.are_named: bool | None = None
        self.must_rise = must_rise

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]

    def expect(self, named: bool) -> None:
        """Raise an error if features had names before and have numbers now, or the reverse."""
        if self.are_named is None:
            self.are_named = named
        elif self.are_named is not named:
            now, before = ("names", "numbers") if named else ("numbers", "names")
            raise BadInput(f"x: features have {now} here and had {before} before; choose one of them")

    def extend(self, names: Iterable[str]) -> None:
        """Assign numbers to new features in their order."""
        self.expect(named=True)
        for name in names:
            self[name]

    def forget(self, n: int) -> None:
        """Remove all features except the first n."""
        for name in list(self)[n:]:
            del self[name]

    def read_one(self, x: Mapping[Any, Any], may_grow: bool) -> tuple[NDArray[Any], NDArray[Any], bool]:
        """Return an example's feature values and feature numbers, and whether all values were numeric."""
        # a feature that never occurred in training has weight 0
        values, names = self._read(x, only_known=not may_grow and not self.must_rise)
        self.expect(named=True)
        indices = np.fromiter(map(self.__getitem__, names), np.uint32, len(names))
        if self.must_rise:
            order = np.argsort(indices)
            values, indices = values[order], indices[order]
        return values, indices, names is x

    def _read(self, x: Mapping[Any, Any], only_known: bool) -> tuple[NDArray[np.float64], Collection[Any]]:
        """Return the values of an example and the names of its features; a name may be new."""
        try:
            values = np.frombuffer(pack(f"{len(x)}d", *x.values()))
        except (error, OverflowError):
            x = in_numbers(x)
            values = read_only(np.fromiter(x.values(), np.float64, len(x)))
        names: Collection[Any] = x
        if only_known:
            names = [name for name in x if name in self]
            if len(names) < len(x):
                values = read_only(values[[name in self for name in x]])
        # a finite sum means that all values are finite; otherwise check each value
        if not isfinite(sum(values.tolist())) and not (finite := np.isfinite(values)).all():
            name = list(names)[int(np.argmin(finite))]
            raise BadInput(f"x: feature {name!r} is {x[name]}; give finite numbers")
        return values, names

    def read_many(self, X: Any, may_grow: bool) -> Rows:
        """Return examples as rows.

        Without `may_grow`, new names are left out, since their weights are 0. With a kernel new names
        change the score, so they always get numbers.
        """
        if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
            return self._read_numbered(X)
        examples = list(X)
        named = list(map(by_name, examples))
        if not any(x is not None for x in named):
            return self._read_numbered(examples)
        if any(x is None for x in named):
            raise BadInput("x: some examples have names and some have numbers; choose one of them")
        self.expect(named=True)
        return self._index(*(alike(named) or flatten_features(named)), may_grow or self.must_rise)

    def _read_numbered(self, X: Any) -> Rows:
        rows = as_example_rows(X)
        check_finite(rows, None)
        self.expect(named=False)
        return rows

    def _index(
        self, names: list[str], lengths: Sequence[int], values: NDArray[np.float64], grows: bool
    ) -> Sparse:
        """Return rows of named features.

        `names` lists the names of all rows one after another, or the names of one row if all rows have the
        same names. `values` holds the values of all rows one after another.
        """
        starts = np.zeros(len(lengths) + 1, np.uint32)
        np.cumsum(lengths, out=starts[1:])
        numbers = map(self.__getitem__, names) if grows else map(self.get, names, repeat(-1))
        found = np.fromiter(numbers, np.int64, len(names))
        if len(names) != len(values):
            found = np.tile(found, len(lengths))
        indices = found.astype(np.uint32)
        if self.must_rise:
            order = np.lexsort((indices, np.repeat(np.arange(len(lengths)), lengths)))
            values, indices = values[order], indices[order]
        rows = Sparse(read_only(values), read_only(indices), read_only(starts), max(1, len(self)))
        is_known = found >= 0
        return rows if is_known.all() else keep_entries(rows, is_known, rows.n_features)


def by_name(x: Any) -> Mapping[Any, Any] | None:
    """Return the features of a dict, a text or a list of words by name; None for other examples.

    Examples
    --------
    >>> by_name("Free money, free!"), by_name(["free", "lunch"]), by_name([1.0, 2.0])
    ({'free': 2, 'money': 1}, {'free': 1, 'lunch': 1}, None)
    """
    if isinstance(x, (dict, Mapping)):  # dict first: the test for Mapping takes longer
        return x
    if isinstance(x, str):
        from rosenblatt.data.sources.text_cells import words_of  # imports pyarrow, which only texts need

        return dict(Counter(words_of(x)))
    if isinstance(x, (list, tuple)) and x and all(isinstance(word, str) for word in x):
        return dict(Counter(x))
    return None


def in_numbers(x: Mapping[Any, Any]) -> dict[Any, float]:
    """Return a dict with a number for each feature.

    A text becomes the feature "name=text", and a list of words one feature for each word.

    Examples
    --------
    >>> in_numbers({"age": 3, "member": True, "city": "Rome", "mail": ["free", "money", "free"]})
    {'age': 3.0, 'member': 1.0, 'city=Rome': 1.0, 'mail=free': 2.0, 'mail=money': 1.0}
    """
    numbers: dict[Any, float] = {}
    for name, value in x.items():
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=str)  # the order of a set differs between processes
        if isinstance(value, str):
            found = {f"{name}={value}": 1}
        elif isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value):
            found = Counter(f"{name}={word}" for word in value)
        else:
            try:
                pack("d", value)
            except (error, TypeError, OverflowError) as problem:
                raise BadInput(
                    "x: expected {name: number}, {name: text} or {name: [words]}, got "
                    f"{name!r}: {value!r:.60}; leave out unknown values ({problem})"
                ) from problem
            found = {name: value}
        for feature, more in found.items():
            numbers[feature] = numbers.get(feature, 0.0) + float(more)
    return numbers


def one_row(x: Any) -> Rows:
    """Return an array, a list or a sparse row as a batch with one row."""
    if not hasattr(x, "tocsr"):
        try:
            x = np.asarray(x)
        except (TypeError, ValueError) as problem:
            raise _about_x(problem) from problem
    if x.ndim == 1:
        x = x.reshape(1, -1)
    if x.ndim != 2 or x.shape[0] != 1:
        raise BadInput(f"x: expected one example, got shape {x.shape}; learn examples one by one")
    return as_example_rows(x)


def as_example_rows(X: Any) -> Rows:
    """Return a matrix as rows; error messages name the argument x."""
    try:
        return as_rows(X)
    except (TypeError, ValueError) as problem:
        raise _about_x(problem) from problem


def _about_x(problem: Exception) -> BadInput:
    return BadInput(str(problem).replace("X: ", "x: ", 1))


def alike(named: Sequence[Any]) -> tuple[list[str], list[int], NDArray[np.float64]] | None:
    """Return the result of `flatten_features` for dicts with equal keys; the names are listed only once.

    The dicts must have the keys of the first dict in the same order, and finite numbers as values;
    otherwise return None.

    Examples
    --------
    >>> alike([{"a": 1, "b": True}, {"a": 2, "b": 0.5}]), alike([{"a": 1}, {"b": 1}])
    ((['a', 'b'], [2, 2], array([1. , 1. , 2. , 0.5])), None)
    """
    if {(type(x), len(x)) for x in named} != {(dict, len(named[0]))}:
        return None
    names, read = list(named[0]), reader()
    matrix, at = np.empty((len(named), len(names))), addresses(names)
    if not all(read(x, at, values) for x, values in zip(named, matrix, strict=True)):
        return None
    return (names, [len(names)] * len(named), matrix.ravel()) if np.isfinite(matrix).all() else None


def flatten_features(named: Iterable[Any]) -> tuple[list[str], list[int], NDArray[np.float64]]:
    """Return (all feature names in one list, the number of features per example, all values).

    Examples
    --------
    >>> flatten_features([{"a": 1, "b": True}, {"city": "Rome"}])
    (['a', 'b', 'city=Rome'], [2, 1], array([1., 1., 1.]))
    """
    examples = list(named)
    try:
        values = array("d", chain.from_iterable(x.values() for x in examples))
    except (TypeError, OverflowError):
        examples = list(map(in_numbers, examples))
        values = array("d", chain.from_iterable(x.values() for x in examples))
    names, lengths = list(chain.from_iterable(examples)), list(map(len, examples))
    numbers = np.frombuffer(values) if values else np.empty(0)
    if not (finite := np.isfinite(numbers)).all():
        place = int(np.argmin(finite))
        raise BadInput(f"x: feature {names[place]!r} is {numbers[place]}; give finite numbers")
    return names, lengths, numbers
