"""Online learning in the feature space of a kernel: the state of a `Learner`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, kernels
from rosenblatt.arithmetic.examples import Rows, check_finite
from rosenblatt.engine.column_targets import Classes
from rosenblatt.errors import BadInput
from rosenblatt.learning.dual.dual_decisions import check_keep, decision_values
from rosenblatt.learning.dual.dual_state import DualState, dual_rule
from rosenblatt.learning.dual.limited_support import check_budget
from rosenblatt.learning.many_batch import ManyBatch

_ONE_ROW = np.zeros(1, np.int64)


class KernelState:
    """Hold a learner of one column in dual form."""

    is_committee = False

    def __init__(
        self, n_features: int, kernel: Any, rule: Any, keep: str, offset: bool, tie: str, budget: Any
    ) -> None:
        check_keep(keep)
        if keep == "random":
            raise BadInput(
                "keep: 'random' draws one vector of a finished run, and the run of a Learner never ends; "
                "use KernelPerceptron, or keep='averaged'"
            )
        kernel = kernels.as_kernel(kernel)
        self.n_features, self.keep = n_features, keep
        if budget is not None:
            budget = budgets.as_budget(budget)
            check_budget(budget, dual_rule(rule), keep)
        self._dual = DualState(kernel, rule, offset, tie, 1, budget=budget)

    @property
    def dual(self) -> DualState:
        """Dual state."""
        return self._dual

    def resume(self, dual: DualState, n_features: int) -> None:
        """Continue with this sum over support rows."""
        self._dual, self.n_features = dual, n_features

    @property
    def mistakes(self) -> int:
        """Number of mistakes."""
        return self._dual.mistakes

    @property
    def false_positives(self) -> int:
        """Number of mistakes on negative examples."""
        return self._dual.false_positives

    @property
    def false_negatives(self) -> int:
        """Number of mistakes on positive examples."""
        return self._dual.false_negatives

    @property
    def updates(self) -> int:
        """Number of updates."""
        return self._dual.updates

    @property
    def examples_seen(self) -> int:
        """Number of examples learned from."""
        return self._dual.examples_seen

    @property
    def exact_decisions(self) -> int:
        """Number of scores too near 0 for the fast sum, decided by the plain loop."""
        return self._dual.exact_decisions

    @property
    def n_support(self) -> int:
        """Number of support rows."""
        return self._dual.n_support

    def current(self) -> NDArray[np.float64]:
        """Raise an error, since there is no weight vector."""
        raise AttributeError(
            "a Learner with a kernel has no weight vector: its w is a sum over support rows; use answer, "
            "decide or predict"
        )

    def held(self) -> list[Rows]:
        """Return the stored rows of examples: the support."""
        return self._dual.held()

    def widen(self, n_features: int) -> None:
        """Prepare for rows of more features."""
        self.n_features = n_features
        self._dual.widen(n_features)

    def learn(self, rows: Rows, label: int) -> bool:
        """Learn from one example, and return whether the answer was a mistake."""
        check_finite(rows, None)
        before = self._dual.mistakes
        lesson = self._dual.lesson(ManyBatch(rows, Classes(np.array([1 if label > 0 else 0]))))
        with np.errstate(over="ignore", invalid="ignore"):  # a score that is not finite is found in doubt
            lesson.learn(_ONE_ROW)
            lesson.write_down()
        return self._dual.mistakes != before

    def value(self, rows: Rows, keep: str) -> float:
        """Return the decision value by an averaging strategy."""
        check_finite(rows, None)
        state, keep = self._dual.deciding(keep)
        return float(decision_values(state, rows, keep)[0, 0])
