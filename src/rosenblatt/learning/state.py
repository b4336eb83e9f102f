"""State: the interface that a run needs. Each kind of state is a file of this shape.

`one_column` (two classes), `columns` (many, learned together: in one reading of the rows, on a GPU
(`device_columns`), or with shared mistakes (`sharing`)), `separately` (many, one after another), `dual`
(w as a sum over support rows). `beginning` chooses among the linear ones, once, from
the settings and the target; no caller checks the kind afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Rows

if TYPE_CHECKING:
    from rosenblatt.learning.run import Counters


class Answers(Protocol):
    """Define the decider of a state, which may cache values of the weights until the state learns on."""

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row, its sign exact; of many columns, one for each."""

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of the predicted class of each row."""


class Lesson(Protocol):
    """A data set that a state learns from, with all that is worth keeping between its passes."""

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

    def on(self, batch: Any, plan: Any) -> Lesson:
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


class LinearState(State, Protocol):
    """A state that has weights (w, b): one vector, or one in each row of a matrix."""

    @property
    def n_features(self) -> int: ...

    @property
    def offset(self) -> float:
        """Factor of b: 1 with an offset, 0 without."""

    @property
    def is_committee(self) -> bool:
        """Whether many vectors vote, and there is no one w to speak of."""

    def committees(self) -> list[Any]:
        """Return the committees that vote, one for each column."""

    def current(self) -> NDArray[np.float64]:
        """Return (w, b) as the next step will use them."""

    def kept(self) -> NDArray[np.float64]:
        """Return (w, b) of the averaging strategy."""

    def clock(self, name: str) -> NDArray[Any]:
        """Return a clock of every column."""

    def kinds_per_column(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the false positives and false negatives of every column."""

    def why_not_on_device(self, batch: Any) -> str | None:
        """Return why it cannot learn on a device; None if it can."""
