"""`loops.decide` for torch, all scores of a block at once. The host decides uncertain scores exactly."""

from __future__ import annotations

from typing import Any


def decided(s: Any, y: Any, tau: Any, doubt: Any, rounding: Any) -> tuple[Any, Any, Any]:
    """Return (mistake, acts, sure) of each score s, within `doubt`, for label y and threshold tau.

    A score of 0 is never sure, since `tie` decides it. With rounding = 0 all others are exact.
    """
    agreement = y * s
    mistake = agreement < 0.0
    acts = mistake | ((tau > 0.0) & (agreement <= tau))
    far = (tau == 0.0) | (rounding == 0.0) | (abs(agreement - tau) > doubt + rounding * tau)
    return mistake, acts, (abs(s) > doubt) & far


def ruled_out(s: Any, y: Any, tau: Any, doubt: Any) -> Any:
    """Return the rows that cause no update, by scores within `doubt`."""
    return y * s > tau + doubt
