"""`Perceptron`, a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.errors import BadInput, CommitteeHasNoWeights
from rosenblatt.examples import Batch, Rows, Sparse, n_rows
from rosenblatt.keepers import Pocket
from rosenblatt.models.checking import (
    as_list,
    check_features,
    draw_seed,
    encode,
    hold_out,
    rows_of,
    weighted_batch,
)
from rosenblatt.rules import as_rule
from rosenblatt.training.orders import as_order, one_pass
from rosenblatt.training.run import Epoch, Outcome, Plan, run
from rosenblatt.training.scoring import decision_values, error_rate
from rosenblatt.training.state import State, begin, learn, store_committee


class Perceptron(ClassifierMixin, BaseEstimator):
    """The perceptron and its family, for two classes.

    h(x) = sign(w·x + b). An example is a mistake when y(w·x + b) ≤ 0, decided by the exact sign of
    the sum; on a mistake Rosenblatt's rule adds y·x to w and y to b. On data that a hyperplane
    separates with margin γ, at most (R/γ)² mistakes are made, R being the largest ‖x‖; with an offset
    both are those of the lifted points (x, 1).

    Parameters
    ----------
    rule : str or rule object, default="rosenblatt"
        How w changes: "rosenblatt", "margin", "uneven_margin", "passive_aggressive",
        "passive_aggressive_1", "passive_aggressive_2", "alma", "romma", "aggressive_romma",
        "forgetting", or an object with parameters such as ``rosenblatt.rules.Margin(tau=0.5)``.
    keep : {"last", "averaged", "voted", "pocket"}, default="last"
        Which weight vectors decide after training: the last; the mean over all looks; all of them,
        each with as many votes as looks it survived; or the best one seen.
    offset : bool, default=True
        Whether there is a b. It learns as the weight of a feature that is always 1.
    epochs : int or None, default=10
        Passes over the data, all of them made. With ``until="separated"`` the most passes; None
        then means no limit.
    until : {"separated"} or None, default=None
        "separated" stops after the first pass without a mistake, and never for another reason.
    order : {"shuffled", "given", "first_mistake", "worst_mistake"} or sequence of int
        What a pass looks at: all rows, shuffled anew in each pass, or as they are given; at each of n
        looks the first or the worst row (smallest y(w·x + b)) among those the rule would learn from;
        or the rows listed, repeated in each pass.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        What a score of exactly 0 answers. "mistake": while learning it is wrong for either label, and
        counts so in `training_error`; `predict` answers the first class.
    init : {"zeros", "unit"}, array or (array, float), default="zeros"
        Where w starts: at 0, at (1/√d, …, 1/√d) with b = 0, at these weights, or at these (w, b).
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weight of each example of a class.
    validation : float, (X, y) or None, default=None
        A part of the rows to hold out, or other rows: the weights of the pass with the smallest error
        on them are kept, and `best_epoch_` says which pass that was.
    callbacks : callable or list of callables, default=None
        Called after each pass with its `Epoch` record; one that returns True ends the run.
    warm_start : bool, default=False
        Whether `fit` goes on from where the last `fit` ended, as if it had been one run.
    random_state : int, RandomState or None, default=None
        Decides the shuffles and the rows held out.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    track_error : bool, default=False
        Whether `history_` has the training error of each pass. It costs a second reading of the data.

    Attributes
    ----------
    classes_ : array of the two classes; the second is the positive one.
    coef_, intercept_ : arrays of shape (1, n_features_in_) and (1,). A voted committee has none.
    n_features_in_, feature_names_in_ : as in all of scikit-learn.
    mistakes_, updates_, examples_seen_, epochs_ : four counters with four meanings.
    exact_decisions_ : how many looks had a score too near 0 for floating point to decide.
    converged_ : whether the last pass had no mistake.
    history_ : list of `Epoch` records, one for each pass of the last call.
    best_epoch_ : the pass that the weights are from. With `validation` it need not be the last; a
        `partial_fit` after it goes on from that pass, and counts on from there.
    survival_ : for a committee, the looks that each of its vectors lasted; the first is w at the start.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rosenblatt import Perceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Perceptron(keep="averaged", random_state=0).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.917
    >>> model.mistakes_, model.epochs_
    (1165, 10)
    """

    def __init__(
        self,
        rule: Any = "rosenblatt",
        keep: Literal["last", "averaged", "voted", "pocket"] = "last",
        offset: bool = True,
        epochs: int | None = 10,
        until: Literal["separated"] | None = None,
        order: Any = "shuffled",
        tie: Literal["mistake", "negative", "positive"] = "mistake",
        init: Any = "zeros",
        class_weight: Any = None,
        validation: Any = None,
        callbacks: Callable[[Epoch], Any] | Sequence[Callable[[Epoch], Any]] | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        progress: bool | None = None,
        track_error: bool = False,
    ) -> None:
        self.rule = rule
        self.keep = keep
        self.offset = offset
        self.epochs = epochs
        self.until = until
        self.order = order
        self.tie = tie
        self.init = init
        self.class_weight = class_weight
        self.validation = validation
        self.callbacks = callbacks
        self.warm_start = warm_start
        self.random_state = random_state
        self.progress = progress
        self.track_error = track_error

    _seed: int
    _state: State

    # ------------------------------------------------------------ learning

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Perceptron:
        """Learn from all rows, pass after pass.

        sample_weight multiplies the coefficient of each update; 0 means that the row is absent.
        On an error the estimator keeps what it had learned before.
        """
        rows = rows_of(X)
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        classes, labels = encode(y, n_rows(rows))
        if goes_on:
            check_features(self, X, rows, reset=False)
            self._same_run(classes)
        seed = self._seed if goes_on else draw_seed(self.random_state)
        totals = np.zeros(2)
        batch = weighted_batch(rows, labels, classes, sample_weight, self.class_weight, totals)
        batch, validation = hold_out(self.validation, batch, classes, seed)
        state = self._state.copy() if goes_on else self._begin(batch)
        plan = Plan(
            epochs=self.epochs,
            until=self.until,
            order=as_order(self.order, batch.n_rows),
            seed=seed,
            track_error=self.track_error,
            validation=validation,
            callbacks=as_list(self.callbacks),
            progress=self.progress,
        )
        outcome = run(state, batch, plan)
        if not goes_on:
            check_features(self, X, rows, reset=True)
        self._seed = seed
        self._class_totals = totals
        self.classes_ = classes
        self._learned(outcome)
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Perceptron:
        """One pass over these rows, in the order they have, from where learning stands.

        classes: both classes; needed in the first call when its rows are all of one class.
        """
        rows = rows_of(X)
        first = not hasattr(self, "_state")
        if not first:
            check_features(self, X, rows, reset=False)
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise BadInput(
                f"classes: got {np.unique(classes).tolist()}, learning began with {self.classes_.tolist()}"
            )
        known, labels = encode(y, n_rows(rows), classes if first else self.classes_)
        self._same_run(known)
        totals = np.zeros(2) if first else self._class_totals.copy()
        batch = weighted_batch(rows, labels, known, sample_weight, self.class_weight, totals)
        state = self._begin(batch) if first else self._state
        if not first and not _cannot_fail(batch):
            state = state.copy()  # the old state must survive an error
        if isinstance(state.keeper, Pocket):  # a stream has no "all rows" to count errors on
            state.keeper = state.keeper._replace(ratchet=False)
        mistakes, updates, seen = state.mistakes, state.updates, state.examples_seen
        for segment in one_pass("given", state, batch, seed=0):
            learn(state, batch, segment)
        state.epochs += 1
        store_committee(state, batch)
        if first:
            check_features(self, X, rows, reset=True)
            self.classes_ = known
            self._seed = draw_seed(self.random_state)
        self._class_totals = totals
        record = Epoch(
            state.epochs, state.mistakes - mistakes, state.updates - updates,
            state.examples_seen - seen, 0.0,
        )  # fmt: skip
        self._learned(Outcome(state, state, [record], state.epochs, record.mistakes == 0))
        return self

    def _same_run(self, classes: NDArray[Any]) -> None:
        """Refuse to go on where a parameter or the classes are not those that learning began with."""
        if not self.__sklearn_is_fitted__():
            return
        began = self._began_with
        now = (as_rule(self.rule), self.keep, self.offset, self.tie, classes.tolist())
        names = ("rule", "keep", "offset", "tie", "y")
        for name, before, after in zip(names, began, now, strict=True):
            if before != after:
                what = "y: classes" if name == "y" else f"{name}:"
                raise BadInput(
                    f"{what} {after!r} now, but learning began with {before!r}; "
                    "go on as it began, or start anew with fit (warm_start=False)"
                )

    def _begin(self, batch: Batch) -> State:
        return begin(batch.n_features, self.rule, self.keep, self.offset, self.tie, self.init)

    def _learned(self, outcome: Outcome) -> None:
        self._state = outcome.state
        self._began_with = (
            as_rule(self.rule), self.keep, self.offset, self.tie, self.classes_.tolist()
        )  # fmt: skip
        self._kept: NDArray[np.float64] | None = None
        self.mistakes_ = outcome.final.mistakes
        self.updates_ = outcome.final.updates
        self.examples_seen_ = outcome.final.examples_seen
        self.epochs_ = outcome.final.epochs
        self.exact_decisions_ = outcome.final.exact_decisions
        self.converged_ = outcome.converged
        self.history_ = outcome.history
        self.best_epoch_ = outcome.best_epoch

    # ------------------------------------------------------------ deciding

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """w·x + b for each row, its sign exact; for a committee Σ survival × sign."""
        check_is_fitted(self)
        return decision_values(self._state, self._rows_to_decide(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row. A value of 0 is the first class, or the second with tie="positive"."""
        values = self.decision_function(X)
        positive = values >= 0.0 if self._state.tie == "positive" else values > 0.0
        return self.classes_[positive.astype(np.intp)]

    def training_error(self, X: Any, y: ArrayLike) -> float:
        """E(h): the part of the rows that are wrong. With tie="mistake" a value of 0 is wrong."""
        check_is_fitted(self)
        rows = self._rows_to_decide(X)
        _, labels = encode(y, n_rows(rows), self.classes_)
        return error_rate(self._state, Batch(rows, labels, np.empty(0)))

    def _rows_to_decide(self, X: Any) -> Rows:
        rows = rows_of(X)
        check_features(self, X, rows, reset=False)
        return rows

    # ------------------------------------------------------------ what was learned

    @property
    def coef_(self) -> NDArray[np.float64]:
        return self._weights()[:-1].reshape(1, -1)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return self._weights()[-1:].copy()

    @property
    def survival_(self) -> NDArray[np.int64]:
        check_is_fitted(self)
        if not self._state.is_committee:
            raise AttributeError("survival_ belongs to a committee; train with keep='voted'")
        committee = self._state.keeper
        survival: NDArray[np.int64] = committee.survival[: committee.members[0]].copy()
        return survival

    def weights_by_name(self) -> dict[str, float]:
        """The weight of each feature by its name, the largest in size first.

        >>> Perceptron(order="given").fit([[0.0, 1.0], [2.0, 0.0]], [0, 1]).weights_by_name()
        {'x0': 2.0, 'x1': -1.0}
        """
        check_is_fitted(self)
        weights = self.coef_[0]
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(weights.size)])
        return {str(names[j]): float(weights[j]) for j in np.argsort(-np.abs(weights), kind="stable")}

    def _weights(self) -> NDArray[np.float64]:
        if "_state" not in vars(self):
            raise AttributeError("this Perceptron has learned nothing yet; call fit first")
        if self._state.is_committee:
            raise CommitteeHasNoWeights(
                "a voted committee decides by many weight vectors, so it has no one coef_ or intercept_; "
                "ask decision_function or predict, look at survival_, or train with keep='averaged'"
            )
        if self._kept is None:
            self._kept = self._state.kept()
            self._kept.flags.writeable = False  # to change it would not change what is decided
        return self._kept

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def _cannot_fail(batch: Batch) -> bool:
    """Whether nothing can go wrong on the way, and a copy of the weights costs more than to find out:
    a few sparse rows, with numbers so small that no weight can overflow."""
    rows = batch.rows
    if not isinstance(rows, Sparse) or len(rows.values) >= rows.n_features // 4:
        return False
    largest = max(float(np.abs(rows.values).max(initial=0.0)), batch.importance.max(initial=1.0))
    return bool(largest < 1e100)  # False for NaN
