"""State: what a run needs of what it changes, and nothing else. Each kind of state is a file of this shape.

`one_column` (two classes), `columns` (many, learned together: in one reading of the rows, on a GPU
(`device_columns`), or with shared mistakes (`sharing`)), `separately` (many, one after another), `dual`
(w as a sum over support rows) and `dual.budgeted`. `beginning` chooses among the linear ones, once, from
the settings and the target; nobody asks a state afterwards what it is.
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
    """What answers for a state. It may keep what it made of the weights, until the state learns on."""

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row, its sign exact; of many columns, one for each."""

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of the predicted class of each row."""


class Lesson(Protocol):
    """A data set that a state learns from, with all that is worth keeping between its passes."""

    @property
    def looks(self) -> int:
        """The looks of one pass."""

    @property
    def note(self) -> str:
        """What is worth saying of the state while it learns."""

    def one_pass(self, order: Any) -> Iterator[None]:
        """Look at the rows of `order`, some at a time: the state has learned from them at each step."""


class State(Protocol):
    """Everything that a run is, between two looks."""

    @property
    def epochs(self) -> int: ...

    @property
    def tie(self) -> str: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def mistakes_are_errors(self) -> bool:
        """Whether a mistake is a wrong answer; else each column has mistakes of its own."""

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
    def false_positives(self) -> int | None: ...

    @property
    def false_negatives(self) -> int | None: ...

    def counters(self) -> Counters:
        """All of these, as they are now."""

    def on(self, batch: Any, plan: Any) -> Lesson:
        """Begin to learn from these examples: once per run, or per part of a stream."""

    def end_pass(self) -> None:
        """All rows have been looked at once more."""

    def check_kept(self) -> None:
        """Refuse what the keeper leaves where it has overflowed though the weights have not."""

    def answers(self) -> Answers:
        """Return the decider for the weights that the averaging strategy returns."""

    def error(self, batch: Any) -> float:
        """Return the fraction of present rows that are misclassified; for labels, of all labels."""

    def copy(self) -> Self:
        """Return a state that can be changed without changing this one."""

    def widen(self, n_features: int) -> None:
        """Make room for features that were not there before; their weights are 0."""


class LinearState(State, Protocol):
    """A state that has weights (w, b): one vector, or one in each row of a matrix."""

    @property
    def n_features(self) -> int: ...

    @property
    def offset(self) -> float:
        """What b is multiplied by: 1, or 0 where there is none."""

    @property
    def is_committee(self) -> bool:
        """Whether many vectors vote, and there is no one w to speak of."""

    def committees(self) -> list[Any]:
        """Return the committees that vote, one for each column."""

    def current(self) -> NDArray[np.float64]:
        """(w, b) as the next look will use them."""

    def kept(self) -> NDArray[np.float64]:
        """(w, b) as the keeper leaves them."""

    def clock(self, name: str) -> NDArray[Any]:
        """Return a clock of every column."""

    def kinds_per_column(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
        """Return false positives and false negatives of every column; None if one does not know them."""

    def why_not_on_device(self, batch: Any) -> str | None:
        """Why it cannot learn on a device; None where it can."""
