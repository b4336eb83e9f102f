"""Observations that can be dragged on a number line, for the topics with one variable."""

from __future__ import annotations

from rosenblatt.course.lab.page_states import State
from rosenblatt.errors import BadInput

MOST_OBSERVATIONS = 40
FARTHEST = 6.0


def observations(state: State, name: str) -> list[float]:
    """Return the observations on the number line, at least one."""
    data = state.numbers(name, MOST_OBSERVATIONS)
    if not data:
        raise BadInput(f"{name}: there is no observation yet; click into the picture to add one")
    outside = [value for value in data if abs(value) > FARTHEST]
    if outside:
        raise BadInput(
            f"{name}: {outside[0]:g} is outside the picture; keep within −{FARTHEST:g} and {FARTHEST:g}"
        )
    return data


def linspace(low: float, high: float, n: int) -> list[float]:
    """Return n evenly spaced numbers from low to high.

    >>> linspace(0.0, 1.0, 3)
    [0.0, 0.5, 1.0]
    """
    return [low + (high - low) * k / (n - 1) for k in range(n)]
