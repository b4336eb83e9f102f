"""The decisions of `loops.decide` in torch, for a block of scores; the host decides uncertain scores."""

from __future__ import annotations

from typing import Any


def decide(s: Any, y: Any, tau: Any, doubt: Any, rounding: Any) -> tuple[Any, Any, Any]:
    """Return (mistake, acts, sure) for scores s with errors up to `doubt`, labels y and thresholds tau.

    A score of 0 is never sure, because `tie` determines its class. With rounding = 0, all other scores are
    exact.
    """
    agreement = y * s
    mistake = agreement < 0.0
    acts = mistake | ((tau > 0.0) & (agreement <= tau))
    far = (tau == 0.0) | (rounding == 0.0) | (abs(agreement - tau) > doubt + rounding * tau)
    return mistake, acts, (abs(s) > doubt) & far


def ruled_out(s: Any, y: Any, tau: Any, doubt: Any) -> Any:
    """Return whether each score, with an error up to `doubt`, rules out an update."""
    return y * s > tau + doubt
