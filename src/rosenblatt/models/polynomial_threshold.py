"""`PolynomialThreshold`, a scikit-learn classifier: the sign of a polynomial."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.errors import BadInput, CommitteeHasNoWeights
from rosenblatt.kernels import Monomials, Polynomial, as_kernel, n_monomials
from rosenblatt.kernels.monomials import MOST_FEATURES
from rosenblatt.models.algebra import Algebra
from rosenblatt.models.calibrating import Probable
from rosenblatt.models.fit_inputs import HasRule, check_features
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.numeric.examples import as_rows, n_features, n_rows
from rosenblatt.training.run import MISTAKES, Epoch
from rosenblatt.training.settings import KERNEL, POLYNOMIAL, settings_of

OF_THE_LEARNER = (
    "classes_", *MISTAKES, "updates_", "exact_decisions_", "examples_seen_", "epochs_", "history_",
    "converged_", "best_epoch_", "n_features_in_", "feature_names_in_",
)  # fmt: skip
"""Attributes that are read from the kernel perceptron that does the work."""

MOST_WRITTEN_OUT = 20_000  # monomials; larger maps are written out only if way="map" requests it


class PolynomialThreshold(HasRule, Probable, ClassifierMixin, BaseEstimator):
    """Classify rows by the sign of a polynomial p(x) of degree at most `degree`, learned as a perceptron.

    p is linear in the monomials of x. There are two ways to learn p, which make the same mistakes. The map
    computes all (d + degree choose degree) monomials, times the square roots of their weights
    (`rosenblatt.kernels.Monomials`). The kernel (x·z + coef0)^degree avoids computing monomials. With more
    than two classes, one polynomial is trained for each class against the rest, and the largest value
    decides.

    Parameters
    ----------
    degree : int, default=2
        The largest degree of a monomial.
    way : {"auto", "map", "kernel"}, default="auto"
        "auto" uses the map if there are at most 20,000 monomials, and at most a quarter as many monomials
        as numbers in X; otherwise it uses the kernel. (A step with the kernel reads every row that was ever
        a mistake.)
    coef0 : float, default=1.0
        The weight of the monomials of lower degree relative to those of degree `degree`; with 0, p is
        homogeneous: all its terms have degree `degree`.
    rule, keep, epochs, until, order, tie, class_weight, validation : as in KernelPerceptron
        See `KernelPerceptron`.
    callbacks, warm_start, random_state, progress, track_error : as in KernelPerceptron
        See `KernelPerceptron`. There is no `offset`, since the polynomial has a constant term (if coef0 >
        0), and no `init`: p starts at 0.

    Attributes
    ----------
    polynomial_ : Algebra or dict of Algebra
        The polynomial p, which lists its `terms`, prints as algebra and can be called on rows; with more
        than two classes, a dict from class to polynomial. A voted committee does not have this attribute.
    way_ : {"map", "kernel"}
        The way in which p was learned.
    n_monomials_ : int
        The number of monomials, including those with coefficient zero.
    classes_, mistakes_, updates_, examples_seen_, epochs_ : as in KernelPerceptron
        See `KernelPerceptron`.
    converged_, history_, best_epoch_ : as in Perceptron
        See `Perceptron`.
    false_positives_, false_negatives_, exact_decisions_, survival_ : as in KernelPerceptron
        See `KernelPerceptron`.
    mistakes_per_class_, false_positives_per_class_, false_negatives_per_class_ : as in Perceptron
        See `Perceptron`.
    n_features_in_, feature_names_in_ : int and ndarray
        The number of features and, for tables, their names, as in scikit-learn.

    Examples
    --------
    >>> from rosenblatt import PolynomialThreshold
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> model = PolynomialThreshold(until="separated", order="given").fit(xor, [0, 1, 1, 0])
    >>> print(model.polynomial_)
    −8·x0·x1
    >>> model.way_, model.predict(xor)
    ('kernel', array([0, 1, 1, 0]))
    """

    def __init__(
        self,
        degree: int = 2,
        way: Literal["auto", "map", "kernel"] = "auto",
        coef0: float = 1.0,
        rule: str | tuple[Any, ...] = "rosenblatt",
        keep: Literal["last", "averaged", "voted", "random"] = "last",
        epochs: int | None = 10,
        until: Literal["separated"] | None = None,
        order: str | ArrayLike = "shuffled",
        tie: Literal["mistake", "negative", "positive"] = "mistake",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        validation: float | tuple[Any, ArrayLike] | None = None,
        callbacks: Callable[[Epoch], bool | None] | Sequence[Callable[[Epoch], bool | None]] | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        progress: bool | None = None,
        track_error: bool = False,
    ) -> None:
        self.degree = degree
        self.way = way
        self.coef0 = coef0
        self.rule = rule
        self.keep = keep
        self.epochs = epochs
        self.until = until
        self.order = order
        self.tie = tie
        self.class_weight = class_weight
        self.validation = validation
        self.callbacks = callbacks
        self.warm_start = warm_start
        self.random_state = random_state
        self.progress = progress
        self.track_error = track_error

    # ------------------------------------------------------------ training

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PolynomialThreshold:
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
        PolynomialThreshold
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message says where.
        """
        learner = self._learner(X, self.warm_start and self.__sklearn_is_fitted__())
        learner.fit(X, y, sample_weight)
        return self._take_over(learner)

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> PolynomialThreshold:
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
        PolynomialThreshold
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used; the message says where.
        """
        learner = self._learner(X, self.__sklearn_is_fitted__())
        learner.partial_fit(X, y, classes, sample_weight)
        return self._take_over(learner)

    def _learner(self, X: Any, goes_on: bool) -> KernelPerceptron:
        """Return a new kernel perceptron that does the work, or the existing one if training continues."""
        shared = (settings_of(POLYNOMIAL).keys() & settings_of(KERNEL)) - {"degree", "coef0"}
        parameters = {name: getattr(self, name) for name in shared}
        kernel = as_kernel(Polynomial(self.degree, 1.0, self.coef0))
        if goes_on:
            check_features(self, X, n_features(as_rows(X)), reset=False)
            if self.way not in ("auto", self.way_):
                raise BadInput(
                    f"way: {self.way!r} now, but learning began with {self.way_!r}; continue as it began, "
                    "or start again with fit (warm_start=False)"
                )
            for name in ("degree", "coef0"):
                now, before = getattr(kernel, name), getattr(self._learner_.kernel, name)
                if now != before:
                    raise BadInput(
                        f"{name}: {now} now, but learning began with {before}; "
                        "continue as it began, or start again with fit (warm_start=False)"
                    )
            return self._learner_.set_params(**parameters)
        learner = KernelPerceptron(kernel=kernel, **parameters)
        rows = as_rows(X)
        if chosen_way(self.way, n_rows(rows), n_features(rows), kernel.degree, kernel.coef0) == "map":
            learner._written_out = kernel.monomials(n_features(rows))
        return learner

    def _take_over(self, learner: KernelPerceptron) -> PolynomialThreshold:
        self._forget_probabilities()
        self._learner_ = learner
        return self

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the kernel perceptron if this estimator does not have it."""
        if name in OF_THE_LEARNER and "_learner_" in vars(self):
            return getattr(self._learner_, name)
        return super().__getattribute__(name)  # raises the original error if a property failed

    # ------------------------------------------------------------ prediction

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return p(x) for each row; for a committee Σ survival × sign.

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
        return self._decider(X).decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, decided as in `KernelPerceptron`.

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
        return self._decider(X).predict(X)

    def training_error(self, X: Any, y: ArrayLike) -> float:
        """Return E(h), the fraction of rows that are misclassified, counted as in `KernelPerceptron`.

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
        return self._decider(X).training_error(X, y)

    def _decider(self, X: Any) -> KernelPerceptron:
        check_is_fitted(self)
        check_features(self, X, n_features(as_rows(X)), reset=False)
        learner: KernelPerceptron = self._learner_.set_params(keep=self.keep, tie=self.tie)
        return learner

    # ------------------------------------------------------------ fitted attributes

    @property
    def polynomial_(self) -> Algebra | dict[Any, Algebra]:
        """Polynomial p as an `Algebra`; with more than two classes, a dict from class to polynomial."""
        self._fitted_learner()
        names = [str(name) for name in getattr(self, "feature_names_in_", [])] or [
            f"x{j}" for j in range(self.n_features_in_)
        ]
        terms, coefficients = self._written_out()
        found = [Algebra(terms.powers, column, names) for column in coefficients]
        return found[0] if len(found) == 1 else dict(zip(self.classes_.tolist(), found, strict=True))

    def _written_out(self) -> tuple[Monomials, list[NDArray[np.float64]]]:
        """Return the monomials, and an array of their coefficients for each class."""
        if self.keep == "voted":
            raise CommitteeHasNoWeights(
                "a voted committee decides by many polynomials, so it has no one polynomial_; use "
                "predict, see survival_, or set keep='averaged'"
            )
        if self.n_monomials_ > MOST_FEATURES:
            raise BadInput(
                f"polynomial_: it has {self.n_monomials_:,} terms, too many to write out; "
                "use decision_function, or a smaller degree"
            )
        # use a copy, so that reading the model does not change it
        learner: KernelPerceptron = copy.copy(self._learner_).set_params(keep=self.keep)
        terms = learner._written_out or learner.kernel_.monomials(self.n_features_in_)
        plain = learner._fitted().support.combined(terms, learner._coefficients().T, with_roots=False)
        return terms, [terms.weights * column for column in plain.T]

    @property
    def way_(self) -> str:
        """Way that was used, "map" or "kernel"."""
        return "kernel" if self._fitted_learner()._written_out is None else "map"

    @property
    def n_monomials_(self) -> int:
        """Number of monomials, including those with coefficient zero."""
        learner = self._fitted_learner()
        return n_monomials(learner.n_features_in_, learner.kernel_.degree, learner.kernel_.coef0)

    @property
    def survival_(self) -> NDArray[np.int64] | list[NDArray[np.int64]]:
        """Number of steps that each vector of a committee survived."""
        return self._fitted_learner().survival_

    def _fitted_learner(self) -> KernelPerceptron:
        if not self.__sklearn_is_fitted__():
            raise AttributeError("this PolynomialThreshold has learned nothing yet; call fit first")
        return self._learner_

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner_" in vars(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def chosen_way(way: Any, n: int, d: int, degree: int, coef0: float = 1.0) -> str:
    """Return "map" or "kernel" for n rows of d features.

    Examples
    --------
    >>> chosen_way("auto", 10_000, 10, 3), chosen_way("auto", 60_000, 784, 4)
    ('map', 'kernel')
    """
    settings_of(POLYNOMIAL)["way"].refuse(way)
    many = n_monomials(d, degree, coef0)
    if way == "map" and many > MOST_FEATURES:
        raise BadInput(
            f"way: 'map' would write out {many:,} monomials of {d:,} features up to degree {degree}; "
            "use way='kernel', which makes the same mistakes, or a smaller degree"
        )
    if way == "auto":
        return "map" if many <= min(MOST_WRITTEN_OUT, n * d // 4) else "kernel"
    return way
