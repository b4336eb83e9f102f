"""LinearState: n weight vectors (n ≥ 1) with their counters, whatever trains them.

There are two layouts. `SeparateColumns` has a `Column` for each vector, which every rule, averaging
strategy and order can train, one after another; two classes are one such column. `PanelColumns` has the
vectors of many classes in common arrays, for loops that train all of them in one reading of the rows. A
model file names the layout, and `initial_states` chooses it once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.examples import Rows
from rosenblatt.training.column import Column
from rosenblatt.training.means import Mean
from rosenblatt.training.run import Counted, Counters, Plan
from rosenblatt.training.state import Answers, Trainer

Places = NDArray[np.int64] | None
"""The features whose weights are wanted; None for all."""


@dataclass(kw_only=True)
class LinearState(Counted):
    """Hold the settings of n columns, their initial (w, b), and the number of passes.

    start has one (w, b) for each column or one for all, offset is the factor of b: 1, or 0 without one.
    sharing is how classes share a mistake; None means that each column makes its own.
    """

    rule: Any
    keep: str
    offset: float
    tie: str
    start: NDArray[np.float64]
    epochs: int = 0
    sharing: Any = None

    has_two_classes = False

    # ------------------------------------------------------------ what each layout defines

    if TYPE_CHECKING:

        @property
        def examples_seen(self) -> int: ...

    def current(self, at: Places = None) -> NDArray[np.float64]:
        """Return (w, b) as the next step will use them: a row for each column, a vector for two classes."""
        raise NotImplementedError

    def kept(self, at: Places = None) -> NDArray[np.float64]:
        """Return (w, b) of the averaging strategy, in the same form."""
        raise NotImplementedError

    def mean(self) -> Mean | None:
        """Return the unrounded mean if the strategy keeps one, otherwise None."""
        raise NotImplementedError

    def check_kept(self) -> None:
        """Raise an error if the returned weights have overflowed although the present ones have not."""
        raise NotImplementedError

    def answers_about(self, rows: Rows, kept: bool) -> tuple[Answers, Rows]:
        """Return a decider for some rows by the returned weights or the present ones, and the rows."""
        raise NotImplementedError

    def on(self, batch: Any, plan: Plan) -> Trainer:
        """Return a trainer of these columns on examples."""
        raise NotImplementedError

    def why_not_on_device(self, batch: Any) -> str | None:
        """Return why these columns cannot learn on a device; None if they can."""
        raise NotImplementedError

    def copy(self) -> Self:
        """Return a state that can be changed without changing this one."""
        raise NotImplementedError

    def widen(self, n_features: int) -> None:
        """Add features whose weights are 0."""
        raise NotImplementedError

    def add_columns(self, n: int) -> None:
        """Add n classes that come late; they begin with the next step."""
        raise NotImplementedError

    # ------------------------------------------------------------ sizes and counters

    @property
    def n_features(self) -> int:
        return self.start.shape[-1] - 1

    @property
    def n_columns(self) -> int:
        return len(self.clocks())

    def counters(self) -> Counters:
        return Counters.of(self.clocks(), self.examples_seen, self.sharing is not None)

    @property
    def exact_decisions(self) -> int:
        return self.total("exact_decisions")

    @property
    def mistakes_are_errors(self) -> bool:
        """Whether a mistake is a misclassified row; otherwise each column has its own mistakes."""
        return self.has_two_classes or self.sharing is not None

    # ------------------------------------------------------------ deciding

    @property
    def is_committee(self) -> bool:
        """Whether many vectors vote, and there is no one w to speak of."""
        return self.keep == "voted"

    def committees(self) -> list[Column]:
        """Return the committees that vote, one for each column."""
        return []

    def held(self) -> list[Rows]:
        """Return the rows of examples that committees store."""
        return [rows for column in self.committees() for rows in column.support]

    def answers(self) -> Answers:
        """Return the decider for the weights of the averaging strategy."""
        from rosenblatt.training.column_decisions import Decider  # two classes start without

        return Decider(self.kept, self.offset, self.mean)

    def error(self, batch: Any) -> float:
        """Return the fraction of present rows that are misclassified; for labels, of all labels."""
        error: float = batch.error(self.answers(), self.tie)
        return error

    def end_pass(self) -> None:
        self.epochs += 1
