"""Learning from many examples at once, with the same bits as one by one; a service learns this way.

Rows here are those of the learner itself: feature j of a row is feature j of its weights, and named
features are numbered in the order in which they appeared.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.compiling import machine_code
from rosenblatt.arithmetic.dicts import addresses, reader
from rosenblatt.arithmetic.examples import (
    Batch,
    Dense,
    Rows,
    Sparse,
    as_rows,
    check_finite,
    n_features,
    n_rows,
)
from rosenblatt.arithmetic.next_row import Given
from rosenblatt.engine.one_by_one import NOT_LEARNED, RIGHT, WRONG, walk_one_by_one
from rosenblatt.errors import BadInput
from rosenblatt.learning.column_trainer import learn
from rosenblatt.learning.online.exclusive_calls import exclusive
from rosenblatt.learning.online.one_example import Slots, TwoClasses, by_name, frozen, in_numbers
from rosenblatt.learning.overflow_errors import overflow

FIRST_ROOM = 64  # features that a learner of named features makes room for at first

_ONE_LOOK = Given(0, 1)
_NO_IMPORTANCE = np.empty(0)
_LABELS = np.empty(0, np.int8)
_OUTCOMES = np.empty(0, np.int8)


class ManyExamples:
    """Provide the methods of `Learner` that take many examples in their order."""

    _state: Any
    _slots: Slots
    _two: TwoClasses
    _named: bool | None
    _loops: dict[Any, Any]
    _tie: float
    _is_busy: bool
    kernel: Any
    multiclass: Any
    keep: str
    tie: str
    rule: Any

    if TYPE_CHECKING:  # what `Learner` has besides

        @property
        def classes(self) -> list[Any]: ...  # noqa: D102
        def _begin(self, n: int, init: Any = None) -> Any: ...
        def _expect(self, named: bool) -> None: ...
        def grow_to(self, room: int) -> None: ...  # noqa: D102

    @exclusive
    def learn_many(self, X: Iterable[Any], y: Sequence[Any]) -> NDArray[np.bool_]:
        """Learn from examples one after the other, and return which answers were mistakes.

        All examples are checked before the first is learned from, so an error leaves the learner
        unchanged.

        Parameters
        ----------
        X : iterable
            The examples, each as for `Learner.learn`.
        y : sequence
            A label for each.

        Returns
        -------
        ndarray of bool
            True for each mistake.

        Raises
        ------
        BadInput
            If an example or a label cannot be used.

        Examples
        --------
        >>> from rosenblatt import Learner
        >>> learner = Learner(classes=["ham", "spam"])
        >>> learner.learn_many(["free money", "dear friend", "free lunch"], ["spam", "ham", "spam"])
        array([ True,  True, False])
        >>> learner.predict_many(["money", "friend"])
        ['spam', 'ham']
        """
        labels = list(y)
        self.check_labels(labels)
        known = len(self._slots)
        rows = self.rows_of(X, may_grow=True)
        if len(labels) != n_rows(rows):
            self.forget_features(known)
            raise BadInput(f"y: {len(labels)} labels for {n_rows(rows)} examples; give one for each")
        outcomes = self.learn_rows(rows, labels)
        if (outcomes == NOT_LEARNED).any():
            row = int(np.argmax(outcomes == NOT_LEARNED))
            raise overflow(f" at example {row}, which was skipped, as were others like it")
        return outcomes == WRONG

    @exclusive
    def predict_many(self, X: Iterable[Any]) -> list[Any]:
        """Return `Learner.predict` of each example.

        Parameters
        ----------
        X : iterable
            The examples.

        Returns
        -------
        list
            A class for each.

        Raises
        ------
        BadInput
            If an example cannot be used.
        """
        return self.answer_rows(self.rows_of(X, may_grow=False))[0]

    @exclusive
    def decide_many(self, X: Iterable[Any]) -> NDArray[np.float64]:
        """Return `Learner.decide` of each example.

        Parameters
        ----------
        X : iterable
            The examples.

        Returns
        -------
        ndarray of shape (n_examples,) or (n_examples, n_classes)
            A value per example; with many classes, a row of values per example.

        Raises
        ------
        BadInput
            If an example cannot be used.
        """
        return self.decide_rows(self.rows_of(X, may_grow=False))

    # ------------------------------------------------------------ rows

    def rows_of(self, X: Any, may_grow: bool) -> Rows:
        """Return examples as rows of this learner.

        Parameters
        ----------
        X : array-like, sparse matrix or iterable
            The examples.
        may_grow : bool
            Whether names that are new get numbers. Otherwise they are left out, since their weights are 0
            (with a kernel they count, so they always get numbers).

        Returns
        -------
        Dense or Sparse
            The rows.

        Raises
        ------
        BadInput
            If an example cannot be used.
        """
        if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
            return self._numbered(X)
        examples = list(X)
        named = list(map(by_name, examples))
        if not any(x is not None for x in named):
            return self._numbered(examples)
        if any(x is None for x in named):
            raise BadInput("x: some examples have names and some have numbers; choose one of them")
        self._expect(named=True)
        grows = may_grow or self.kernel is not None
        return self.named_rows(*(alike(named) or flattened(named)), grows)

    def named_rows(
        self, names: list[str], lengths: Sequence[int], values: NDArray[np.float64], grows: bool
    ) -> Sparse:
        """Return rows of named features.

        Parameters
        ----------
        names : list of str
            The names of all rows in one list, or the names of one row, which are those of all.
        lengths : sequence of int
            The number of features of each row.
        values : ndarray of float64
            The values of all rows in one array.
        grows : bool
            Whether names that are new get numbers.

        Returns
        -------
        Sparse
            The rows.
        """
        starts = np.zeros(len(lengths) + 1, np.uint32)
        np.cumsum(lengths, out=starts[1:])
        numbers = map(self._slots.__getitem__, names) if grows else map(self._slots.get, names, repeat(-1))
        found = np.fromiter(numbers, np.int64, len(names))
        if len(names) != len(values):
            found = np.tile(found, len(lengths))
        if not grows:
            is_known = found >= 0
            if not is_known.all():
                kept = np.concatenate([[0], np.cumsum(is_known)])
                starts = kept[starts].astype(np.uint32)
                found, values = found[is_known], values[is_known]
        indices = found.astype(np.uint32)
        if self.kernel is not None:  # kernels walk two rows in step: features must rise
            order = np.lexsort((indices, np.repeat(np.arange(len(lengths)), lengths)))
            values, indices = values[order], indices[order]
        return Sparse(frozen(values), frozen(indices), frozen(starts), max(1, len(self._slots)))

    def _numbered(self, X: Any) -> Rows:
        try:
            rows = as_rows(X)
        except (TypeError, ValueError) as problem:
            raise BadInput(str(problem).replace("X: ", "x: ", 1)) from problem
        check_finite(rows, None)
        self._expect(named=False)
        expected = None if self._state is None else self._state.n_features
        if expected not in (None, n_features(rows)):
            raise BadInput(
                f"x: {n_features(rows)} features, this Learner has {expected}; "
                "give the same features in the same order each time"
            )
        return rows

    def expect_features(self, names: Iterable[str]) -> None:
        """Assign numbers to these feature names in their order.

        Parameters
        ----------
        names : iterable of str
            The names.

        Raises
        ------
        BadInput
            If features had no names before.
        """
        self._expect(named=True)
        for name in names:
            self._slots[name]

    @property
    def feature_names(self) -> list[str]:
        """Names of the named features, in the order in which they appeared."""
        return list(self._slots)

    @property
    def n_named(self) -> int:
        """Number of named features."""
        return len(self._slots)

    def forget_features(self, n: int) -> None:
        """Drop the numbers of all named features but the first `n`, which are those learned from.

        Parameters
        ----------
        n : int
            The number of features to keep.
        """
        for name in list(self._slots)[n:]:
            del self._slots[name]

    # ------------------------------------------------------------ labels

    def check_labels(self, labels: Iterable[Any]) -> None:
        """Raise the error that `Learner.learn` would raise for a label.

        Parameters
        ----------
        labels : iterable
            The labels.

        Raises
        ------
        BadInput
            If a label is not one of the classes.
        """
        if self.multiclass:
            from rosenblatt.data.labels import check_labels, one_label

            for label in set(map(one_label, labels)) - set(self.classes):
                check_labels(np.array([label]), 1)
            return
        trial = copy.copy(self._two)
        for label in labels:
            _sign(trial, label)

    # ------------------------------------------------------------ learning

    def learn_rows(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        """Learn from rows whose labels have been checked.

        Parameters
        ----------
        rows : Dense or Sparse
            The rows, from `rows_of`.
        labels : sequence
            A label for each.

        Returns
        -------
        ndarray of int8
            RIGHT, WRONG or NOT_LEARNED for each row (see `engine.one_by_one`).
        """
        is_named = isinstance(rows, Sparse) and bool(self._named)
        if self._state is None and not is_named:
            self._expect(named=False)
            self._state = self._begin(n_features(rows))
        if not self._learns_in_one_call():
            learned = (self._learn_row(rows, i, label) for i, label in enumerate(labels))
            return np.fromiter(learned, np.int8, len(labels))
        sign_of = {label: _sign(self._two, label) for label in dict.fromkeys(labels)}
        signs = np.fromiter(map(sign_of.__getitem__, labels), np.int8, len(labels))
        if is_named:
            assert isinstance(rows, Sparse)
            self._make_room_for(rows)
        if isinstance(rows, Sparse):
            rows = rows._replace(n_features=self._state.n_features)
        (column,), outcomes = self._state.columns, np.empty(len(labels), np.int8)
        column.memory = self._loop_over(rows)(
            rows, signs, _NO_IMPORTANCE, column.offset, self._tie, column.rule, column.memory,
            column.keeper, column.weights, column.tally, outcomes,
        )  # fmt: skip
        return outcomes

    def _learns_in_one_call(self) -> bool:
        """Return whether one compiled call can learn all rows.

        It cannot for the pocket, which counts errors on all rows at hand, for committees, which store
        rows, and for many columns.
        """
        return (
            self.multiclass is None
            and self.kernel is None
            and self.keep in ("last", "averaged")
            and rules.is_packaged(self.rule)
        )

    def _loop_over(self, rows: Rows) -> Any:
        kind = ("many", type(rows), rows.values.dtype)
        if isinstance(rows, Sparse):
            kind += (rows.indices.dtype,)  # type: ignore[assignment]
        if kind not in self._loops:
            (column,) = self._state.columns
            self._loops[kind] = machine_code(
                walk_one_by_one,
                (rows, _LABELS, _NO_IMPORTANCE, column.offset, self._tie, column.rule, column.memory,
                 column.keeper, column.weights, column.tally, _OUTCOMES),
            )  # fmt: skip
        return self._loops[kind]

    def _make_room_for(self, rows: Sparse) -> None:
        """Allocate as many weights as learning the rows one at a time would."""
        room = 0 if self._state is None else self._state.n_features
        if int(rows.indices.max(initial=0)) < room:
            return
        last = np.maximum.accumulate(rows.indices) if rows.indices.size else np.zeros(1, np.uint32)
        for end in rows.starts[1:].tolist():
            needed = max(FIRST_ROOM, int(last[end - 1]) + 1 if end else 0)
            if needed > room:
                room = needed if not room else max(needed, 2 * room)
        self.grow_to(room)

    def _learn_row(self, rows: Rows, i: int, label: Any) -> int:
        if isinstance(rows, Sparse):
            entries = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
            values, indices = rows.values[entries], rows.indices[entries]
            starts = frozen(np.array([0, len(values)], np.uint32))
            one = Sparse(frozen(values), frozen(indices), starts, rows.n_features)
            if self._named:
                self._make_room_for(one)
            row: Rows = one._replace(n_features=self._state.n_features)
        else:
            row = Dense(rows.values[i : i + 1])
        try:
            if self.multiclass:
                return WRONG if self._state.learn(row, label) else RIGHT
            sign = _sign(self._two, label)
            if self.kernel is not None:
                return WRONG if self._state.learn(row, sign) else RIGHT
            return WRONG if self._learn_as_committee(row, np.array([sign], np.int8)) else RIGHT
        except BadInput:  # all else has been checked: its sum cannot be made
            return NOT_LEARNED

    def _learn_as_committee(self, row: Rows, label: NDArray[np.int8]) -> bool:
        before = self._state.mistakes
        learn(self._state, Batch(row, label, _NO_IMPORTANCE), _ONE_LOOK)
        return bool(self._state.mistakes != before)

    # ------------------------------------------------------------ deciding

    def decide_rows(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row by the returned weights.

        Parameters
        ----------
        rows : Dense or Sparse
            The rows, from `rows_of`.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            A value per example; with many classes, a row of values per example.
        """
        if self._state is None:
            n_columns = (len(self.classes),) if self.multiclass else ()
            return np.zeros((n_rows(rows), *n_columns))
        rows = self._to_decide(rows)
        if self.multiclass:
            return self._many_decided(rows)[1]
        if self.kernel is not None:
            from rosenblatt.learning.dual.dual_decisions import decision_values  # a linear one has none

            dual, keep = self._state.dual.deciding(self.keep)
            return decision_values(dual, rows, keep)[:, 0]
        return np.asarray(self._state.values(rows))

    def answer_rows(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        """Return the class and the decision value of each row.

        Parameters
        ----------
        rows : Dense or Sparse
            The rows, from `rows_of`.

        Returns
        -------
        tuple of (list, ndarray)
            The classes, and the values as from `decide_rows`.
        """
        classes = self.classes
        if self.multiclass and self._state is not None and classes:
            best, values = self._many_decided(self._to_decide(rows))
            return [classes[k] for k in best.tolist()], values
        values = self.decide_rows(rows)
        if self.multiclass:
            return [next(iter(classes), None)] * len(values), values
        chosen = values >= 0.0 if self.tie == "positive" else values > 0.0
        return [classes[is_positive] for is_positive in chosen.tolist()], values

    def _to_decide(self, rows: Rows) -> Rows:
        if isinstance(rows, Dense):
            return rows
        if self.kernel is not None and self._named:
            self.grow_to(max(self._state.n_features, rows.n_features))
        return rows._replace(n_features=self._state.n_features)

    def _many_decided(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        columns = self._state.columns
        if columns is None:  # classes that were announced, of which none has come
            return np.zeros(n_rows(rows), np.int64), np.zeros((n_rows(rows), len(self.classes)))
        answers, own = columns.answers_about(rows, True)
        return answers.best(own), answers.values(own)


def alike(named: Sequence[Any]) -> tuple[list[str], list[int], NDArray[np.float64]] | None:
    """Return `flattened` of dicts that share the names of the first in its order, with these names once.

    Return None if one has other names, or a value that is not a finite number.

    Examples
    --------
    >>> alike([{"a": 1, "b": True}, {"a": 2, "b": 0.5}]), alike([{"a": 1}, {"b": 1}])
    ((['a', 'b'], [2, 2], array([1. , 1. , 2. , 0.5])), None)
    """
    if {(type(x), len(x)) for x in named} != {(dict, len(named[0]))}:
        return None
    names, read = list(named[0]), reader()
    matrix, at = np.empty((len(named), len(names))), addresses(names)
    if not all(read(x, at, values) for x, values in zip(named, matrix, strict=True)):
        return None
    return (names, [len(names)] * len(named), matrix.ravel()) if np.isfinite(matrix).all() else None


def flattened(named: Iterable[Any]) -> tuple[list[str], list[int], NDArray[np.float64]]:
    """Return the names of all features in one list, the number per example, and their values.

    Examples
    --------
    >>> flattened([{"a": 1, "b": True}, {"city": "Rome"}])
    (['a', 'b', 'city=Rome'], [2, 1], array([1., 1., 1.]))
    """
    examples = list(named)
    try:
        values = array("d", chain.from_iterable(x.values() for x in examples))
    except (TypeError, OverflowError):
        examples = list(map(in_numbers, examples))
        values = array("d", chain.from_iterable(x.values() for x in examples))
    names, lengths = list(chain.from_iterable(examples)), list(map(len, examples))
    numbers = np.frombuffer(values) if values else np.empty(0)
    if not (finite := np.isfinite(numbers)).all():
        place = int(np.argmin(finite))
        raise BadInput(f"x: feature {names[place]!r} is {numbers[place]}; give finite numbers")
    return names, lengths, numbers


def _sign(two: TwoClasses, label: Any) -> int:
    try:
        return int(two.signs[label][0])
    except (KeyError, TypeError):
        return int(two.sign_of(label)[0])
