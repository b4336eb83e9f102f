"""`Learner`: challenge, answer, reveal, update. The perceptron as a game between teacher and learner."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput, counted
from rosenblatt.loops.one_by_one import NOT_LEARNED, WRONG
from rosenblatt.loops.walk import walk
from rosenblatt.numeric.dicts import addresses, reader
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_features, n_rows, read_only
from rosenblatt.training.initial_states import Recipe
from rosenblatt.training.online.class_labels import LABELS, as_classes
from rosenblatt.training.online.exclusive_calls import CODE, exclusive, wait_for
from rosenblatt.training.online.feature_index import by_name, one_row
from rosenblatt.training.online.online_trainer import NO_IMPORTANCE, ONE_LOOK, OnlineTrainer
from rosenblatt.training.overflow_errors import overflow, trouble
from rosenblatt.training.separate_columns import SeparateColumns
from rosenblatt.training.settings import LEARNER, settings_of

if TYPE_CHECKING:  # a linear learner starts without kernels
    from rosenblatt.kernels import Kernel


class LearnerRecord(NamedTuple):
    """Hold the contents of a `Learner` as they are stored in a model file.

    Parameters
    ----------
    parameters : dict
        The parameters of the learner.
    announced : list or None
        The announced classes.
    feature_names : list
        The names of features, in the order of their numbers.
    is_named : bool or None
        Whether features have names; None means that it is not known yet.
    state : state or None
        The state; None if there are more than two classes and none has appeared yet.
    n_features : int or None
        The number of features with weights; None before the first example.
    classes : sequence
        With `multiclass`, the classes in the order of their classifiers.
    """

    parameters: dict[str, Any]
    announced: list[Any] | None
    feature_names: list[Any]
    is_named: bool | None
    state: Any
    n_features: int | None
    classes: Sequence[Any] = ()


def _counter(name: str, meaning: str) -> Any:
    """Return a property that reads a counter of the state; it is 0 before there is a state."""

    def count(learner: Learner) -> int:
        state = learner.trainer.state
        return 0 if state is None else int(state.summary()[name])

    return property(count, doc=meaning)


class Learner:
    """Learn online from one example at a time, updating as a rule prescribes.

    The teacher presents a challenge x, the learner answers sign(w·x + b), the teacher reveals the label y,
    and the learner updates. The answer is one of the labels.

    x is an array, a sparse row, a text, or a ``{name: value}`` dict whose features may appear at any time.
    A text is converted to the words that `rosenblatt.data.sources.words_of` lists, and each word counts as
    often as it occurs; a list of words is also accepted. In a dict, True is 1 and False is 0, a text is the
    category "name=text", and a list of words is one feature "name=word" for each word.

    Labels are −1 and +1, 0 and 1, or False and True, determined by the first label that is negative, 0 or a
    bool. Any other two labels are named by ``classes=[negative, positive]``.

    Several threads may call one Learner: the methods for learning, answering and predicting wait for each
    other, so each example is learned exactly once, in some order. Only one thread may use the pair
    ``answer`` and ``reveal``. Copy or save a Learner only while no other thread calls it.

    Parameters
    ----------
    rule, keep : as in Perceptron
        See `Perceptron`.
    offset : bool or None, default=None
        Whether to learn an offset; None means True without a kernel and False with a kernel, as in
        `KernelPerceptron`.
    tie, init : as in Perceptron
        See `Perceptron`.
    n_features : int or None, default=None
        The number of features; None means the number of features of the first example.
    kernel : str, kernel object, callable or None, default=None
        The kernel in whose feature space to learn: a name, an object such as
        ``rosenblatt.kernels.Polynomial(degree=2)``, or a function of two matrices; None for a linear
        learner.
    budget : int, budget object or None, default=None
        The largest number of support rows; only with a kernel.
    multiclass : {"one_vs_rest", "ultraconservative"} or None, default=None
        The strategy for any number of classes, which may appear at any time (see `Perceptron`). With
        "one_vs_rest" each wrong decision of a binary classifier counts as a mistake. None means two
        classes.
    sharing : {"worst", "uniform", "proportional"}, default="worst"
        How rivals share a mistake in "ultraconservative"; see `Perceptron`.
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
        self._announced = as_classes(classes, multiclass)
        self.offset = kernel is None if offset is None else offset
        self.tie, self.init = tie, init
        recipe = Recipe(self.rule, keep, self.offset, tie, init)
        self.trainer = OnlineTrainer(recipe, kernel, budget, multiclass, sharing, self._announced)
        self._challenge: Any = None
        self._shape: tuple[int, ...] | None = None  # shape of the last example, if it was an array
        self._names: list[str] | None = None  # names of the last example, if it was a dict
        self._length = -1
        self._is_busy = False  # a thread learns or answers (`exclusive_calls`)
        _refuse_mixed(kernel, budget, init, multiclass)
        if multiclass is not None:
            settings_of(LEARNER)["multiclass"].refuse(multiclass)
        # raise errors now, not at the first example
        self.trainer.begin(1, init if isinstance(init, str) else "zeros")
        if n_features is not None:
            settings_of(LEARNER)["n_features"].refuse(n_features)
            self.trainer.features.are_named = False
            self.trainer.start(int(n_features))

    # ------------------------------------------------------------ the protocol

    @exclusive
    def answer(self, x: Any) -> Any:
        """Return the prediction sign(w·x + b) for a challenge, as a label.

        The challenge is stored until its label is revealed. Until a label has determined the two classes,
        −1 stands for the negative class. A score of 0 predicts the negative class, unless tie="positive".
        With more than two classes, the answer is the class with the largest w·x + b; ties go to the first
        class.

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
        answer = self._class_of(self._read_row(x, may_grow=False), kept=False)
        self._challenge = copy.copy(x)  # the caller may use the same buffer for the next one
        return answer

    def _class_of(self, rows: Rows, kept: bool) -> Any:
        """Return the predicted class of a row.

        With `kept`, the weights of the averaging strategy predict, otherwise the current weights.
        """
        if self.trainer.state is None:  # many classes, none of which has appeared yet
            return next(iter(self.classes), None)
        answers, rows = self.trainer.answers(rows, kept)
        if self.multiclass:
            return self.classes[int(answers.best(rows)[0])]
        value = float(answers.values(rows)[0])  # decide as `best` does; numpy is slower for one number
        return self.classes[value > 0.0 or (value == 0.0 and self.tie == "positive")]

    def reveal(self, y: Any) -> bool:
        """Learn from the last challenge with its true label; return whether the answer was a mistake.

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
        """Learn from one example, as `answer` and `reveal` do; return whether the answer was a mistake.

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
            trainer = self.trainer
            if self.multiclass:
                return trainer.learn_row(self._read_row(x, may_grow=True), y)
            try:
                label = trainer.two.signs[y]
            except (KeyError, TypeError):
                label = trainer.two.sign_of_new(y)
            row: Any = self._like_the_last(x)
            if row is None:
                row = self._read_row(x, may_grow=True)
                if self.kernel is not None or self.state.is_committee:
                    return trainer.learn_row(row, y)
                self._remember(x, row)
            column = trainer.state.columns[0]
            column.memory, status, _, mistakes = self._look(
                row, label, NO_IMPORTANCE, ONE_LOOK, column.offset, trainer.tie_value, column.rule,
                column.memory, column.keeper, column.weights, column.tally,
            )  # fmt: skip
            if status:
                raise trouble(status, self._read_row(x, may_grow=False), 0)
            return mistakes > 0
        finally:
            self._is_busy = False

    CODE.add(learn.__code__)

    @exclusive
    def decide(self, x: Any) -> Any:
        """Return the decision value of x by the weights of the averaging strategy `keep`.

        Parameters
        ----------
        x : array-like, sparse row, str, list of str or dict
            The example.

        Returns
        -------
        float or dict
            The value; with `multiclass`, a dict with one value for each class.

        Raises
        ------
        BadInput
            If `x` does not fit the earlier examples.
        """
        rows = self._read_row(x, may_grow=False)
        if self.trainer.state is None:
            return dict.fromkeys(self.classes, 0.0)
        answers, rows = self.trainer.answers(rows, kept=True)
        values = answers.values(rows)[0]
        return dict(zip(self.classes, values.tolist(), strict=True)) if self.multiclass else float(values)

    @exclusive
    def predict(self, x: Any) -> Any:
        """Return the class of x predicted by the weights of the averaging strategy `keep`.

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
        return self._class_of(self._read_row(x, may_grow=False), kept=True)

    # ------------------------------------------------------------ many examples

    @exclusive
    def learn_many(self, X: Iterable[Any], y: Sequence[Any]) -> NDArray[np.bool_]:
        """Learn from examples one after another; return which predictions were mistakes.

        All examples are checked before the first one is learned from, so an error leaves the learner
        unchanged.

        Parameters
        ----------
        X : iterable
            The examples, each as for `Learner.learn`.
        y : sequence
            The label of each example.

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
        labels, trainer = list(y), self.trainer
        trainer.check_labels(labels)
        known = len(trainer.features)
        rows = trainer.rows_of(X, may_grow=True)
        if len(labels) != n_rows(rows):
            trainer.features.forget(known)
            raise BadInput(f"y: {len(labels)} labels for {n_rows(rows)} examples; give one for each")
        outcomes = trainer.learn_rows(rows, labels)
        if (outcomes == NOT_LEARNED).any():
            row = int(np.argmax(outcomes == NOT_LEARNED))
            raise overflow(f" at example {row}, which was skipped, as were others like it")
        return outcomes == WRONG

    @exclusive
    def predict_many(self, X: Iterable[Any]) -> list[Any]:
        """Return the predicted class of each example, as `Learner.predict` does.

        Parameters
        ----------
        X : iterable
            The examples.

        Returns
        -------
        list
            The predicted class of each example.

        Raises
        ------
        BadInput
            If an example cannot be used.
        """
        return self.trainer.answer_rows(self.trainer.rows_of(X, may_grow=False))[0]

    @exclusive
    def decide_many(self, X: Iterable[Any]) -> NDArray[np.float64]:
        """Return the decision value of each example, as `Learner.decide` does.

        Parameters
        ----------
        X : iterable
            The examples.

        Returns
        -------
        ndarray of shape (n_examples,) or (n_examples, n_classes)
            The value of each example; with `multiclass`, a row with one value for each class.

        Raises
        ------
        BadInput
            If an example cannot be used.
        """
        return self.trainer.answer_rows(self.trainer.rows_of(X, may_grow=False))[1]

    # ------------------------------------------------------------ state and counters

    @property
    def state(self) -> SeparateColumns:
        """Return the training state, an object of `rosenblatt.training`."""
        state: SeparateColumns | None = self.trainer.state
        if state is None:
            raise BadInput("this Learner has seen no example yet, and n_features was not given")
        if self.kernel is not None:
            raise AttributeError(
                "a Learner with a kernel has no weight vector: its w is a sum over support rows; use "
                "answer, decide or predict"
            )
        return state

    @property
    def weights(self) -> Any:
        """Return the current weight vector w.

        It is an array, or a dict if features have names; with `multiclass`, it is a dict with one such
        vector for each class.
        """
        if self.multiclass:
            return dict(zip(self.classes, map(self._by_name, self._rows_of_weights()), strict=True))
        return self._by_name(self.state.current())

    def _rows_of_weights(self) -> NDArray[np.float64]:
        """Return the weights (w, b) of each class; there may be no class yet."""
        trainer = self.trainer
        if trainer.state is None and trainer.n_features is not None:
            return np.empty((0, trainer.n_features + 1))
        return self.state.current()

    def _by_name(self, current: NDArray[np.float64]) -> Any:
        features = self.trainer.features
        if features.are_named:
            return {name: float(current[number]) for name, number in features.items()}
        return current[:-1]

    @property
    def offset_weight(self) -> Any:
        """Return the current offset b; with `multiclass`, a dict with the offset of each class."""
        if self.multiclass:
            return dict(zip(self.classes, self._rows_of_weights()[:, -1].tolist(), strict=True))
        return float(self.state.current()[-1])

    @property
    def classes(self) -> list[Any]:
        """Return the negative and positive class; with `multiclass`, all classes in order of appearance."""
        return self.trainer.classes

    @property
    def feature_names(self) -> list[str]:
        """Return the names of the features, in order of appearance."""
        return list(self.trainer.features)

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
        """Return all attributes except machine code, which each process looks up again."""
        kept = {name: value for name, value in vars(self).items() if name not in ("_look", "_read")}
        return {**kept, "_shape": None, "_names": None, "_is_busy": False}

    def __copy__(self) -> Learner:
        return copy.deepcopy(self)

    def record(self) -> LearnerRecord:
        """Return the complete state for a model file.

        A challenge that was answered but whose label is not yet revealed is left out.

        Returns
        -------
        LearnerRecord
            The parameters, feature names and state.
        """
        stored = [name for name, setting in settings_of(LEARNER).items() if setting.kinds]
        parameters = {name: getattr(self, name) for name in stored}
        trainer = self.trainer
        announced = self._announced if self.multiclass else trainer.two.custom_pair
        return LearnerRecord(
            parameters, announced, self.feature_names, trainer.features.are_named, trainer.state,
            trainer.n_features, trainer.classes,
        )  # fmt: skip

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
        learner = cls(**given)  # without its budget, whose slots are part of the state
        if budget is not None and learner.kernel is None:
            raise BadInput("budget: there is no kernel")
        learner.budget = learner.trainer.budget = budget
        features = learner.trainer.features
        features.update({name: number for number, name in enumerate(record.feature_names)})
        features.are_named = record.is_named
        learner.trainer.resume(record.state, record.n_features, record.classes)
        return learner

    @property
    def n_support(self) -> int:
        """Return the number of support rows; only with a kernel."""
        if self.kernel is None:
            raise AttributeError("n_support: without a kernel w is one vector; see weights")
        return self.trainer.state.n_support if self.trainer.state is not None else 0

    def __repr__(self) -> str:
        rule = rules.name_of(self.rule)
        kernel = f"kernel={self.kernel!r}, " if self.kernel is not None else ""
        return (
            f"Learner({kernel}rule={rule!r}, keep={self.keep!r}: "
            f"{counted(self.mistakes, 'mistake')} on {counted(self.examples_seen, 'example')})"
        )

    # ------------------------------------------------------------ reading an example

    def _read_row(self, x: Any, may_grow: bool) -> Rows:
        """Return an example as one row in the form that the loops need."""
        if (named := by_name(x)) is not None:
            return self._row_of_features(named, may_grow)
        if type(x) is np.ndarray and x.ndim == 1 and x.dtype in (np.float64, np.float32) and x.size:
            rows: Rows = Dense(read_only(np.ascontiguousarray(x).reshape(1, -1)))
        else:
            rows = one_row(x)
        trainer = self.trainer
        trainer.features.expect(named=False)
        trainer.expect_width(rows)
        if trainer.n_features is None:
            trainer.start(n_features(rows))
        return rows

    def _row_of_features(self, x: Mapping[str, Any], may_grow: bool) -> Sparse:
        trainer = self.trainer
        values, indices, self._in_numbers = trainer.features.read_one(x, may_grow)
        if trainer.n_features is None or len(trainer.features) > trainer.n_features:
            trainer.make_room()
        assert trainer.n_features is not None
        starts = read_only(np.array([0, len(values)], np.uint32))
        return Sparse(values, read_only(indices), starts, trainer.n_features)

    def _like_the_last(self, x: Any) -> tuple[Any, ...] | None:
        """Return the row of x by a fast path if the last example had the same layout, otherwise None."""
        if type(x) is np.ndarray:
            if x.shape == self._shape and x.dtype is self._dtype and x.strides == self._strides:
                return (x[None],)
        elif type(x) is dict and self._names and self._read(x, self._addresses, self._values):
            return self._row
        return None

    def _remember(self, x: Any, rows: Rows) -> None:
        """Store the layout of x for `_like_the_last`, and the machine code for such rows.

        The shape and the names are stored last, so an interrupt before that leaves no incomplete layout.
        """
        self._shape, self._names = None, None
        shape, names = None, None
        if type(x) is np.ndarray and x.ndim == 1 and np.may_share_memory(x, rows.values):
            shape, self._dtype, self._strides = x.shape, x.dtype, x.strides
        elif type(x) is dict and self._in_numbers and len(x) == self._length:
            self._read, names = reader(), list(x)
            self._addresses, self._values = addresses(names), rows.values.copy()
            self._row = (self._values, *rows[1:])
        self._length = len(rows.values)  # names are compared only if the length is the same again
        first = LABELS[1], NO_IMPORTANCE, ONE_LOOK
        self._look = self.trainer.loop_over(rows, rules.loop_for(self.state.rule, walk), first)
        self._shape, self._names = shape, names


def _refuse_mixed(kernel: Any, budget: Any, init: Any, multiclass: str | None) -> None:
    """Raise an error for parameters of a learner that cannot be combined."""
    if kernel is None and budget is not None:
        raise BadInput("budget: it limits the support of a kernel; give a kernel, or no budget")
    if kernel is not None and not (isinstance(init, str) and init == "zeros"):
        raise BadInput("init: with a kernel w starts at zero and has no weights to set; leave init out")
    if kernel is not None and multiclass is not None:
        raise BadInput(
            "multiclass: a Learner with a kernel learns two classes; use KernelPerceptron.partial_fit"
        )
