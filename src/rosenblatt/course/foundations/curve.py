"""`PolynomialCurve`: a scikit-learn regressor that fits polynomials by (regularised) least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.course.foundations.chebyshev import Interval, interval_of
from rosenblatt.course.foundations.least_squares import Problem
from rosenblatt.data.importance import as_importance
from rosenblatt.errors import BadInput, bad_value, counted, whole_number

if TYPE_CHECKING:
    from rosenblatt.models.algebra import Algebra

CANDIDATES = (0.0, *(10.0**exponent for exponent in range(-15, 4)))
"""The λ that l2="auto" tries."""

MOST_TERMS = 600
AS_GOOD = 1 + 1e-9  # held-out errors with a smaller relative difference count as equal

Doubles = NDArray[np.float64]


class HeldOut(NamedTuple):
    """Hold the mean squared errors for one λ, on the training rows and on the held-out rows."""

    l2: float
    training: float
    held_out: float


class PolynomialCurve(RegressorMixin, BaseEstimator):
    """Fit a polynomial f(x) = w₀ + w₁x + … + w_M x^M that minimises Σ (y − f(x))² + λ‖w‖².

    The penalty includes w₀, as in the lecture notes. With several columns, f contains the powers of each
    column, a single w₀, and no products between columns. If λ = 0 and several w attain the minimum (because
    there are fewer distinct points than terms), the shortest one is returned, which is the limit for λ → 0.

    The problem is solved and evaluated in doubles, in the Chebyshev basis on the interval of each column.
    With 25 points, the error of predictions is 10⁻¹⁵ at degree 9 and 10⁻⁹ at degree 20. `coef_` loses more
    digits at higher degrees. It loses all digits if λ > 0 and x is far from 0 relative to its spread (for
    example, years); in this case, subtract the mean first.

    Parameters
    ----------
    degree : int, default=3
        M, the highest power of each column; 0 gives a horizontal line.
    l2 : float or "auto", default=0.0
        The penalty λ. "auto" chooses among `candidates` by cross-validation: the distinct rows of X are
        divided into `folds` parts at random, each part is predicted by a curve fitted to the other parts,
        and the λ with the smallest mean squared error is used for the final fit on all rows (ties go to the
        largest λ). Rows with the same X are in the same part, so the choice does not depend on the order of
        the rows, or on whether a row is repeated or has a weight instead.
    candidates : sequence of float, default=None
        The values of λ to try; None means 0 and the powers of ten from 10⁻¹⁵ to 10³.
    folds : int, default=5
        The number of parts; with fewer distinct rows, each row is a part.
    random_state : int, RandomState or None, default=None
        The seed of the division into parts; not used unless l2="auto".

    Attributes
    ----------
    coef_ : ndarray
        w₀, followed by w₁, …, w_M of each column. There is no separate intercept. A coefficient outside the
        range of doubles is infinite or 0; `predict` does not use `coef_`.
    l2_ : float
        The λ used.
    training_error_ : float
        The weighted sum Σ (y − f(x))² over the training rows.
    objective_ : float
        The minimum of the objective, training_error_ + λ‖w‖².
    validation_curve_ : list of HeldOut or None
        The mean squared errors for each candidate; None unless l2="auto".
    polynomial_ : Algebra
        f, which prints as algebra.
    n_features_in_, feature_names_in_ : int and ndarray
        The number of features and, for tables, their names, as in scikit-learn.

    Examples
    --------
    >>> from rosenblatt.foundations import PolynomialCurve
    >>> x, y = [[-1.0], [0.0], [1.0], [2.0]], [1.0, 0.0, 1.0, 4.0]
    >>> model = PolynomialCurve(degree=2).fit(x, y)
    >>> print(model.polynomial_)
    x²
    >>> model.training_error_ < 1e-28, model.predict([[3.0]])
    (True, array([9.]))
    >>> PolynomialCurve(degree=2, l2=1.0).fit(x, y).coef_
    array([0.12440191, 0.13397129, 0.85167464])
    """

    def __init__(
        self,
        degree: int = 3,
        l2: float | Literal["auto"] = 0.0,
        candidates: Sequence[float] | None = None,
        folds: int = 5,
        random_state: Any = None,
    ) -> None:
        self.degree = degree
        self.l2 = l2
        self.candidates = candidates
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PolynomialCurve:
        """Fit the polynomial.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows.
        y : array-like of shape (n_rows,)
            The targets.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights of the rows. A row of weight 2 counts as two rows; rows of weight 0 are left out.

        Returns
        -------
        PolynomialCurve
            The estimator itself.

        Raises
        ------
        BadInput
            If a parameter or the data cannot be used.
        """
        degree = whole_number("degree", self.degree, 0)
        l2 = None if isinstance(self.l2, str) and self.l2 == "auto" else penalty("l2", self.l2)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        check_terms(X.shape[1], degree)
        weight = as_importance(1.0 if sample_weight is None else sample_weight, len(X))
        present = weight > 0
        X = X[present] + 0.0  # turns −0 into 0
        self._learn(X, np.asarray(y, dtype=np.float64)[present], weight[present], degree, l2)
        return self

    def _learn(self, X: Doubles, y: Doubles, weight: Doubles, degree: int, l2: float | None) -> None:
        intervals = [interval_of(column) for column in X.T]
        curve = None
        if l2 is None:
            candidates, parts = self._candidates(), self._dealt(X)
            curve = held_out_errors(X, y, weight, parts, candidates, intervals, degree)
            l2 = best(curve)
        self.coef_, self._curve = Problem(X, y, weight, intervals, degree).minimiser(l2)
        self.l2_, self.validation_curve_ = l2, curve
        self.training_error_ = math.fsum((weight * (y - self._curve(X)) ** 2).tolist())
        self.objective_ = self.training_error_ + (l2 * float(self.coef_ @ self.coef_) if l2 else 0.0)

    def predict(self, X: Any) -> Doubles:
        """Return f(x) for each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The values.

        Raises
        ------
        BadInput
            If a value is beyond the largest double.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = self._curve(X)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise BadInput(
                f"X: in row {row} the curve is beyond the largest double; x is too far from the data"
            )
        return values

    @property
    def polynomial_(self) -> Algebra:
        """Polynomial f as an `Algebra`, which prints as algebra."""
        from rosenblatt.models.algebra import Algebra

        if not self.__sklearn_is_fitted__():
            raise AttributeError("this PolynomialCurve has learned nothing yet; call fit first")
        d = self.n_features_in_
        powers = [(), *((j,) * (k + 1) for j in range(d) for k in range(len(self.coef_) // d))]
        names = [str(name) for name in getattr(self, "feature_names_in_", [])] or (
            ["x"] if d == 1 else [f"x{j}" for j in range(d)]
        )
        return Algebra(powers[: len(self.coef_)], self.coef_, names)

    # ------------------------------------------------------------ λ on held-out rows

    def _candidates(self) -> list[float]:
        if self.candidates is None:
            return list(CANDIDATES)
        try:
            listed = [penalty("candidates", l2) for l2 in self.candidates]
        except TypeError as error:
            raise bad_value("candidates", self.candidates, "numbers of at least 0, or None") from error
        if not listed:
            raise bad_value("candidates", self.candidates, "at least one λ to try")
        return listed

    def _dealt(self, X: Doubles) -> list[NDArray[np.int64]]:
        """Return the row numbers of each part; rows with the same X are in the same part."""
        folds = whole_number("folds", self.folds, 2)
        different, number = np.unique(X, axis=0, return_inverse=True)
        if len(different) < 2:
            raise BadInput(
                "l2: 'auto' holds rows out, and one sample (or one x) leaves none to learn from; "
                "give l2 a number, or more points"
            )
        folds = min(folds, len(different))
        part = check_random_state(self.random_state).permutation(np.arange(len(different)) % folds)
        return [np.flatnonzero(part[number.ravel()] == fold) for fold in range(folds)]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.degree == 0  # a constant cannot fit anything
        return tags


def held_out_errors(
    X: Doubles,
    y: Doubles,
    weight: Doubles,
    parts: Sequence[NDArray[np.int64]],
    candidates: Sequence[float],
    intervals: Sequence[Interval],
    degree: int,
) -> list[HeldOut]:
    """Return the mean squared errors for each λ by cross-validation over the parts."""
    training = np.zeros((len(parts), len(candidates)))
    held_out = np.zeros((len(parts), len(candidates)))
    for number, part in enumerate(parts):
        others = np.delete(np.arange(len(X)), part)
        problem = Problem(X[others], y[others], weight[others], intervals, degree)
        values = np.column_stack([problem.minimiser(l2).curve(X) for l2 in candidates])
        errors = weight[:, None] * (y[:, None] - values) ** 2
        for k in range(len(candidates)):
            held_out[number, k] = math.fsum(errors[part, k].tolist())
            training[number, k] = math.fsum(errors[:, k].tolist()) - held_out[number, k]
    total = math.fsum(weight.tolist())
    return [
        HeldOut(
            l2,
            float(training[:, k].sum() / (total * (len(parts) - 1))),
            float(held_out[:, k].sum() / total),
        )
        for k, l2 in enumerate(candidates)
    ]


def best(curve: Sequence[HeldOut]) -> float:
    """Return the λ with the smallest held-out error; ties go to the largest λ.

    Examples
    --------
    >>> best([HeldOut(0.01, 0.2, 0.3), HeldOut(0.1, 0.2, 0.3), HeldOut(1.0, 1.0, 2.0)])
    0.1
    """
    least = min(step.held_out for step in curve)
    return max(step.l2 for step in curve if step.held_out <= AS_GOOD * least)


def check_terms(columns: int, degree: int) -> None:
    """Raise an error if the polynomial has too many terms.

    >>> check_terms(1, 20)
    """
    if (terms := 1 + degree * columns) > MOST_TERMS:
        raise BadInput(
            f"degree: {counted(columns, 'column')} and degree {degree} make {terms:,} terms, "
            f"more than the limit of {MOST_TERMS}; use a lower degree or fewer columns"
        )


def penalty(parameter: str, l2: Any) -> float:
    """Return λ as a float, or raise an error.

    >>> penalty("l2", 1)
    1.0
    """
    if isinstance(l2, bool) or not isinstance(l2, Real) or not 0.0 <= float(l2) < math.inf:
        raise bad_value(
            parameter, l2, "a number of at least 0" + (", or 'auto'" if parameter == "l2" else "")
        )
    return float(l2)
