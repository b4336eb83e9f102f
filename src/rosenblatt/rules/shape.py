"""The shape of every rule: parameters in a NamedTuple, and three small functions.

A rule sees scalars only. The loop owns the dot product and the update:

    agreement = y·(w·x + b)
    if agreement ≤ threshold(rule, memory, y, ‖x̃‖²):
        coefficient, shrink, memory = step(rule, memory, agreement, ‖x̃‖², ‖w̃‖²)
        w̃ ← shrink·w̃ + coefficient·y·x̃

with x̃ = (x, 1) and w̃ = (w, b) where there is an offset. The loop decides "agreement ≤ threshold"
exactly. A threshold of 0 asks "is it a mistake?", so there `tie` has its say.

To write a rule of your own, copy `rosenblatt.py`: any NamedTuple of floats with a `threshold` and a
`step` registered for it can be passed as ``rule=``.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.compiling import chosen_by_class


@chosen_by_class
def threshold(rule, memory, label, x2):
    """The agreement at or below which the rule updates; never negative. 0: only on a mistake."""


@chosen_by_class
def step(rule, memory, agreement, x2, w2):
    """Returns (coefficient, shrink, memory): w̃ ← shrink·w̃ + coefficient·y·x̃."""


def start(rule: Any) -> Any:
    """What the rule remembers before the first example: a NamedTuple from its own `start`, or None."""
    return rule.start() if hasattr(rule, "start") else None
