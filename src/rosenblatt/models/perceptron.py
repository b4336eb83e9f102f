"""`Perceptron`, a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.sources.feature_names import Vocabulary
from rosenblatt.data.sources.naming import FeatureNames
from rosenblatt.data.targets import (
    Target,
    constant_labels,
    is_label_table,
    read_target,
    refuse_another_kind,
    target_of_stream,
)
from rosenblatt.errors import CommitteeHasNoWeights
from rosenblatt.models import fit_inputs as inputs
from rosenblatt.models.calibrating import Probable
from rosenblatt.models.callbacks import HasCallbacks, closes_callbacks
from rosenblatt.models.html_summary import ShowsRun
from rosenblatt.numeric.row_batches import Rows, as_rows, n_features, n_rows
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.run import Epoch, Outcome, Plan, learn_once, run
from rosenblatt.training.settings import PERCEPTRON, check


class Perceptron(ShowsRun, HasCallbacks, inputs.HasRule, Probable, ClassifierMixin, BaseEstimator):
    """Classify rows by hyperplanes learned with the perceptron or a related rule.

    h(x) = sign(w·x + b). An example is a mistake if y(w·x + b) ≤ 0, decided by the exact sign of the sum;
    on a mistake, Rosenblatt's rule adds y·x to w and y to b. On data that a hyperplane separates with
    margin γ, the rule makes at most (R/γ)² mistakes, where R is the largest ‖x‖; with an offset, R and γ
    refer to the lifted points (x, 1).

    With more than two classes, there is a binary classifier (w, b), called a column, for each class. The
    class with the largest w·x + b is predicted; ties go to the first class. With a table of labels (1 if a
    row has a label, otherwise 0), there is a column for each label. All columns are trained in the same
    pass over the rows, and the weights of each column are the same, bit for bit, as if it were trained
    alone.

    Parameters
    ----------
    rule : str or rule object, default="rosenblatt"
        The update rule: a name in ``rosenblatt.rules.RULES`` such as "margin", or an object with
        parameters such as ``rosenblatt.rules.Margin(tau=0.5)``.
    keep : {"last", "averaged", "voted", "pocket"}, default="last"
        The averaging strategy, which determines the weights used for prediction: the last; the mean over
        all steps; all of them, each with as many votes as the steps it survived; or the best one seen.
    offset : bool, default=True
        Whether to learn an offset (intercept) b, as the weight of a feature that is always 1.
    epochs : int or None, default=10
        The number of passes over the data. With ``until="separated"`` it is the maximum number of passes,
        and None means no limit.
    until : {"separated"} or None, default=None
        "separated" stops after the first pass without a mistake, or after `epochs` passes.
    order : {"shuffled", "given", "first_mistake", "worst_mistake"} or sequence of int, default="shuffled"
        The rows of a pass. "shuffled": all rows in a new random order in each pass; "given": all rows in
        their given order; "first_mistake" and "worst_mistake": at each of n steps, the first or the worst
        row (smallest y(w·x + b)) among the rows on which the rule would act; a sequence: the listed rows,
        the same in each pass.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        The treatment of a score of exactly 0. "mistake": in training and in `training_error` it counts as a
        mistake for either label, and `predict` returns the first class.
    init : {"zeros", "unit"}, array or (array, float), default="zeros"
        The initial weights: 0, (1/√d, …, 1/√d) with b = 0, the given w, or the given (w, b). With several
        columns, pass one row of weights for each column, or one for all.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weight of each example of a class; for labels, factors for the examples with and
        without each label.
    validation : float, (X, y) or None, default=None
        The fraction of the rows to hold out, or separate validation rows. The model uses the weights of the
        pass with the smallest error on these rows; `best_epoch_` is that pass.
    callbacks : callable or list of callable, default=None
        Functions called after each pass with its `Epoch` record; one that returns True ends the run.
    warm_start : bool, default=False
        Whether `fit` continues from the end of the last `fit`, as if both were one run.
    random_state : int, RandomState or None, default=None
        The seed of the shuffles and of the rows held out.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always shows it; False never does.
    track_error : bool, default=False
        Whether to record the training error of each pass in `history_`. This needs a second pass over the
        data each time.
    multiclass : {"one_vs_rest", "ultraconservative"}, default="one_vs_rest"
        The strategy for more than two classes. "one_vs_rest": each class is trained against the rest,
        independently. "ultraconservative": all classes share one mistake, which occurs if another class
        scores as high as the right one; an update then adds x to the right class and subtracts it from its
        rivals.
    sharing : {"worst", "uniform", "proportional"}, default="worst"
        How the rivals share the subtraction of x in "ultraconservative". "worst": the rival with the
        highest score takes all of it; "uniform": all rivals that score at least as high as the right class
        take equal parts; "proportional": each takes a part in proportion to its lead.
    allow_new_classes : bool, default=False
        Whether `partial_fit` accepts new classes. Every class then has a column, even if there are only
        two; the column of a new class starts at `init`.
    n_jobs : int or None, default=None
        The number of threads that share the columns; -1 for all cores. The result does not depend on this
        number.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        The device on which `fit` learns the columns of many classes or labels from dense rows; "cuda" needs
        the extra `gpu`. "auto" uses a GPU if there is one and it is faster. The result does not depend on
        the device.

    Attributes
    ----------
    classes_ : ndarray
        The classes; with two, the second is the positive class. For a table of labels, the column numbers.
    coef_, intercept_ : ndarray of shape (n_columns, n_features_in_) and (n_columns,)
        The weights. There is one column for two classes, otherwise one for each class or label. A voted
        committee does not have these attributes.
    n_features_in_, feature_names_in_ : int and ndarray
        The number of features and, for tables, their names, as in scikit-learn.
    mistakes_, updates_, examples_seen_, epochs_ : int
        Counters; mistakes and updates are totals over the columns.
    false_positives_, false_negatives_ : int
        The two kinds of training mistakes: the positive class predicted for a negative example, and the
        reverse. They are totals over the columns, where the positive class of a column is its own class or
        label; in "ultraconservative" every mistake counts as one of each kind.
    mistakes_per_class_ : ndarray
        The mistakes of each column; in "ultraconservative", the mistakes on rows of each class.
    false_positives_per_class_, false_negatives_per_class_ : ndarray
        The two kinds of mistakes of each column. In "ultraconservative" a misclassified row is a false
        positive of the wrong class with the largest score; ties go to the first.
    device_ : str
        The device that the last `fit` used.
    constant_labels_ : ndarray
        For a table of labels, the numbers of the columns that are all 0 or all 1.
    exact_decisions_ : int
        The number of steps whose score was too near 0 for floating point, so that exact arithmetic decided
        them.
    converged_ : bool
        Whether the last pass had no mistake. For a rule that updates only on mistakes, w then classifies
        all rows of the pass correctly; a rule with a margin may still have changed w during the pass.
    history_ : list of Epoch
        One record for each pass of the last call.
    best_epoch_ : int
        The pass after which the model's weights were taken. With `validation` it need not be the last; a
        later `partial_fit` continues from that pass and from its counters.
    calibration_ : Calibration
        After `calibrate`, the curves from decision values to probabilities.
    threshold_ : float
        The value above which the second of two classes is predicted, in models written by ``rosenblatt fit
        --threshold``; other models have no such attribute, and their threshold is 0.
    survival_ : ndarray or list of ndarray
        For a committee, the number of steps that each of its vectors survived, starting with the initial w.

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
        rule: str | tuple[Any, ...] = "rosenblatt",
        keep: Literal["last", "averaged", "voted", "pocket"] = "last",
        offset: bool = True,
        epochs: int | None = 10,
        until: Literal["separated"] | None = None,
        order: str | ArrayLike = "shuffled",
        tie: Literal["mistake", "negative", "positive"] = "mistake",
        init: ArrayLike | tuple[ArrayLike, float] = "zeros",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        validation: float | tuple[Any, ArrayLike] | None = None,
        callbacks: Callable[[Epoch], bool | None] | Sequence[Callable[[Epoch], bool | None]] | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        progress: bool | None = None,
        track_error: bool = False,
        multiclass: Literal["one_vs_rest", "ultraconservative"] = "one_vs_rest",
        sharing: Literal["worst", "uniform", "proportional"] = "worst",
        allow_new_classes: bool = False,
        n_jobs: int | None = None,
        device: Literal["cpu", "cuda", "auto"] = "cpu",
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
        self.multiclass = multiclass
        self.sharing = sharing
        self.allow_new_classes = allow_new_classes
        self.n_jobs = n_jobs
        self.device = device

    _seed: int
    threshold_: float
    _began_with: dict[str, Any]
    _state: LinearState
    _decider: Any  # object that computes predictions from the state
    _kept: NDArray[np.float64] | None
    _vocabulary: Vocabulary | None = None  # the names of hashed features

    # ------------------------------------------------------------ training

    @closes_callbacks
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on all rows, pass after pass.

        If an error occurs, the estimator keeps its previous state.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The training rows.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            A class for each row, or a table with a column of 0 and 1 for each label.
        sample_weight : array-like of shape (n_rows,), default=None
            Factors for the coefficient of each update; a weight of 0 excludes the row.

        Returns
        -------
        Perceptron
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message states where.
        """
        check(PERCEPTRON, vars(self))
        check(PERCEPTRON, vars(self), planned=True)
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        rows = inputs.rows_for(self, X) if goes_on else as_rows(X)
        n = n_rows(rows)
        known = self.classes_ if goes_on and self.allow_new_classes and not is_label_table(y) else None
        target = read_target(inputs.one_column(y), n, known, each_has_a_column=self.allow_new_classes)
        constant, totals, n_columns = constant_labels(target, n), target.no_totals(), target.n_columns
        seed = self._seed if goes_on else inputs.draw_seed(self.random_state)
        class_weight = inputs.weights_of_classes(self.class_weight, target, self.allow_new_classes)
        batch = inputs.make_examples(rows, target, sample_weight, class_weight, totals)
        batch, validation = inputs.hold_out(self.validation, batch, target, seed)
        began_with = inputs.beginning_of(self, target.classes)
        if goes_on:
            refuse_another_kind(target, self._target)
            inputs.refuse_another_run(self._began_with, began_with)
        state = self._state.copy() if goes_on else inputs.begin_run(self, batch, n_columns)
        backend = inputs.device_of(self.device, state, batch)
        device = None if backend.is_host else backend

        def store(model: Perceptron, outcome: Outcome) -> None:
            if not goes_on:
                inputs.remember_features(model, X, n_features(rows))
            model._seed, model._began_with, model.device_ = seed, began_with, backend.name
            model._take(target, constant, totals, outcome.state, outcome.fitted_attributes())

        tasks = self._begin_tasks(self.epochs, store, X, y, sample_weight)
        plan = inputs.make_plan(
            self, n, seed, validation, n_jobs=self.n_jobs, device=device, observer=tasks
        )
        store(self, run(state, batch, plan))
        if tasks is not None:
            tasks.end()
        return self

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Make one pass over these rows in their given order, continuing from the present weights.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            The classes or the table of labels.
        classes : array-like, default=None
            All classes; needed in the first call if its rows do not contain them all (unless
            allow_new_classes=True).
        sample_weight : array-like of shape (n_rows,), default=None
            Factors for the coefficient of each update; a weight of 0 excludes the row.

        Returns
        -------
        Perceptron
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message states where.
        """
        check(PERCEPTRON, vars(self))
        first = not self.__sklearn_is_fitted__()
        rows = as_rows(X) if first else inputs.rows_for(self, X)
        n = n_rows(rows)
        if not first:
            inputs.refuse_another_run(self._began_with, inputs.beginning_of(self, self.classes_))
        before = None if first else self._target
        target = target_of_stream(inputs.one_column(y), n, classes, before, self.allow_new_classes)
        constant, totals, n_columns = constant_labels(target, n), target.no_totals(), target.n_columns
        if not first:
            totals[: len(self._class_totals)] = self._class_totals
        class_weight = inputs.weights_of_classes(self.class_weight, target, self.allow_new_classes)
        batch = inputs.make_examples(rows, target, sample_weight, class_weight, totals)
        state: Any = inputs.begin_run(self, batch, n_columns) if first else self._state
        late = 0 if first else len(target.classes) - len(self.classes_)
        if not first and (late or not inputs.cannot_fail(self.rule, batch, n_columns)):
            state = state.copy()  # the old state must survive an error
        if late:
            state.add_columns(late)
        outcome = learn_once(
            state, batch, Plan(epochs=1, order="given", n_jobs=self.n_jobs, has_all_rows=False)
        )
        if first:
            inputs.remember_features(self, X, n_features(rows))
            self._seed = inputs.draw_seed(self.random_state)
        self._began_with = inputs.beginning_of(self, target.classes)
        self._take(target, constant, totals, outcome.state, outcome.fitted_attributes())
        return self

    @closes_callbacks
    def fit_stream(
        self,
        source: Any,
        classes: Iterable[Any] | None = None,
        held_out: Any = None,
        checkpoint: str | None = None,
        every: float = 30.0,
        cache: str | None = None,
        names: Literal["all", "none"] | int = "all",
    ) -> Self:
        """Train on rows that need not fit into memory; the weights equal those of `fit` bit for bit.

        Afterwards `reading_` contains the reading options, for ``read(other, like=model.reading_)``.

        Parameters
        ----------
        source : source
            Files, tables, Arrow streams or iterables of (X, y), as accepted by `rosenblatt.read`, or the
            result of `read`.
        classes : iterable, default=None
            All classes; by default those of the first rows.
        held_out : source, default=None
            Separate rows on which the error is measured after each pass.
        checkpoint : str, default=None
            A file to which the run is saved regularly; repeating the same call continues the run from this
            file.
        every : float, default=30.0
            Seconds between checkpoints.
        cache : str, default=None
            A file that stores the parsed rows for later passes.
        names : {"all", "none"} or int, default="all"
            How many names of hashed features the model stores, for `weights_by_name` and `explain`: those
            of the largest weights. "all" stands for up to 1,048,576. **A saved model contains these words
            of the training data.**

        Returns
        -------
        Perceptron
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message names the file and line.
        """
        from rosenblatt.models.fit_stream import record_of_stream, record_so_far
        from rosenblatt.models.saving import take_record

        check(PERCEPTRON, vars(self))
        tasks = self._begin_tasks(self.epochs, lambda model, run: take_record(model, record_so_far(run)))
        take_record(
            self,
            record_of_stream(self, source, classes, held_out, checkpoint, every, cache, names, tasks),
        )
        if tasks is not None:
            tasks.end()
        return self

    def _take(
        self,
        target: Target,
        constant: NDArray[np.int64] | None,
        totals: NDArray[np.float64],
        state: LinearState,
        shown: dict[str, Any],
    ) -> None:
        """Store the classes and labels of y, the state and the fitted attributes of a run."""
        self._forget_probabilities()
        for name, value in (("constant_labels_", constant), ("label_names_", target.names)):
            self.__dict__.pop(name, None)
            if target.has_labels and value is not None:
                setattr(self, name, value)
        self.classes_, self._target = target.classes, target.without_rows()
        self._class_totals, self._state, self._kept = totals, state, None
        self._decider = state.answers()
        self.__dict__.update(shown)

    # ------------------------------------------------------------ prediction

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return w·x + b for each row, with its exact sign; for a committee Σ survival × sign.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_columns)
            One value per row; with more than two classes, or labels, one per row and column. With
            allow_new_classes=True and two classes, the score of the second minus the score of the first.

        Raises
        ------
        BadInput
            If the features of X differ from those of the training rows.
        """
        rows = self._rows_to_decide(X)
        values: NDArray[np.float64] = self._decider.values(rows)
        if values.ndim == 2 and len(self.classes_) == 2 and not self._target.has_labels:
            return self._decider.lead(rows, values)
        return values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, or a table of its labels.

        With two classes, a value of 0 predicts the first class, or the second with tie="positive"; with
        more classes, ties go to the first.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or table of shape (n_rows, n_labels)
            The classes or labels.

        Raises
        ------
        BadInput
            If the features of X differ from those of the training rows.
        """
        rows = self._rows_to_decide(X)
        if not self._target.has_two_classes and not self._target.has_labels:
            return self.classes_[self._decider.best(rows)]
        values = self._decider.values(rows)
        positive = values >= 0.0 if self.tie == "positive" else values > 0.0
        if "threshold_" in vars(self):
            positive = values > self.threshold_
        if self._target.has_labels:
            return self._target.table(positive)
        return self.classes_[positive.astype(np.intp)]

    def training_error(self, X: Any, y: ArrayLike) -> float:
        """Return E(h), the fraction of rows that are misclassified.

        For tables of labels, it is the fraction of wrong entries. With two classes, or labels, and
        tie="mistake", a value of 0 counts as an error.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            The classes or the table of labels.

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
        target = read_target(
            inputs.one_column(y), n_rows(rows), self.classes_, not self._target.has_two_classes
        )
        refuse_another_kind(target, self._target)
        return self._state.error(inputs.make_examples(rows, target))

    @property
    def _has_labels(self) -> bool:  # type: ignore[override]
        return self._target.has_labels

    def _rows_to_decide(self, X: Any) -> Rows:
        check_is_fitted(self)
        return inputs.rows_for(self, X)

    # ------------------------------------------------------------ fitted attributes

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weight vectors, one row per binary classifier."""
        return self._weights()[:, :-1]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Offsets, one per binary classifier."""
        return self._weights()[:, -1].copy()

    @property
    def survival_(self) -> NDArray[np.int64] | list[NDArray[np.int64]]:
        """Number of steps that each vector of a committee survived; a list for several committees."""
        check_is_fitted(self)
        if not self._state.is_committee:
            raise AttributeError("survival_ belongs to a committee; train with keep='voted'")
        survival = [state.survival() for state in self._state.committees()]
        return survival[0] if self._target.has_two_classes else survival

    def weights_by_name(self, of: Hashable = None) -> dict[str, float]:
        """Return the weight of each feature by its name, largest absolute value first.

        A model of `rosenblatt fit` names its words and categories, as in "text=free". If several share a
        feature, they are joined by "or", and the weight is that of the first.

        Parameters
        ----------
        of : class or label, default=None
            The class or label whose weights are returned; required unless there are two classes.

        Returns
        -------
        dict of str to float
            The weights.

        Raises
        ------
        BadInput
            If `of` is not one of the columns.

        Examples
        --------
        >>> Perceptron(order="given").fit([[0.0, 1.0], [2.0, 0.0]], [0, 1]).weights_by_name()
        {'x0': 2.0, 'x1': -1.0}
        """
        check_is_fitted(self)
        columns = getattr(self, "label_names_", self.classes_.tolist())
        weights = self.coef_[inputs.column_of(of, columns, len(self.coef_))]
        named = FeatureNames(
            getattr(self, "reading_", None), getattr(self, "feature_names_in_", None), self._vocabulary
        ).of(range(weights.size))
        return {
            str(named[j].name): float((named[j].sign or 1.0) * weights[j])
            for j in np.argsort(-np.abs(weights), kind="stable").tolist()
        }

    def _weights(self) -> NDArray[np.float64]:
        if "_state" not in vars(self):
            raise AttributeError("this Perceptron has learned nothing yet; call fit first")
        if self._state.is_committee:
            raise CommitteeHasNoWeights(
                "a voted committee decides by many weight vectors, so it has no single coef_ or "
                "intercept_; use decision_function or predict, see survival_, or train with keep='averaged'"
            )
        if self._kept is None:
            self._kept = np.atleast_2d(self._state.returned_weights())
            self._kept.flags.writeable = False  # changing this array would not change the predictions
        return self._kept

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.multiclass == "one_vs_rest"
        tags.input_tags.sparse = True
        return tags
