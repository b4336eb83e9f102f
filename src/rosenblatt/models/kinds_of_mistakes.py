"""The mistakes of a run, as an estimator shows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.learning.counting import Counted

MISTAKES = (
    "mistakes_",
    "false_positives_",
    "false_negatives_",
    "mistakes_per_class_",
    "false_positives_per_class_",
    "false_negatives_per_class_",
)
"""What is known of the mistakes of a run: all of them and the two kinds, in total and column by column."""


def take_mistakes(model: Any, state: Counted) -> None:
    """Give a model the mistakes that a state has counted."""
    totals = state.counters()
    counted = (
        totals.mistakes,
        totals.false_positives,
        totals.false_negatives,
        state.clock("mistakes").astype(np.int64),
        state.false_positives_per_column(),
        state.false_negatives_per_column(),
    )
    for name, count in zip(MISTAKES, counted, strict=True):
        setattr(model, name, count)
