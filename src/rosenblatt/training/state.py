"""State and Trainer: the interfaces that a run needs.

`linear_state` has the states with weights, `dual` those with w as a sum over support rows. A trainer
teaches a state a data set, and owns what is worth keeping between two passes over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.examples import Rows

if TYPE_CHECKING:
    from rosenblatt.training.run import Counters


class Answers(Protocol):
    """Define the decider of a state, which may cache values of the weights until the state learns on."""

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row, with exact sign; with many columns, one per column."""

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of the predicted class of each row."""


class Trainer(Protocol):
    """Train a state on one data set, with all that is worth keeping between its passes."""

    @property
    def looks(self) -> int:
        """Number of steps of one pass."""

    @property
    def note(self) -> str:
        """Return a note about the state to show while it learns."""

    def one_pass(self, order: Any) -> Iterator[None]:
        """Visit the rows of `order`, some at a time; the state has learned from them at each step."""


class State(Protocol):
    """Define everything that a run is, between two steps."""

    @property
    def epochs(self) -> int: ...

    @property
    def tie(self) -> str: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def mistakes_are_errors(self) -> bool:
        """Return whether a mistake is a misclassified row; otherwise each column has its own mistakes."""

    # what it counts, as totals over its columns (see `run.Counted`)
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
        """All of these, as they are now."""

    def on(self, batch: Any, plan: Any) -> Trainer:
        """Begin to learn from these examples: once per run, or per part of a stream."""

    def end_pass(self) -> None:
        """All rows have been looked at once more."""

    def check_kept(self) -> None:
        """Raise an error if the returned weights have overflowed although the present ones have not."""

    def answers(self) -> Answers:
        """Return the decider for the weights that the averaging strategy returns."""

    def error(self, batch: Any) -> float:
        """Return the fraction of present rows that are misclassified; for labels, of all labels."""

    def copy(self) -> Self:
        """Return a state that can be changed without changing this one."""

    def widen(self, n_features: int) -> None:
        """Add features whose weights are 0."""
