"""Proofs for a page, with a time limit."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import BadInput
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict

TIME_LIMIT = 4.0
"""Seconds for one proof. A chapter needs two at most, and the server stops after 20 seconds."""


def decide(points: Any, labels: Any, offset: bool) -> Verdict:
    """Return the verdict of `separate`; raise `BadInput` if it is undecided within the time limit."""
    verdict = separate(points, labels, offset=offset, time_limit=TIME_LIMIT, progress=False)
    if verdict.separable is None:
        raise BadInput(
            f"points: whether a line separates them was not decided within {TIME_LIMIT:g} seconds; "
            "try fewer points or rounder numbers"
        )
    return verdict
