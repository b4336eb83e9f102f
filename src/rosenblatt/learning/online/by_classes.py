"""Online learning of many classes, which may appear at any time: the state of a `Learner`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Dense, Rows, check_finite
from rosenblatt.data.labels import check_labels, one_label
from rosenblatt.engine.column_targets import Classes
from rosenblatt.learning.initial_states import Recipe, begin_columns
from rosenblatt.learning.linear_state import LinearState
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.learning.run import Plan, learn_once
from rosenblatt.learning.settings import LEARNER, settings_of

ONE_LOOK = Plan(epochs=1, order="given", has_all_rows=False)


class ClassesState:
    """Hold a column for each class seen or announced, in that order."""

    is_committee = False

    def __init__(self, n: int, classes: Any, multiclass: str, sharing: str, recipe: Recipe) -> None:
        settings_of(LEARNER)["multiclass"].refuse(multiclass)
        self.n_features, self.offset = n, 1.0 if recipe.offset else 0.0
        self._numbers: dict[Any, int] = {}
        for label in classes if classes is not None else ():
            self._numbers.setdefault(one_label(label), len(self._numbers))
        self._recipe = recipe
        self._sharing = sharing if multiclass == "ultraconservative" else None
        # begun now with the classes announced, so that it complains here, not at the first example
        some = self._begin(Dense(np.empty((1, n))), max(1, len(self._numbers)))
        self._many: LinearState | None = some if self._numbers else None

    def _begin(self, rows: Rows, n_classes: int) -> LinearState:
        return begin_columns(self._recipe, rows, n_classes, "given", self._sharing)

    def resume(self, labels: list[Any], columns: LinearState | None, n_features: int, init: Any) -> None:
        """Continue with the columns of these classes; `init` has the initial weights of later classes."""
        self._recipe = self._recipe._replace(init=init)
        self._numbers = {label: number for number, label in enumerate(labels)}
        self._many, self.n_features = columns, n_features

    @property
    def columns(self) -> LinearState | None:
        """The columns of the classes; a class whose first example was refused has none yet."""
        return self._many

    @property
    def classes(self) -> list[Any]:
        """Classes in the order of their appearance."""
        return list(self._numbers)

    @property
    def mistakes(self) -> int:
        """Number of mistakes."""
        return self._many.mistakes if self._many else 0

    @property
    def false_positives(self) -> int:
        """Number of false positives, summed over the classes."""
        return self._many.false_positives if self._many else 0

    @property
    def false_negatives(self) -> int:
        """Number of false negatives, summed over the classes."""
        return self._many.false_negatives if self._many else 0

    @property
    def updates(self) -> int:
        """Number of updates."""
        return self._many.updates if self._many else 0

    @property
    def examples_seen(self) -> int:
        """Number of examples learned from."""
        return self._many.examples_seen if self._many else 0

    @property
    def exact_decisions(self) -> int:
        """Number of scores too near 0 for floating point, decided by exact arithmetic."""
        return self._many.exact_decisions if self._many else 0

    def current(self) -> NDArray[np.float64]:
        """Return the present (w, b) of each class, one in each row."""
        return self._many.current() if self._many else np.empty((0, self.n_features + 1))

    def held(self) -> list[Rows]:
        """Return the stored rows of examples: those of committees."""
        return self._many.held() if self._many else []

    def widen(self, n: int) -> None:
        """Add features whose weights are 0."""
        self.n_features = n
        if self._many is not None:
            self._many.widen(n)

    def learn(self, rows: Rows, label: Any) -> bool:
        """Learn from one example, and return whether a column misclassified it."""
        label = one_label(label)
        check_finite(rows, None)
        is_new = label not in self._numbers
        if is_new:
            check_labels(np.array([label]), 1)
        n_classes = len(self._numbers) + is_new
        if self._many is None:
            self._many = self._begin(rows, n_classes)
        elif n_classes > self._many.n_columns:
            self._many.add_columns(n_classes - self._many.n_columns)
        if is_new:  # only now that nothing was refused
            self._numbers[label] = len(self._numbers)
        before = self._many.mistakes
        number = Classes(np.array([self._numbers[label]]))
        learn_once(self._many, ManyBatch(rows, number), ONE_LOOK)
        return self._many.mistakes != before

    def answer(self, rows: Rows, kept: bool) -> Any:
        """Return the class of the largest score, the first of equals; None before there is one."""
        if self._many is None:
            return next(iter(self._numbers), None)
        answers, row = self._many.answers_about(rows, kept)
        return self.classes[int(answers.best(row)[0])]

    def values(self, rows: Rows) -> dict[Any, float]:
        """Return the score of each class by the returned weights."""
        if self._many is None:
            return dict.fromkeys(self._numbers, 0.0)
        answers, row = self._many.answers_about(rows, True)
        return dict(zip(self._numbers, answers.values(row)[0].tolist(), strict=False))
