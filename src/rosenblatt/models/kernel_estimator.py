"""`KernelEstimator`: train and predict with a state in dual form, in the feature space of any kernel."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.budgets import as_budget
from rosenblatt.data.targets import Target, check_classes
from rosenblatt.errors import BadInput, CommitteeHasNoWeights, bad_value
from rosenblatt.kernels import Custom, Monomials, as_kernel
from rosenblatt.loops.column_targets import Classes
from rosenblatt.models import fit_inputs as inputs
from rosenblatt.models.calibrating import Probable
from rosenblatt.models.callbacks import HasCallbacks, closes_callbacks
from rosenblatt.models.html_summary import ShowsRun
from rosenblatt.numeric.row_batches import Rows, Sparse, as_rows, n_features, n_rows, take
from rosenblatt.training.backends import Backend, OnHost, as_backend
from rosenblatt.training.dual.dual_decisions import DualAnswers, check_keep, random_step
from rosenblatt.training.dual.dual_state import DualState, dual_rule
from rosenblatt.training.dual.kernel_values import looked_at, only_finite, refuse_heavy
from rosenblatt.training.dual.limited_support import check_budget
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.run import Outcome, Plan, learn_once, run
from rosenblatt.training.scoring import second_of_two
from rosenblatt.training.settings import KERNEL, check, fixed_in, settings_of

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SMALLEST = 10**6  # bytes: the size of one block of kernel values


def as_bytes(size: Any) -> int:
    """Return a memory size such as "2GB", "500 MB" or a number in bytes.

    Examples
    --------
    >>> as_bytes("2GB"), as_bytes(1e9)
    (2000000000, 1000000000)
    >>> as_bytes("1KB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: cache_size: expected at least 1MB, for one block of kernel values, ...
    """
    number: float | None = None
    if isinstance(size, str):
        match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?i?b)?\s*", size.lower())
        if match:
            unit = (match[2] or "b").upper().replace("I", "")
            try:
                number = float(match[1]) * UNITS[unit]
            except ValueError:
                number = None
    elif isinstance(size, (int, float, np.number)) and not isinstance(size, bool):
        number = float(size)
    if number is None or not np.isfinite(number):
        raise bad_value("cache_size", size, "a size such as '2GB' or '500MB', or a number of bytes")
    if number < SMALLEST:
        raise bad_value("cache_size", size, "at least 1MB, for one block of kernel values")
    return int(number)


class KernelEstimator(ShowsRun, HasCallbacks, inputs.HasRule, Probable, ClassifierMixin, BaseEstimator):
    """Train and predict with a `DualState`; subclasses define the parameters."""

    keep: Any
    tie: Any
    class_weight: Any
    validation: Any
    warm_start: Any
    random_state: Any
    _seed: int
    _class_totals: NDArray[np.float64]
    _state: DualState
    _began_with: dict[str, Any]
    _is_past = False

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of a `KernelPerceptron` that learns the same model."""
        known = settings_of(KERNEL)
        return {name: value for name, value in vars(self).items() if name in known}

    def _monomials(self, rows: Rows) -> Monomials | None:
        """Return the explicit feature space in which to store w, or None to store support rows only."""
        return None

    # ------------------------------------------------------------ training

    @closes_callbacks
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on all rows, pass after pass.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The training rows.
        y : array-like of shape (n_rows,)
            A class for each row.
        sample_weight : array-like of shape (n_rows,), default=None
            Factors for the coefficient of each update; a weight of 0 excludes the row.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message states where.
        """
        settings = self._checked_parameters()
        check(KERNEL, settings, planned=True)
        rows = as_rows(X)
        n, width = n_rows(rows), n_features(rows)
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        target = inputs.read_classes(y, n)
        classes, totals = target.classes, target.no_totals()
        if goes_on:
            inputs.check_features(self, X, width, reset=False)
            self._refuse_another_run(settings, classes)
        batch = self._examples(rows, target, sample_weight, totals)
        seed = self._seed if goes_on else inputs.draw_seed(self.random_state)
        batch, validation = inputs.hold_out(
            self.validation, batch, target, seed, lambda y, n: inputs.read_classes(y, n, classes)
        )

        def store(model: Self, outcome: Outcome) -> None:
            if not goes_on:
                inputs.check_features(model, X, width, reset=True)
            model._seed, model._class_totals, model.classes_ = seed, totals, classes
            model._store_outcome(outcome, settings)

        tasks = self._begin_tasks(self.epochs, store, X, y, sample_weight)
        plan = inputs.make_plan(self, n, seed, validation, observer=tasks)
        plan.check_rows(batch)
        batch = replace(batch, rows=only_finite(rows, looked_at(plan.order, batch.present())))
        state = self._state_to_train(settings, batch, len(classes), seed, goes_on)
        store(self, run(state, batch, plan))
        if tasks is not None:
            tasks.end()
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over these rows in their given order, continuing from the present state.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            A class for each row.
        classes : array-like, default=None
            All classes; needed in the first call if its rows do not contain them all.
        sample_weight : array-like of shape (n_rows,), default=None
            Factors for the coefficient of each update; a weight of 0 excludes the row.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message states where.
        """
        settings = self._checked_parameters()
        rows = as_rows(X)
        first = not hasattr(self, "_state")
        if not first:
            inputs.check_features(self, X, n_features(rows), reset=False)
            self._refuse_another_run(settings, self.classes_)
        known = None if first else self.classes_
        if classes is not None:
            given = check_classes(classes)
            if known is not None and not np.array_equal(given, known):
                raise BadInput(f"classes: got {given.tolist()}, learning began with {known.tolist()}")
            known = given
        target = inputs.read_classes(y, n_rows(rows), known)
        totals = target.no_totals() if first else self._class_totals.copy()
        batch = self._examples(rows, target, sample_weight, totals)
        batch = replace(batch, rows=only_finite(rows, batch.present()))
        seed = inputs.draw_seed(self.random_state) if first else self._seed
        state = self._state_to_train(settings, batch, len(target.classes), seed, not first)
        outcome = learn_once(state, batch, Plan(epochs=1, order="given", has_all_rows=False))
        if first:
            inputs.check_features(self, X, n_features(rows), reset=True)
        self._seed, self._class_totals, self.classes_ = seed, totals, target.classes
        self._store_outcome(outcome, settings)
        return self

    def _examples(
        self, rows: Rows, target: Target, sample_weight: ArrayLike | None, totals: NDArray[np.float64]
    ) -> Any:
        """Return the weighted examples, after checking that sums of their kernel values cannot overflow."""
        batch = inputs.make_examples(rows, target, sample_weight, self.class_weight, totals)
        refuse_heavy(batch.importance)
        return batch

    def _checked_parameters(self) -> dict[str, Any]:
        """Return the parameters of the equivalent `KernelPerceptron`; raise an error if one is invalid."""
        settings = self._parameters()
        check(KERNEL, settings)
        if settings["budget"] is not None:
            check_budget(as_budget(settings["budget"]), dual_rule(settings["rule"]), self.keep)
        return settings

    def _refuse_another_run(self, settings: dict[str, Any], classes: NDArray[Any]) -> None:
        """Raise an error if a parameter or the classes differ from those at the start of training."""
        if self._is_past:
            raise BadInput(
                "this model is a past state (as_of) and cannot be trained further; use the original"
            )
        began_with = {"y": self.classes_.tolist(), **self._began_with}
        inputs.refuse_another_run(began_with, {**settings, "y": classes.tolist()})

    def _state_to_train(
        self, settings: dict[str, Any], batch: Any, n_classes: int, seed: int, goes_on: bool
    ) -> DualState:
        """Return a copy of the state, or the initial state for these rows, with the present settings."""
        state = self._state.copy() if goes_on else self._begin(settings, batch, n_classes, seed)
        state.keep, state.seed, state.cache_bytes = self.keep, seed, as_bytes(settings["cache_size"])
        return state

    def _begin(self, settings: dict[str, Any], batch: Any, n_classes: int, seed: int) -> DualState:
        rows, present = batch.rows, batch.present()
        measured = rows
        if present is not None and len(present) < n_rows(rows):
            measured = take(rows, present)  # excluded rows must not affect gamma="scale"
        kernel = as_kernel(
            settings["kernel"], settings["degree"], settings["gamma"], settings["coef0"], measured
        )
        monomials = self._monomials(rows)
        backend: Backend = OnHost()  # an explicit w is stored on the host
        if monomials is None:
            backend = as_backend(settings["device"], isinstance(rows, Sparse), isinstance(kernel, Custom))
        n_columns = n_classes if n_classes > 2 else 1
        budget = None if settings["budget"] is None else as_budget(settings["budget"])
        state = DualState(
            kernel, settings["rule"], settings["offset"], self.tie, n_columns, backend, budget, seed
        )
        state.written_out = monomials
        return state

    def _store_outcome(self, outcome: Outcome, settings: dict[str, Any]) -> None:
        """Store the outcome of a run: the learned state and the counters."""
        self._forget_probabilities()
        self._state = state = outcome.state
        self._is_past = False
        self._began_with = {name: value for name, value in settings.items() if name in fixed_in(KERNEL)}
        self.kernel_ = state.kernel
        self.device_ = state.backend.name
        self.__dict__.update(outcome.fitted_attributes())

    # ------------------------------------------------------------ prediction

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return Σ coefficient·K for each row; for a committee Σ survival × sign.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One value per row; with more than two classes, one per row and class.

        Raises
        ------
        BadInput
            If the features of X differ from those of the training rows.
        """
        rows = self._rows_to_decide(X)
        return self._answers().values(rows)

    def _answers(self) -> DualAnswers:
        """Return an object that predicts with the current state and value of `keep`."""
        check_keep(self.keep)
        answers: DualAnswers = self._state.answers(self.keep)
        return answers

    def training_error(self, X: Any, y: ArrayLike) -> float:
        """Return E(h), the fraction of rows that are misclassified.

        With two classes and tie="mistake", a value of 0 counts as an error, whatever the label.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            The classes of the rows.

        Returns
        -------
        float
            The error, from 0 to 1.

        Raises
        ------
        BadInput
            If X or y do not fit the model.
        """
        rows = self._rows_to_decide(X)
        numbers = inputs.read_classes(y, n_rows(rows), self.classes_).numbers
        check_keep(self.keep)
        return self._state.error(ManyBatch(rows, Classes(numbers)), self.keep)

    def _rows_to_decide(self, X: Any) -> Rows:
        check_is_fitted(self)
        rows = as_rows(X)
        inputs.check_features(self, X, n_features(rows), reset=False)
        return only_finite(rows, None)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        If scores are equal, the first class is predicted; with two classes, a score of 0 predicts the first
        class, or the second with tie="positive".

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes.

        Raises
        ------
        BadInput
            If the features of X differ from those of the training rows.
        """
        return self._classes(self.decision_function(X))

    def _classes(self, values: NDArray[np.float64]) -> NDArray[Any]:
        if values.ndim == 2 and values.shape[1] > 1:
            return self.classes_[values.argmax(axis=1)]
        return self.classes_[second_of_two(values.ravel(), self.tie)]

    # ------------------------------------------------------------ fitted attributes

    def _coefficients(self) -> NDArray[np.float64]:
        """Return the coefficients of the support rows under the averaging strategy."""
        state, keep = self._state.deciding(self.keep)
        if keep == "voted":
            raise CommitteeHasNoWeights(
                "a voted committee decides by many vectors, so it has no single dual_coef_; use "
                "decision_function or predict, see survival_, or set keep='averaged'"
            )
        drawn = random_step(self._seed, state.looks)
        terms = [record.terms(keep, state.looks, drawn) for record in state.records]
        return np.vstack([term.mean_by_row(len(state.support)) for term in terms])

    @property
    def survival_(self) -> NDArray[np.int64] | list[NDArray[np.int64]]:
        """Number of steps that each vector survived; a list of arrays with more than two classes."""
        state = self._deciding_state()
        if not self._state.has_past:
            raise AttributeError("survival_: with a budget past vectors are not stored")
        survival = [record.survival(state.looks) for record in state.records]
        return survival[0] if len(survival) == 1 else survival

    def _deciding_state(self) -> DualState:
        if "_state" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} has learned nothing yet; call fit first")
        return self._state.deciding(self.keep)[0]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
