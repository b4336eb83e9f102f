"""`Learner`: challenge, answer, reveal, update. The perceptron as a game between teacher and learner."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.compiling import machine_code
from rosenblatt.arithmetic.dicts import addresses, reader
from rosenblatt.arithmetic.examples import Dense, Rows, Sparse, n_features, tie_label
from rosenblatt.arithmetic.next_row import Given
from rosenblatt.errors import BadInput, counted
from rosenblatt.learning.column_trainer import loop_of
from rosenblatt.learning.initial_states import Recipe, begin
from rosenblatt.learning.online.exclusive_calls import CODE, exclusive, wait_for
from rosenblatt.learning.online.many_examples import FIRST_ROOM, ManyExamples
from rosenblatt.learning.online.one_example import (
    LABELS,
    LearnerRecord,
    Slots,
    TwoClasses,
    announced,
    by_name,
    frozen,
    one_row,
    refuse_mixed,
)
from rosenblatt.learning.overflow_errors import trouble
from rosenblatt.learning.separate_columns import SeparateColumns
from rosenblatt.learning.settings import LEARNER, settings_of

if TYPE_CHECKING:  # a linear learner starts without kernels
    from rosenblatt.kernels import Kernel

_ONE_LOOK = Given(0, 1)
_NO_IMPORTANCE = np.empty(0)


def _counter(name: str, meaning: str) -> Any:
    """Return a property for a counter of the state, which is 0 before there is a state."""
    return property(lambda learner: getattr(learner._state, name) if learner._state else 0, doc=meaning)


class Learner(ManyExamples):
    """Learn online from one example at a time, updating as a rule prescribes.

    The teacher presents a challenge x, the learner answers sign(w·x + b), the teacher reveals the label
    y, and the learner updates. Answers are of the same kind as the labels.

    x is an array, a sparse row, a text, or a ``{name: value}`` dict whose features may appear at any
    time. A text stands for its words as `rosenblatt.data.sources.words_of` lists them, each counted as
    often as it occurs; such a list is accepted too. In a dict True is 1 and False 0, a text is the category
    "name=text", and a list of words is one feature "name=word" for each.

    Labels are −1 and +1, 0 and 1, or False and True, determined by the first label that is negative or a
    bool; any other two are named by ``classes=[negative, positive]``.

    Several threads may call one Learner: learning, answering and predicting wait for each other, so each
    example is learned once, in some order. The pair ``answer`` and ``reveal`` is for one thread; copy or
    save a Learner while no other thread calls it.

    Parameters
    ----------
    rule, keep : as in Perceptron
        See `Perceptron`.
    offset : bool or None, default=None
        Whether to learn an offset; None means yes without a kernel and no with one, as in
        `KernelPerceptron`.
    tie, init : as in Perceptron
        See `Perceptron`.
    n_features : int or None, default=None
        The number of features; None takes it from the first example.
    kernel : str, kernel object, callable or None, default=None
        A name, an object such as ``rosenblatt.kernels.Polynomial(degree=2)``, or a function of two
        matrices: learn in that kernel's feature space.
    budget : int, budget object or None, default=None
        The largest number of support rows with a kernel.
    multiclass : {"one_vs_rest", "ultraconservative"} or None, default=None
        The strategy for any number of classes, which may appear at any time (see `Perceptron`): a mistake
        is then that of any column. None means two classes.
    sharing : {"worst", "uniform", "proportional"}, default="worst"
        How rivals share the loss in "ultraconservative"; see `Perceptron`.
    classes : iterable or None, default=None
        The classes: [negative, positive], or with `multiclass` any number of them.

    Examples
    --------
    >>> learner = Learner()
    >>> learner.answer([2.0, 1.0]), learner.reveal(+1)
    (-1, True)
    >>> learner.weights, learner.offset_weight
    (array([2., 1.]), 1.0)
    >>> learner.learn([3.0, 0.0], +1)
    False
    >>> mails = Learner(classes=["ham", "spam"])
    >>> mails.learn("Free money, free!", "spam"), mails.predict("free lunch"), mails.weights
    (True, 'spam', {'free': 2.0, 'money': 1.0})
    >>> clicks = Learner()
    >>> clicks.learn({"age": 3, "member": True, "city": "Rome"}, False), clicks.predict({"unheard": 5})
    (True, False)
    >>> clicks.weights
    {'age': -3.0, 'member': -1.0, 'city=Rome': -1.0}
    >>> from rosenblatt import kernels
    >>> curved = Learner(kernel=kernels.Polynomial(degree=2))
    >>> [curved.learn([x], +1 if abs(x) > 1 else -1) for x in (2.0, 0.5, -2.0, 0.0, -0.5, 3.0)]
    [True, True, False, True, False, False]
    >>> fruit = Learner(multiclass="one_vs_rest")
    >>> for _ in range(3):
    ...     for x, y in (([1.0, 0.0], "apple"), ([0.0, 1.0], "pear"), ([-1.0, -1.0], "fig")):
    ...         _ = fruit.learn(x, y)
    >>> fruit.predict([0.2, 1.0]), fruit.classes
    ('pear', ['apple', 'pear', 'fig'])
    """

    def __init__(
        self,
        rule: str | tuple[Any, ...] = "rosenblatt",
        keep: Literal["last", "averaged", "voted", "pocket"] = "last",
        offset: bool | None = None,
        tie: str = "mistake",
        init: ArrayLike | tuple[ArrayLike, float] = "zeros",
        n_features: int | None = None,
        kernel: str | Kernel | Callable[[Any, Any], Any] | None = None,
        budget: int | tuple[Any, ...] | None = None,
        multiclass: Literal["one_vs_rest", "ultraconservative"] | None = None,
        sharing: Literal["worst", "uniform", "proportional"] = "worst",
        classes: Iterable[Any] | None = None,
    ) -> None:
        self.rule, self.keep = rules.as_rule(rule), keep
        self.kernel, self.budget = kernel, budget
        self.multiclass, self.sharing = multiclass, sharing
        self._announced = announced(classes, multiclass)
        self._two = TwoClasses(None if multiclass else self._announced)
        self.offset = kernel is None if offset is None else offset
        self.tie, self.init = tie, init
        self._slots = Slots()
        self._named: bool | None = None
        self._state: Any = None  # a `LinearState`, or with a kernel a KernelState
        self._challenge: Any = None
        self._tie = tie_label(tie)
        self._shape: tuple[int, ...] | None = None  # of the last example, if it was an array
        self._names: list[str] | None = None  # of the last example, if it was a dict
        self._length = -1
        self._loops: dict[Any, Any] = {}  # machine code by the kind of row
        self._is_busy = False  # a thread learns or answers (`exclusive_calls`)
        refuse_mixed(kernel, budget, init, multiclass)
        self._begin(1, init if isinstance(init, str) else "zeros")  # complain now, not at the first example
        if n_features is not None:
            settings_of(LEARNER)["n_features"].refuse(n_features)
            self._named = False
            self._state = self._begin(int(n_features))

    # ------------------------------------------------------------ the protocol

    @exclusive
    def answer(self, x: Any) -> Any:
        """Return the prediction sign(w·x + b) for a challenge.

        The challenge is remembered until its label is revealed. The answer is a label. −1 stands for the
        negative class as long as no label has shown another; it is also the answer for a score of 0
        (unless tie="positive"). Of many classes, the answer is the one with the largest w·x + b, the
        first of equals.

        Parameters
        ----------
        x : array-like, sparse row, str, list of str or dict
            The challenge.

        Returns
        -------
        label
            The predicted class.

        Raises
        ------
        BadInput
            If `x` does not fit the earlier examples.
        """
        rows = self._rows(x, may_grow=False)
        score = 0.0 if self.multiclass else self._score_now(rows)
        self._challenge = copy.copy(x)  # the caller may use the same buffer for the next one
        return self._state.answer(rows, kept=False) if self.multiclass else self._class_of(score)

    def _class_of(self, score: float) -> Any:
        return self.classes[score > 0.0 or (score == 0.0 and self.tie == "positive")]

    def reveal(self, y: Any) -> bool:
        """Learn from the last challenge with its true label, and return whether the answer was a mistake.

        Parameters
        ----------
        y : label
            The true label of the challenge passed to `answer`.

        Returns
        -------
        bool
            True if the answer was a mistake.

        Raises
        ------
        BadInput
            If there is no challenge, or the label is not one of the classes.
        """
        if self._challenge is None:
            raise BadInput("reveal: no example is waiting for its label; call answer(x) first")
        mistake = self.learn(self._challenge, y)
        self._challenge = None
        return mistake

    def learn(self, x: Any, y: Any) -> bool:
        """Learn from one example, as `answer` and `reveal` do, and return whether the answer was a mistake.

        Parameters
        ----------
        x : array-like, sparse row, str, list of str or dict
            The example.
        y : label
            Its label.

        Returns
        -------
        bool
            True if the prediction before the update was a mistake.

        Raises
        ------
        BadInput
            If `x` or `y` does not fit the earlier examples.
        """
        while self._is_busy:
            wait_for(self)
        self._is_busy = True
        try:
            if self.multiclass:
                rows = self._rows(x, may_grow=True)
                return bool(self._state.learn(rows, y))
            try:
                label = self._two.signs[y]
            except (KeyError, TypeError):
                label = self._two.sign_of(y)
            row: Any = self._like_the_last(x)
            if row is None:
                row = self._rows(x, may_grow=True)
                if self.kernel is not None:
                    return bool(self._state.learn(row, int(label[0])))
                if self.state.is_committee:
                    return self._learn_as_committee(row, label)
                self._remember(x, row)
            column = self._state.columns[0]
            column.memory, status, _, mistakes = self._look(
                row, label, _NO_IMPORTANCE, _ONE_LOOK, column.offset, self._tie, column.rule, column.memory,
                column.keeper, column.weights, column.tally,
            )  # fmt: skip
            if status:
                raise trouble(status, self._rows(x, may_grow=False), 0)
            return mistakes > 0
        finally:
            self._is_busy = False

    CODE.add(learn.__code__)

    @exclusive
    def decide(self, x: Any) -> Any:
        """Return the decision value of the returned weights (the last, the mean, the votes, …) for x.

        Parameters
        ----------
        x : array-like, sparse row, str, list of str or dict
            The example.

        Returns
        -------
        float or ndarray of shape (n_classes,)
            The value; of many classes, one value for each.

        Raises
        ------
        BadInput
            If `x` does not fit the earlier examples.
        """
        return self._decision(x)

    def _decision(self, x: Any) -> Any:
        rows = self._rows(x, may_grow=False)
        if self.multiclass:
            return self._state.values(rows)
        if self.kernel is not None:
            return float(self._state.value(rows, self.keep))
        return float(self.state.values(rows)[0])

    @exclusive
    def predict(self, x: Any) -> Any:
        """Return the predicted class of x by the returned weights.

        Parameters
        ----------
        x : array-like, sparse row, str, list of str or dict
            The example.

        Returns
        -------
        label
            The class.

        Raises
        ------
        BadInput
            If `x` does not fit the earlier examples.
        """
        if self.multiclass:
            return self._state.answer(self._rows(x, may_grow=False), kept=True)
        return self._class_of(self._decision(x))

    # ------------------------------------------------------------ what it knows

    @property
    def state(self) -> SeparateColumns:
        """State of training, as in `rosenblatt.learning`."""
        if self._state is None:
            raise BadInput("this Learner has seen no example yet, and n_features was not given")
        if self.kernel is not None:
            self._state.current()  # says why there is none
        state: SeparateColumns = self._state
        return state

    @property
    def weights(self) -> Any:
        """Current weight vector w.

        It is an array, or a dict if features have names; of many classes, a dict of such vectors.
        """
        if self.multiclass:
            return dict(zip(self.classes, map(self._by_name, self.state.current()), strict=True))
        return self._by_name(self.state.current())

    def _by_name(self, current: NDArray[np.float64]) -> Any:
        if self._named:
            return {name: float(current[slot]) for name, slot in self._slots.items()}
        return current[:-1]

    @property
    def offset_weight(self) -> Any:
        """Current offset b; with many classes, a dict with the offset of each."""
        if self.multiclass:
            return dict(zip(self.classes, self.state.current()[:, -1].tolist(), strict=True))
        return float(self.state.current()[-1])

    @property
    def classes(self) -> list[Any]:
        """Negative and positive class; with `multiclass`, the classes in the order of their appearance."""
        if not self.multiclass:
            return list(self._two.pair or LABELS)
        return self._state.classes if self._state else list(dict.fromkeys(self._announced or ()))

    mistakes = _counter("mistakes", "Number of wrong answers.")
    false_positives = _counter(
        "false_positives",
        "Number of mistakes on negative examples; of many classes, on examples of other classes.",
    )
    false_negatives = _counter(
        "false_negatives",
        "Number of mistakes on positive examples; of many classes, on examples of the class itself.",
    )
    updates = _counter("updates", "Number of changes of w.")
    examples_seen = _counter("examples_seen", "Number of examples learned from.")
    exact_decisions = _counter(
        "exact_decisions", "Number of scores too near 0 for floating point, decided by exact arithmetic."
    )

    def __getstate__(self) -> dict[str, Any]:
        """Return everything except the machine code, which the next process looks up for itself."""
        kept = {name: value for name, value in vars(self).items() if name not in ("_look", "_read")}
        return {**kept, "_loops": {}, "_shape": None, "_names": None, "_is_busy": False}

    def __copy__(self) -> Learner:
        return copy.deepcopy(self)

    def record(self) -> LearnerRecord:
        """Return the complete state for a model file.

        A challenge that was answered and not yet revealed is left out.

        Returns
        -------
        LearnerRecord
            The parameters, feature names and state.
        """
        stored = [name for name, setting in settings_of(LEARNER).items() if setting.kinds]
        parameters = {name: getattr(self, name) for name in stored}
        announced = self._announced if self.multiclass else self._two.stated
        return LearnerRecord(parameters, announced, list(self._slots), self._named, self._state)

    @classmethod
    def of(cls, record: LearnerRecord) -> Learner:
        """Return the learner that a record describes; it continues from the record's state.

        Parameters
        ----------
        record : LearnerRecord
            The result of `record`.

        Returns
        -------
        Learner
            The learner.

        Raises
        ------
        BadInput
            If the record has a budget but no kernel.
        """
        given = {**record.parameters, "classes": record.announced}
        budget = given.pop("budget")
        learner = cls(**given)  # without its budget, of which the state already has the slots
        if budget is not None and learner.kernel is None:
            raise BadInput("budget: there is no kernel")
        learner.budget = budget
        learner._slots.update({name: number for number, name in enumerate(record.feature_names)})
        learner._named, learner._state = record.is_named, record.state
        return learner

    @property
    def n_support(self) -> int:
        """Number of support rows; only with a kernel."""
        if self.kernel is None:
            raise AttributeError("n_support: without a kernel w is one vector; see weights")
        return self._state.n_support if self._state else 0

    def __repr__(self) -> str:
        rule = rules.name_of(self.rule)
        kernel = f"kernel={self.kernel!r}, " if self.kernel is not None else ""
        return (
            f"Learner({kernel}rule={rule!r}, keep={self.keep!r}: "
            f"{counted(self.mistakes, 'mistake')} on {counted(self.examples_seen, 'example')})"
        )

    # ------------------------------------------------------------ reading an example

    def _begin(self, n: int, init: Any = None) -> Any:
        init = self.init if init is None else init
        if self.multiclass is not None:
            from rosenblatt.learning.online.by_classes import ClassesState

            recipe = Recipe(self.rule, self.keep, self.offset, self.tie, init)
            return ClassesState(n, self._announced, self.multiclass, self.sharing, recipe)
        if self.kernel is not None:
            from rosenblatt.learning.online.by_kernel import KernelState  # a linear one starts without it

            return KernelState(n, self.kernel, self.rule, self.keep, self.offset, self.tie, self.budget)
        return begin(n, self.rule, self.keep, self.offset, self.tie, init)

    def _score_now(self, rows: Rows) -> float:
        if self.kernel is not None:
            return float(self._state.value(rows, "last"))
        return float(self.state.values(rows, kept=False)[0])

    def _rows(self, x: Any, may_grow: bool) -> Rows:
        """Return one row in the form that the loops take."""
        if (named := by_name(x)) is not None:
            return self._named_row(named, may_grow)
        if type(x) is np.ndarray and x.ndim == 1 and x.dtype in (np.float64, np.float32) and x.size:
            rows: Rows = Dense(frozen(np.ascontiguousarray(x).reshape(1, -1)))
        else:
            rows = one_row(x)
        self._expect(named=False)
        if self._state is None:
            self._state = self._begin(n_features(rows))
        elif n_features(rows) != self._state.n_features:
            raise BadInput(
                f"x: {n_features(rows)} features, this Learner has {self._state.n_features}; "
                "give the same features in the same order each time"
            )
        return rows

    def _named_row(self, x: Mapping[str, Any], may_grow: bool) -> Sparse:
        # a feature never learned from has weight 0
        values, names = self._slots.read(x, only_known=not may_grow and self.kernel is None)
        self._in_numbers = names is x  # texts are features of other names
        self._expect(named=True)
        indices = np.fromiter(map(self._slots.__getitem__, names), np.uint32, len(names))
        if self.kernel is not None:  # kernels walk two rows in step: features must rise
            order = np.argsort(indices)
            values, indices = values[order], indices[order]
        if self._state is None or len(self._slots) > self._state.n_features:
            self._make_room()
        assert self._state is not None
        starts = frozen(np.array([0, len(values)], np.uint32))
        return Sparse(values, frozen(indices), starts, self._state.n_features)

    def _make_room(self) -> None:
        """Allocate weights for all named features, at least twice as many as before."""
        needed = max(FIRST_ROOM, len(self._slots))
        if self._state is None:
            self.grow_to(needed)
        elif needed > self._state.n_features:
            self.grow_to(max(needed, 2 * self._state.n_features))

    def grow_to(self, room: int) -> None:
        """Widen the weights to at least `room` features.

        Parameters
        ----------
        room : int
            The number of features.

        Raises
        ------
        BadInput
            If `init` is not "zeros": new named features start at 0.
        """
        if self._state is None:
            if not (isinstance(self.init, str) and self.init == "zeros"):
                raise BadInput(
                    "init: named features may appear at any time, so their weights start at zero"
                )
            self._state = self._begin(room)
        elif room > self._state.n_features:
            self._state.widen(room)

    def _like_the_last(self, x: Any) -> tuple[Any, ...] | None:
        """Return the row of x by a short cut if the previous example had the same layout."""
        if type(x) is np.ndarray:
            if x.shape == self._shape and x.dtype is self._dtype and x.strides == self._strides:
                return (x[None],)
        elif type(x) is dict and self._names and self._read(x, self._addresses, self._values):
            return self._row
        return None

    def _remember(self, x: Any, rows: Rows) -> None:
        """Store what `_like_the_last` compares with, and the machine code for such rows.

        The shape or the names come last: an interrupt before that leaves nothing to compare with.
        """
        self._shape, self._names = None, None
        shape, names = None, None
        if type(x) is np.ndarray and x.ndim == 1 and np.may_share_memory(x, rows.values):
            shape, self._dtype, self._strides = x.shape, x.dtype, x.strides
        elif type(x) is dict and self._in_numbers and len(x) == self._length:
            self._read, names = reader(), list(x)
            self._addresses, self._values = addresses(names), rows.values.copy()
            self._row = (self._values, *rows[1:])
        self._length = len(rows.values)  # the names are worth comparing only where the lengths repeat
        kind = (type(rows), rows.values.dtype, rows[1].dtype if isinstance(rows, Sparse) else None)
        if kind not in self._loops:
            (column,) = self.state.columns
            self._loops[kind] = machine_code(
                loop_of(column.rule),
                (rows, LABELS[1], _NO_IMPORTANCE, _ONE_LOOK, column.offset, self._tie, column.rule,
                 column.memory, column.keeper, column.weights, column.tally),
            )  # fmt: skip
        self._look = self._loops[kind]
        self._shape, self._names = shape, names

    def _expect(self, named: bool) -> None:
        if self._named is None:
            self._named = named
        elif self._named is not named:
            now, before = ("names", "numbers") if named else ("numbers", "names")
            raise BadInput(f"x: features have {now} here and had {before} before; choose one of them")
