"""`PolynomialThreshold`, a scikit-learn classifier: the sign of a polynomial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, CommitteeHasNoWeights
from rosenblatt.kernels import Monomials, Polynomial, as_kernel, n_monomials
from rosenblatt.kernels.monomials import MOST_FEATURES
from rosenblatt.models.algebra import Algebra
from rosenblatt.models.kernel_estimator import KernelEstimator
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.numeric.row_batches import Rows, n_features, n_rows
from rosenblatt.training.run import Epoch
from rosenblatt.training.settings import KERNEL, POLYNOMIAL, settings_of

MOST_WRITTEN_OUT = 20_000  # monomials; larger maps are written out only if way="map" requests it


class PolynomialThreshold(KernelEstimator):
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
        "auto" uses the map if there are at most 20,000 monomials, and X has at least four times as many
        numbers; otherwise it uses the kernel. (A step with the kernel reads every row that was ever a
        mistake.)
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

    def _parameters(self) -> dict[str, Any]:
        shared = (settings_of(POLYNOMIAL).keys() & settings_of(KERNEL)) - {"degree", "coef0"}
        kernel = as_kernel(Polynomial(self.degree, 1.0, self.coef0))
        return {**vars(KernelPerceptron(kernel=kernel, **{name: getattr(self, name) for name in shared}))}

    def _monomials(self, rows: Rows) -> Monomials | None:
        n, d = n_rows(rows), n_features(rows)
        kernel: Polynomial = as_kernel(Polynomial(self.degree, 1.0, self.coef0))
        is_map = resolve_way(self.way, n, d, kernel.degree, kernel.coef0) == "map"
        return kernel.monomials(d) if is_map else None

    def _refuse_another_run(self, settings: dict[str, Any], classes: NDArray[Any]) -> None:
        if self.way not in ("auto", self.way_):
            raise BadInput(
                f"way: {self.way!r} now, but learning began with {self.way_!r}; continue as it began, "
                "or start again with fit (warm_start=False)"
            )
        for name in ("degree", "coef0"):
            now, before = getattr(settings["kernel"], name), getattr(self.kernel_, name)
            if now != before:
                raise BadInput(
                    f"{name}: {now} now, but learning began with {before}; "
                    "continue as it began, or start again with fit (warm_start=False)"
                )
        super()._refuse_another_run(settings, classes)

    # ------------------------------------------------------------ fitted attributes

    @property
    def polynomial_(self) -> Algebra | dict[Any, Algebra]:
        """Polynomial p as an `Algebra`; with more than two classes, a dict from class to polynomial."""
        self._deciding_state()
        names = [str(name) for name in getattr(self, "feature_names_in_", [])] or [
            f"x{j}" for j in range(self.n_features_in_)
        ]
        terms, coefficients = self._expand()
        found = [Algebra(terms.powers, column, names) for column in coefficients]
        return found[0] if len(found) == 1 else dict(zip(self.classes_.tolist(), found, strict=True))

    def _expand(self) -> tuple[Monomials, list[NDArray[np.float64]]]:
        """Return the monomials, and an array of their coefficients for each class."""
        if self.keep == "voted":
            raise CommitteeHasNoWeights(
                "a voted committee decides by many polynomials, so it has no single polynomial_; use "
                "predict, see survival_, or set keep='averaged'"
            )
        if self.n_monomials_ > MOST_FEATURES:
            raise BadInput(
                f"polynomial_: it has {self.n_monomials_:,} terms, too many to write out; "
                "use decision_function, or a smaller degree"
            )
        terms = self._state.written_out or self.kernel_.monomials(self.n_features_in_)
        plain = self._deciding_state().support.combine(terms, self._coefficients().T, with_roots=False)
        return terms, [terms.weights * column for column in plain.T]

    @property
    def way_(self) -> str:
        """Way that was used, "map" or "kernel"."""
        return "kernel" if self._deciding_state().written_out is None else "map"

    @property
    def n_monomials_(self) -> int:
        """Number of monomials, including those with coefficient zero."""
        kernel = self._deciding_state().kernel
        return n_monomials(self.n_features_in_, kernel.degree, kernel.coef0)


def resolve_way(way: Any, n: int, d: int, degree: int, coef0: float = 1.0) -> str:
    """Return "map" or "kernel" for n rows of d features.

    Examples
    --------
    >>> resolve_way("auto", 10_000, 10, 3), resolve_way("auto", 60_000, 784, 4)
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
