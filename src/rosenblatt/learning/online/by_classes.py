"""One example at a time of many classes, which may appear at any time: what `Learner` asks of its state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Dense, Rows, Sparse, check_finite, n_features
from rosenblatt.data.labels import checked
from rosenblatt.engine.column_targets import Classes
from rosenblatt.errors import BadInput
from rosenblatt.learning.column_decisions import Decider
from rosenblatt.learning.columns import Columns, ManyBatch
from rosenblatt.learning.many import Many, begin_many, check_multiclass, end_pass, learn_rows, widen_many

_NO_IMPORTANCE, _NO_BALANCE = np.empty(0), np.empty((0, 2))


class ClassesState:
    """A column for each class seen or announced, in that order, with room for so many features."""

    is_committee = False

    def __init__(
        self, n: int, classes: Any, multiclass: str, sharing: str, rule: Any, keep: str, offset: bool,
        tie: str, init: Any,
    ) -> None:  # fmt: skip
        check_multiclass(multiclass)
        self.n_features, self.offset = n, 1.0 if offset else 0.0
        self._numbers: dict[Any, int] = {}
        for label in classes if classes is not None else ():
            self._numbers.setdefault(_plain(label), len(self._numbers))
        shares = sharing if multiclass == "ultraconservative" else None
        self._settings = (rule, keep, offset, tie, init, "given", shares)
        # begun now with the classes announced, so that it complains here, not at the first example
        some = begin_many(max(1, len(self._numbers)), Dense(np.empty((1, n))), *self._settings)
        self._many: Many | None = some if self._numbers else None

    @property
    def classes(self) -> list[Any]:
        return list(self._numbers)

    @property
    def mistakes(self) -> int:
        return self._many.mistakes if self._many else 0

    @property
    def false_positives(self) -> int | None:
        return self._many.false_positives if self._many else 0

    @property
    def false_negatives(self) -> int | None:
        return self._many.false_negatives if self._many else 0

    @property
    def updates(self) -> int:
        return self._many.updates if self._many else 0

    @property
    def examples_seen(self) -> int:
        return self._many.examples_seen if self._many else 0

    @property
    def exact_decisions(self) -> int:
        return self._many.exact_decisions if self._many else 0

    def current(self) -> NDArray[np.float64]:
        """(w, b) of each class as they are now, one in each row."""
        return self._many.current() if self._many else np.empty((0, self.n_features + 1))

    def widen(self, n: int) -> None:
        """Make room for features that were not there before; their weights are 0."""
        self.n_features = n
        if self._many is not None:
            widen_many(self._many, n)

    def learn(self, rows: Rows, label: Any) -> bool:
        """One look; True if a column was wrong about the example."""
        label = _plain(label)
        check_finite(rows, None)
        is_new = label not in self._numbers
        if is_new:
            checked(np.array([label]), 1)
        n_classes = len(self._numbers) + is_new
        if self._many is None:
            self._many = begin_many(n_classes, rows, *self._settings)
        elif n_classes > self._many.n_columns:
            self._many.add_columns(n_classes - self._many.n_columns)
        if is_new:  # only now that nothing was refused
            self._numbers[label] = len(self._numbers)
        before = self._many.mistakes
        number = Classes(np.array([self._numbers[label]]))
        batch = ManyBatch(rows, number, _NO_IMPORTANCE, _NO_BALANCE)
        learn_rows(self._many, batch, "given", 0, 1, ratchet=False)
        end_pass(self._many)
        return self._many.mistakes != before

    def answer(self, rows: Rows, kept: bool) -> Any:
        """The class of the largest score, the first of equals; None before there is one."""
        if self._many is None:
            return next(iter(self._numbers), None)
        if not isinstance(self._many, Columns):
            best = int(self._many.values(rows, kept)[0].argmax())
        else:
            decider, row = self._decider(rows, kept)
            best = int(decider.best(row)[0])
        return self.classes[best]

    def values(self, rows: Rows) -> dict[Any, float]:
        """The score of each class by what is kept."""
        if self._many is None:
            return dict.fromkeys(self._numbers, 0.0)
        if not isinstance(self._many, Columns):
            scores = self._many.values(rows, True)[0]
        else:
            decider, row = self._decider(rows, True)
            scores = decider.values(row)[0]
        return dict(zip(self._numbers, scores.tolist(), strict=False))

    def _decider(self, rows: Rows, kept: bool) -> tuple[Decider, Rows]:
        """What decides about one row, by the weights of its features alone: there may be millions more."""
        assert isinstance(self._many, Columns)
        at, row = None, rows
        if isinstance(rows, Sparse):
            entries = slice(int(rows.starts[0]), int(rows.starts[1]))
            at = np.append(rows.indices[entries].astype(np.int64), n_features(rows))
            row = Dense(rows.values[entries].reshape(1, -1).astype(np.float64))
        many = self._many
        if kept:
            return Decider(lambda: many.kept(at), self.offset, lambda: many.mean(at)), row
        return Decider(lambda: many.current(at), self.offset), row


def _plain(label: Any) -> Any:
    """A label as a key: numpy's numbers and strings are those of Python."""
    if isinstance(label, np.generic):
        label = label.item()
    try:
        hash(label)
    except TypeError as error:
        raise BadInput(f"y: got {label!r}, expected a class: a string, a number, …") from error
    if label is None or label != label:
        raise BadInput(f"y: got {label!r}, expected a class; do not learn from rows without one")
    return label
