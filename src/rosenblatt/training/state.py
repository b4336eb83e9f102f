"""Trainer and Answers: the interfaces that training and predicting with a state need.

`linear_state` defines the states with explicit weights; `dual` defines the states with w as a sum over
support rows. A trainer trains a state on a data set, and holds the data that it reuses between passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Rows


class Answers(Protocol):
    """Define the object that predicts for a state; it may cache values until the state learns again."""

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row, or of each row and classifier, with its exact sign."""

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of the predicted class for each row."""


class Trainer(Protocol):
    """Define the object that trains a state on a data set; it holds the data that passes reuse."""

    @property
    def looks(self) -> int:
        """Return the number of steps in one pass."""

    @property
    def note(self) -> str:
        """Return a note about the state to show during training."""

    def one_pass(self, order: Any) -> Iterator[None]:
        """Visit the rows of `order` in parts; yield after each part."""


def learn_all(trainer: Trainer, order: Any) -> None:
    """Learn from some rows of a batch: all rows ("given"), a range (`Given`), or a list."""
    for _ in trainer.one_pass(order):
        pass
