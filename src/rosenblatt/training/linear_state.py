"""LinearState: the weight vectors of n ≥ 1 linear classifiers (columns) with their counters.

There are two layouts. `SeparateColumns` has one `Column` object for each vector; every rule, averaging
strategy and order can train it, one column after another. Two classes need only one such column.
`PanelColumns` has the vectors of many classes in common arrays, for loops that train all of them in one
pass over the rows. `initial_states` chooses the layout once, and a model file stores the choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Rows
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.training.run import Answers, Counted, Plan, Trainer

if TYPE_CHECKING:
    from rosenblatt.training.separate_columns import Column

Places = NDArray[np.int64] | None
"""Indices of the features whose weights are requested; None for all."""


FLOOR = 1e-300  # exceeds the total loss by underflow in all weights of a mean


class Mean(NamedTuple):
    """Hold the exact means of the weights of one or many classifiers, before they are rounded.

    The averaging strategy stores the sum over all steps as A·v − u (see `averaging.averaged`), and the mean
    is this sum divided by the number of steps. `coef_` is the rounded mean, with roundings in the product,
    the difference and the quotient; the sign of a score is computed from the stored sums. On integers the
    sums are exact, so the computed sign is that of the true mean.

    `lengths` is ‖A·v‖/looks, and `looks` the number of steps. `parts(at)` returns arrays of shape
    (classifiers, weights) whose sum over the first axis is the sum over the steps; it is called only if a
    sign is uncertain. `at` holds the indices of the requested weights (None for all).
    """

    lengths: Any
    looks: Any
    parts: Callable[[NDArray[np.int64] | None], NDArray[np.float64]]

    def spread(self, lengths: Any) -> Any:
        """Return a bound on the distance between the rounded means and the exact means.

        `lengths` are the norms of the rounded means.
        """
        return ROUNDING * (3.0 * lengths + self.lengths) + FLOOR


@dataclass(kw_only=True)
class LinearState(Counted):
    """Hold the settings of n classifiers (columns), their initial weights (w, b), and the number of passes.

    `start` holds one (w, b) for each classifier, or one for all. `offset` is the value of the constant
    feature: 1, or 0 without an offset. `sharing` is the strategy by which classes share a mistake; None
    means that the classifiers are independent.
    """

    rule: Any
    keep: str
    offset: float
    tie: str
    start: NDArray[np.float64]
    epochs: int = 0
    sharing: Any = None

    has_two_classes = False
    recorder: ClassVar[Any] = None  # an `UpdateRecorder`, if the run records its updates

    # ------------------------------------------------------------ methods that each layout defines

    def current(self, at: Places = None) -> NDArray[np.float64]:
        """Return the weights that the next step will use.

        The shape is (n_columns, n_features + 1), or (n_features + 1,) for two classes; b is last.
        """
        raise NotImplementedError

    def returned_weights(self, at: Places = None) -> NDArray[np.float64]:
        """Return the weights that the averaging strategy returns, in the shape of `current`."""
        raise NotImplementedError

    def mean(self) -> Mean | None:
        """Return the unrounded mean of the weights if the strategy averages, otherwise None."""
        raise NotImplementedError

    def check_overflow(self) -> None:
        """Raise an error if the mean of the weights has overflowed, even if the weights have not."""
        raise NotImplementedError

    def answers_about(self, rows: Rows, kept: bool) -> tuple[Answers, Rows]:
        """Return an object that predicts these rows, and the rows in the format that this object reads.

        With `kept`, it uses the weights of the averaging strategy, otherwise the current weights.
        """
        raise NotImplementedError

    def on(self, batch: Any, plan: Plan) -> Trainer:
        """Return a trainer of these classifiers on examples."""
        raise NotImplementedError

    def why_not_on_device(self, batch: Any) -> str | None:
        """Return the reason why these classifiers cannot learn on a device, or None if they can."""
        raise NotImplementedError

    def copy(self) -> Self:
        """Return a copy that can be changed without changing this state."""
        raise NotImplementedError

    def widen(self, n_features: int) -> None:
        """Add features with weight 0."""
        raise NotImplementedError

    def add_columns(self, n: int) -> None:
        """Add classifiers for n new classes; they start with the next step."""
        raise NotImplementedError

    # ------------------------------------------------------------ sizes and counters

    @property
    def n_features(self) -> int:
        return self.start.shape[-1] - 1

    @property
    def n_columns(self) -> int:
        return len(self.clocks())

    @property
    def exact_decisions(self) -> int:
        return self.total("exact_decisions")

    @property
    def mistakes_are_errors(self) -> bool:
        """Return whether `mistakes` counts misclassified rows, not wrong binary decisions."""
        return self.has_two_classes or self.sharing is not None

    # ------------------------------------------------------------ deciding

    @property
    def is_committee(self) -> bool:
        """Return whether many weight vectors vote, so that there is no single w."""
        return self.keep == "voted"

    def committees(self) -> list[Column]:
        """Return the committees that vote, one for each classifier; empty for other strategies."""
        return []

    def stored_rows(self) -> list[Rows]:
        """Return the rows that committees store."""
        return [rows for column in self.committees() for rows in column.support]

    def answers(self) -> Answers:
        """Return the object that predicts by the weights of the averaging strategy."""
        from rosenblatt.training.column_decisions import Decider  # not needed for two classes

        return Decider(self.returned_weights, self.offset, self.mean)

    def error(self, batch: Any) -> float:
        """Return the fraction of misclassified rows, not counting rows with weight 0.

        For tables of labels, return the fraction of wrong labels.
        """
        error: float = batch.error(self.answers(), self.tie)
        return error
