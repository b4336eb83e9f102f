"""Learning from rows as they arrive, with any kind of state; used by `Learner` and by the service.

Feature j of a row is feature j of the weights, and named features are numbered in order of appearance.
Learning many rows in one call gives the same weights, bit for bit, as learning them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.data.labels import check_labels, one_label
from rosenblatt.errors import BadInput
from rosenblatt.loops.column_targets import Classes
from rosenblatt.loops.one_by_one import NOT_LEARNED, RIGHT, WRONG, walk_one_by_one
from rosenblatt.numeric.compiling import machine_code
from rosenblatt.numeric.next_row import Given
from rosenblatt.numeric.row_batches import (
    Batch,
    Dense,
    Rows,
    Sparse,
    check_finite,
    n_features,
    n_rows,
    read_only,
    tie_label,
)
from rosenblatt.training.initial_states import Recipe, begin, begin_columns
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.online.class_labels import LABELS, TwoClasses
from rosenblatt.training.online.feature_index import FeatureIndex
from rosenblatt.training.run import Answers, Plan, learn_all, learn_once
from rosenblatt.training.scoring import second_of_two
from rosenblatt.training.separate_columns import Column

FIRST_ROOM = 64  # features that a learner with named features allocates at first

ONE_LOOK = Given(0, 1)
ONE_PASS = Plan(epochs=1, order="given", has_all_rows=False)
NO_IMPORTANCE = np.empty(0)
_LABELS = np.empty(0, np.int8)
_OUTCOMES = np.empty(0, np.int8)


class OnlineTrainer:
    """Train a state of two classes, of many classes, or in dual form; hold its classes and features.

    The state of many classes has one classifier per class in order of appearance, and is None before the
    first class. `n_features`, the number of features with weights, is None before the first example.
    """

    def __init__(
        self, recipe: Recipe, kernel: Any, budget: Any, multiclass: Any, sharing: Any, announced: Any
    ) -> None:
        self.rule, self.keep, self.offset, self.tie, self.init = recipe
        self.kernel, self.budget = kernel, budget
        self.multiclass, self.sharing = multiclass, sharing
        self.two = TwoClasses(None if multiclass else announced)
        self._numbers: dict[Any, int] = {}  # number of each class, with `multiclass`
        for label in announced if multiclass and announced else ():
            self._numbers.setdefault(one_label(label), len(self._numbers))
        self.features = FeatureIndex(must_rise=kernel is not None)
        self.state: Any = None
        self.n_features: int | None = None
        self.tie_value = tie_label(self.tie)
        self.loops: dict[Any, Any] = {}  # machine code by the kind of row

    @property
    def classes(self) -> list[Any]:
        """Return the classes: the negative and the positive one, or many in order of appearance."""
        return list(self._numbers) if self.multiclass else list(self.two.pair or LABELS)

    def resume(self, state: Any, n_features: int | None, classes: Iterable[Any]) -> None:
        """Continue with a state; for many classes, `classes` lists the class of each classifier."""
        self.state, self.n_features = state, n_features
        if self.multiclass and n_features is not None:
            self._numbers = {label: number for number, label in enumerate(classes)}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "loops": {}}  # machine code, which each process looks up again

    # ------------------------------------------------------------ initial state and features

    def begin(self, n: int, init: Any = None) -> Any:
        """Return the initial state for n features; None for many classes if none has been announced."""
        recipe = Recipe(self.rule, self.keep, self.offset, self.tie, self.init if init is None else init)
        if self.kernel is not None:
            return self._begin_dual()
        if self.multiclass is None:
            return begin(n, *recipe)
        # create the announced classes now, so that errors are raised here, not at the first example
        some = self._begin_columns(recipe, Dense(np.empty((1, n))), max(1, len(self._numbers)))
        return some if self._numbers else None

    def _begin_dual(self) -> Any:
        from rosenblatt import budgets, kernels  # not needed for linear learners
        from rosenblatt.training.dual.dual_decisions import check_keep
        from rosenblatt.training.dual.dual_state import DualState, dual_rule
        from rosenblatt.training.dual.limited_support import check_budget

        check_keep(self.keep)
        if self.keep == "random":
            raise BadInput(
                "keep: 'random' draws one vector of a finished run, and the run of a Learner never ends; "
                "use KernelPerceptron, or keep='averaged'"
            )
        kernel = kernels.as_kernel(self.kernel)
        budget = None if self.budget is None else budgets.as_budget(self.budget)
        if budget is not None:
            check_budget(budget, dual_rule(self.rule), self.keep)
        return DualState(kernel, self.rule, self.offset, self.tie, 1, budget=budget)

    def _begin_columns(self, recipe: Recipe, rows: Rows, n_classes: int) -> Any:
        sharing = self.sharing if self.multiclass == "ultraconservative" else None
        return begin_columns(recipe, rows, n_classes, "given", sharing)

    def start(self, n: int) -> None:
        """Create the initial state for n features."""
        self.state, self.n_features = self.begin(n), n

    def expect_width(self, rows: Rows) -> None:
        """Raise an error if the number of (unnamed) features differs from that of earlier rows."""
        if self.n_features not in (None, n_features(rows)):
            raise BadInput(
                f"x: {n_features(rows)} features, this Learner has {self.n_features}; "
                "give the same features in the same order each time"
            )

    def rows_of(self, X: Any, may_grow: bool) -> Rows:
        """Return examples as rows; with `may_grow`, new names get numbers (`FeatureIndex.read_many`)."""
        rows = self.features.read_many(X, may_grow)
        if not self.features.are_named:
            self.expect_width(rows)
        return rows

    def grow_to(self, n: int) -> None:
        """Widen the weights to at least n features; raise an error if new weights would not start at 0."""
        if self.n_features is None:
            if not (isinstance(self.init, str) and self.init == "zeros"):
                raise BadInput(
                    "init: named features may appear at any time, so their weights start at zero"
                )
            self.start(n)
        elif n > self.n_features:
            if self.state is not None:
                self.state.widen(n)
            self.n_features = n

    def make_room(self) -> None:
        """Allocate weights for all named features, at least twice as many as before."""
        self.grow_to(_room_for(self.n_features or 0, len(self.features)))

    def _make_room_for(self, rows: Sparse) -> None:
        """Allocate as many weights as learning the rows one at a time would allocate."""
        room = self.n_features or 0
        if int(rows.indices.max(initial=0)) < room:
            return
        last = np.maximum.accumulate(rows.indices) if rows.indices.size else np.zeros(1, np.uint32)
        for end in rows.starts[1:].tolist():
            room = _room_for(room, int(last[end - 1]) + 1 if end else 0)
        self.grow_to(room)

    def _with_all_features(self, rows: Sparse) -> Sparse:
        """Set the number of columns of the sparse rows to the number of weights."""
        assert self.n_features is not None
        return rows._replace(n_features=self.n_features)

    # ------------------------------------------------------------ learning

    def check_labels(self, labels: Iterable[Any]) -> None:
        """Raise the error that `Learner.learn` would raise for the first invalid label."""
        if self.multiclass:
            for label in set(map(one_label, labels)) - self._numbers.keys():
                check_labels(np.array([label]), 1)
            return
        trial = copy(self.two)
        for label in labels:
            trial.sign(label)

    def learn_rows(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        """Learn from rows whose labels have been checked.

        Return RIGHT, WRONG or NOT_LEARNED for each row (see `loops.one_by_one`).
        """
        is_named = isinstance(rows, Sparse) and bool(self.features.are_named)
        if self.n_features is None and not is_named:
            self.features.expect(named=False)
            self.start(n_features(rows))
        if not self._learns_in_one_call():
            learned = (self._learn_row_of(rows, i, label) for i, label in enumerate(labels))
            return np.fromiter(learned, np.int8, len(labels))
        sign_of = {label: int(self.two.sign(label)[0]) for label in dict.fromkeys(labels)}
        signs = np.fromiter(map(sign_of.__getitem__, labels), np.int8, len(labels))
        if is_named:
            assert isinstance(rows, Sparse)
            self._make_room_for(rows)
        if isinstance(rows, Sparse):
            rows = self._with_all_features(rows)
        (column,), outcomes = self.state.columns, np.empty(len(labels), np.int8)
        loop = self.loop_over(rows, walk_one_by_one, (_LABELS, NO_IMPORTANCE), (_OUTCOMES,))
        column.memory = loop(rows, signs, NO_IMPORTANCE, *self._own(column), outcomes)
        return outcomes

    def _learns_in_one_call(self) -> bool:
        """Return whether one compiled call can learn all rows.

        This is impossible for the pocket (it counts errors on all rows), for committees (they store rows),
        and for more than one classifier.
        """
        return (
            self.multiclass is None
            and self.kernel is None
            and self.keep in ("last", "averaged")
            and rules.is_packaged(self.rule)
        )

    def loop_over(self, rows: Rows, loop: Any, first: tuple[Any, ...], last: tuple[Any, ...] = ()) -> Any:
        """Return the machine code of a loop for rows of this layout.

        After the rows, the loop takes the arguments `first`, the arguments from `_own`, and `last`.
        """
        kind = loop, type(rows), rows.values.dtype, rows[1].dtype if isinstance(rows, Sparse) else None
        if kind not in self.loops:
            (column,) = self.state.columns
            self.loops[kind] = machine_code(loop, (rows, *first, *self._own(column), *last))
        return self.loops[kind]

    def _own(self, column: Column) -> tuple[Any, ...]:
        """Return the arguments of a loop that come from the classifier."""
        return (
            column.offset, self.tie_value, column.rule, column.memory, column.keeper, column.weights,
            column.tally,
        )  # fmt: skip

    def _learn_row_of(self, rows: Rows, i: int, label: Any) -> int:
        if isinstance(rows, Sparse):
            entries = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
            values, indices = rows.values[entries], rows.indices[entries]
            starts = read_only(np.array([0, len(values)], np.uint32))
            one = Sparse(read_only(values), read_only(indices), starts, rows.n_features)
            if self.features.are_named:
                self._make_room_for(one)
            row: Rows = self._with_all_features(one)
        else:
            row = Dense(rows.values[i : i + 1])
        try:
            return WRONG if self.learn_row(row, label) else RIGHT
        except BadInput:  # everything else has been checked: the sum of the row cannot be computed
            return NOT_LEARNED

    def learn_row(self, row: Rows, label: Any) -> bool:
        """Learn from one row; return whether a classifier made a mistake."""
        before = self.state.mistakes if self.state is not None else 0
        if self.multiclass:
            self._learn_class(row, label)
        else:
            sign = self.two.sign(label)
            batch: Batch | ManyBatch = Batch(row, sign, NO_IMPORTANCE)
            if self.kernel is not None:
                check_finite(row, None)
                batch = ManyBatch(row, Classes((sign > 0).astype(np.int64)))
            learn_all(self.state.on(batch, ONE_PASS), "given")
        return bool(self.state.mistakes != before)

    def _learn_class(self, row: Rows, label: Any) -> None:
        label = one_label(label)
        check_finite(row, None)
        is_new = label not in self._numbers
        if is_new:
            check_labels(np.array([label]), 1)
        n_classes = len(self._numbers) + is_new
        if self.state is None:
            recipe = Recipe(self.rule, self.keep, self.offset, self.tie, self.init)
            self.state = self._begin_columns(recipe, row, n_classes)
        elif n_classes > self.state.n_columns:
            self.state.add_columns(n_classes - self.state.n_columns)
        if is_new:  # only now, since no error can follow
            self._numbers[label] = len(self._numbers)
        learn_once(self.state, ManyBatch(row, Classes(np.array([self._numbers[label]]))), ONE_PASS)

    # ------------------------------------------------------------ deciding

    def answer_rows(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        """Return the predicted class and the decision value of each row."""
        best, values = self._decide(rows)
        classes = self.classes or [None]
        return [classes[k] for k in best.tolist()], values

    def _decide(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the predicted class number of each row, and the decision values."""
        if isinstance(rows, Sparse) and self.n_features is not None:
            if self.kernel is not None and self.features.are_named:
                self.grow_to(rows.n_features)
            rows = self._with_all_features(rows)
        if self.state is None:
            n, columns = n_rows(rows), (len(self._numbers),) if self.multiclass else ()
            best = np.full(n, self.multiclass is None and self.tie == "positive", np.int64)
            return best, np.zeros((n, *columns))
        answers, rows = self.answers(rows, kept=True)
        values = answers.values(rows)
        return answers.best(rows) if self.multiclass else second_of_two(values, self.tie), values

    def answers(self, rows: Rows, kept: bool) -> tuple[Answers, Rows]:
        """Return an object that predicts these rows, and the rows in the form that this object needs.

        With `kept`, it uses the weights of the averaging strategy, otherwise the current weights.
        """
        if self.kernel is not None:
            check_finite(rows, None)
            return self.state.answers(self.keep if kept else "last"), rows
        return self.state.answers_about(rows, kept)


def _room_for(room: int, needed: int) -> int:
    """Return the number of features to allocate: the present one, or at least twice it if needed."""
    needed = max(FIRST_ROOM, needed)
    return room if needed <= room else max(needed, 2 * room)
