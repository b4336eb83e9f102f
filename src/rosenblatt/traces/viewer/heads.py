"""Check the head of a replay, and replace infinity and NaN, which JSON cannot represent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.errors import BadInput

ALWAYS_FINITE = ("points", "labels", "start", "plane")


def checked_head(head: Mapping[str, Any], chunks: Sequence[bytes]) -> dict[str, Any]:
    """Return the head of a replay after checking it, with null for numbers that are not finite.

    Only numbers that no picture needs, such as ‖w‖² for very large points, may be infinite or NaN.

    Raises
    ------
    BadInput
        If the number of chunks is wrong, or a number that a picture needs is not finite.

    Examples
    --------
    >>> checked_head({"n_steps": 0, "chunk": 2048, "overview": {"norm2": [0.0, float("inf")]}}, [])
    {'n_steps': 0, 'chunk': 2048, 'overview': {'norm2': [0.0, None]}}
    """
    expected = -(-int(head["n_steps"]) // int(head["chunk"]))
    if len(chunks) != expected:
        run = f"{head['n_steps']} steps in chunks of {head['chunk']}"
        raise BadInput(f"chunks: got {len(chunks)} for {run}, expected {expected}")
    for name in ALWAYS_FINITE:
        if name in head and finite(head[name]) != head[name]:
            raise BadInput(f"head: {name} has a number that is not finite; a picture needs finite numbers")
    return {name: finite(part) for name, part in head.items()}


def finite(value: Any) -> Any:
    """Return the value with every number that is not finite replaced by None.

    >>> finite({"bound": float("inf"), "margins": (0.5, float("nan"))})
    {'bound': None, 'margins': [0.5, None]}
    """
    if isinstance(value, Mapping):
        return {name: finite(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
