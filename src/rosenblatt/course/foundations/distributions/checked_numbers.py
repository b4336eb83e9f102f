"""Checks of the arguments of distributions."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_value, is_integer, whole_number

Doubles = NDArray[np.float64]


def real(parameter: str, value: Any) -> float:
    """Return a parameter after checking that it is a finite number.

    Examples
    --------
    >>> real("mean", 2)
    2.0
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise bad_value(parameter, value, "a finite number")
    return float(value)


def whole(parameter: str, value: Any) -> int:
    """Return a parameter after checking that it is an integer.

    Examples
    --------
    >>> whole("low", 2)
    2
    """
    if not is_integer(value):
        raise bad_value(parameter, value, "a whole number")
    return int(value)


def sample_size(n: Any) -> int:
    """Return the number of draws after checking it.

    Examples
    --------
    >>> sample_size(3)
    3
    """
    return whole_number("n", n, 0)


def points(x: ArrayLike) -> Doubles:
    """Return points as an array of doubles; infinity is allowed, NaN is not.

    Examples
    --------
    >>> points([1, 2])
    array([1., 2.])
    """
    numbers = _doubles("x", x)
    if np.isnan(numbers).any():
        raise BadInput(f"x: expected numbers, got NaN at {_place(np.isnan(numbers))}")
    return numbers


def observations(data: ArrayLike) -> Doubles:
    """Return data as a nonempty array of finite doubles.

    Examples
    --------
    >>> observations([1, 0, 1])
    array([1., 0., 1.])
    """
    numbers = _doubles("data", data)
    if numbers.ndim != 1:
        raise BadInput(f"data: expected a list of numbers, got an array of shape {numbers.shape}")
    return _finite(numbers)


def observed_vectors(data: ArrayLike) -> Doubles:
    """Return data as a nonempty matrix of finite doubles, one observation per row.

    Examples
    --------
    >>> observed_vectors([[1, 0], [0, 2]])
    array([[1., 0.],
           [0., 2.]])
    """
    numbers = _doubles("data", data)
    if numbers.ndim != 2 or not numbers.shape[1]:
        raise BadInput(
            f"data: expected one row for each observation, got an array of shape {numbers.shape}"
        )
    return _finite(numbers)


def _finite(numbers: Doubles) -> Doubles:
    if not len(numbers):
        raise BadInput("data: empty; give at least one observation")
    if not np.isfinite(numbers).all():
        raise BadInput(
            f"data: NaN or infinity at {_place(~np.isfinite(numbers))}; "
            "leave the observation out, or correct it"
        )
    return numbers


def _place(where: NDArray[np.bool_]) -> str:
    place = [int(index) for index in np.argwhere(where)[0]]
    return "place " + ", ".join(map(str, place)) if place else "the only place"


def _doubles(name: str, given: ArrayLike) -> Doubles:
    try:
        found = np.asarray(given)
        if found.dtype.kind not in "biufO":
            raise TypeError(f"an array of {found.dtype}")
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name}: expected numbers: {error}") from error


def generator(random_state: Any) -> np.random.Generator:
    """Return a random generator for a seed or Generator; None gives a different generator each time.

    Examples
    --------
    >>> bool(generator(7).random() == generator(7).random())
    True
    """
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise bad_value(
            "random_state", random_state, "a whole number, a numpy Generator or None"
        ) from error


def plain(values: Doubles) -> Any:
    """Return a float for an array with a single number, otherwise the array."""
    return float(values) if values.ndim == 0 else values
