"""State and Trainer: the interfaces that a run needs.

`linear_state` defines the states with explicit weights; `dual` defines the states with w as a sum over
support rows. A trainer trains a state on a data set, and holds the data that it reuses between passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Rows

if TYPE_CHECKING:
    from rosenblatt.training.run import Counters


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


class State(Protocol):
    """Define what a run requires of a state."""

    epochs: int
    """The number of passes so far."""

    @property
    def tie(self) -> str: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def mistakes_are_errors(self) -> bool:
        """Return whether `mistakes` counts misclassified rows, rather than wrong binary decisions."""

    # counters, as totals over all classifiers (see `run.Counted`)
    @property
    def examples_seen(self) -> int: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def exact_decisions(self) -> int: ...

    @property
    def false_positives(self) -> int: ...

    @property
    def false_negatives(self) -> int: ...

    def counters(self) -> Counters:
        """Return all counters with their current values."""

    def on(self, batch: Any, plan: Any) -> Trainer:
        """Return a trainer for these examples; a run calls this once, a stream once per part."""

    def check_overflow(self) -> None:
        """Raise an error if the mean of the weights has overflowed, even if the weights have not."""

    def answers(self) -> Answers:
        """Return the object that predicts by the weights that the averaging strategy returns."""

    def error(self, batch: Any) -> float:
        """Return the fraction of misclassified rows, not counting rows with weight 0.

        For tables of labels, return the fraction of wrong labels.
        """

    def copy(self) -> Self:
        """Return a copy that can be changed without changing this state."""

    def widen(self, n_features: int) -> None:
        """Add features with weight 0."""
