"""`KernelPerceptron`, a scikit-learn classifier."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from rosenblatt.errors import BadInput, whole_number
from rosenblatt.kernels import Kernel
from rosenblatt.models.kernel_estimator import KernelEstimator
from rosenblatt.numeric.blocks import native
from rosenblatt.numeric.row_batches import take
from rosenblatt.training.dual.dual_decisions import StagedVector, check_keep, decisions, random_step
from rosenblatt.training.run import COUNTED, Epoch

STEPS = "a whole number of steps"


class KernelPerceptron(KernelEstimator):
    """Classify rows with a perceptron in the feature space of a kernel, for two or more classes.

    h(x) = sign(Σ delta·K(x, z)), summed over all updates, where z is the row and delta the coefficient of
    an update. With Rosenblatt's rule, a mistake on x adds the term y·K(x, ·). With more than two classes,
    one perceptron is trained for each class against the rest, and the largest score decides. The rows are
    visited one by one in the stated order, although kernel values are computed in blocks. The mistakes
    equal those of a plain float64 loop that adds the terms in the order of the updates.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="gaussian"
        "gaussian" exp(−γ‖x−z‖²), "polynomial" (γ x·z + coef0)^degree, "linear" x·z, "laplacian"
        exp(−γ‖x−z‖₁), an object such as ``rosenblatt.kernels.Polynomial(degree=4)``, or a function of two
        matrices of n and m rows that returns an array of shape (n, m).
    degree : int, default=3
        The degree of a polynomial kernel given by its name.
    gamma : float, "scale" or "auto", default="scale"
        The factor γ of a kernel given by its name: a number, "scale" (1/(n_features·variance of X); in
        `partial_fit` the variance of the rows of the first call) or "auto" (1/n_features).
    coef0 : float, default=1.0
        The constant of a polynomial kernel given by its name.
    offset : bool, default=False
        Whether to learn an offset (intercept), by adding 1 to the kernel.
    rule : str or rule object, default="rosenblatt"
        An update rule that adds multiples of examples and does nothing else, such as "rosenblatt",
        "margin" or a passive-aggressive rule.
    keep : {"averaged", "last", "voted", "random"}, default="averaged"
        The vectors used for prediction: the mean over all steps; the last; all of them, each with as many
        votes as the steps it survived; or one drawn at random with probability proportional to its
        survival. A run records all of them, so `keep` may be changed after `fit`.
    epochs, until, order, tie : as in Perceptron
        See `Perceptron`. The orders that search for a mistake are not available.
    budget : int, budget object or None, default=None
        The limit on the number of support rows for each class, and how it is enforced. A number means
        ``rosenblatt.budgets.Projectron``; the other budgets are ProjectronPlusPlus, Forgetron, RandomBudget
        and Oldest.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weight of each example of a class.
    cache_size : str or int, default="2GB"
        The memory for kernel values that are kept between passes. All other values are recomputed in each
        pass. For large sets of dense rows with at most 64 features, no values are kept.
    device : {"auto", "cpu", "cuda"}, default="auto"
        The device that computes kernel values. "cuda" needs ``pip install 'rosenblatt[gpu]'``. The mistakes
        do not depend on the device.
    callbacks : callable or list of callable, default=None
        Functions called after each pass with its `Epoch` record; one that returns True ends the run.
    random_state : int, RandomState or None, default=None
        The seed of the shuffles, of the draw made by keep="random", and of `RandomBudget`.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always shows it; False never does.
    validation : float, (X, y) or None, default=None
        The fraction of the rows to hold out, or separate validation rows; see `Perceptron`.
    warm_start : bool, default=False
        Whether `fit` continues from the end of the last `fit`.
    track_error : bool, default=False
        Whether to record the training error of each pass in `history_`.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    kernel_ : kernel object
        The kernel with its parameters as numbers.
    support_ : ndarray of int
        The indices of the support rows among all training rows, in the order of their first update.
    support_vectors_ : ndarray or csr_array
        The support rows.
    dual_coef_ : ndarray of shape (n_columns, n_support)
        The coefficients of the support rows. There is one column for two classes, otherwise one for each
        class. A voted committee does not have this attribute.
    survival_ : ndarray or list of ndarray
        The number of steps that each weight vector survived, starting with w = 0; a list of arrays with
        more than two classes.
    mistakes_, updates_, examples_seen_, epochs_ : int
        Counters.
    false_positives_, false_negatives_ : int
        The two kinds of mistakes, as in `Perceptron`.
    mistakes_per_class_, false_positives_per_class_, false_negatives_per_class_ : ndarray
        Mistakes of each binary classifier, as in `Perceptron`.
    exact_decisions_ : int
        The number of steps whose score was too near 0 for the fast sum, so that the plain loop decided
        them.
    converged_, history_, best_epoch_, n_features_in_, feature_names_in_ : as in Perceptron
        See `Perceptron`.
    device_ : str
        The device that computed the kernel values.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = KernelPerceptron(kernel="polynomial", degree=2, gamma=1.0, keep="last", order="given",
    ...                          until="separated", epochs=None).fit(xor, [0, 1, 1, 0])
    >>> model.predict(xor), model.mistakes_, model.support_
    (array([0, 1, 1, 0]), 21, array([0, 1, 2, 3]))
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "gaussian",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 1.0,
        offset: bool = False,
        rule: str | tuple[Any, ...] = "rosenblatt",
        keep: Literal["last", "averaged", "voted", "random"] = "averaged",
        epochs: int | None = 10,
        until: Literal["separated"] | None = None,
        order: str | ArrayLike = "shuffled",
        tie: Literal["mistake", "negative", "positive"] = "mistake",
        budget: int | tuple[Any, ...] | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cache_size: str | int = "2GB",
        device: Literal["auto", "cpu", "cuda"] = "auto",
        callbacks: Callable[[Epoch], bool | None] | Sequence[Callable[[Epoch], bool | None]] | None = None,
        random_state: int | np.random.RandomState | None = None,
        progress: bool | None = None,
        validation: float | tuple[Any, ArrayLike] | None = None,
        warm_start: bool = False,
        track_error: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.offset = offset
        self.rule = rule
        self.keep = keep
        self.epochs = epochs
        self.until = until
        self.order = order
        self.tie = tie
        self.budget = budget
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.device = device
        self.callbacks = callbacks
        self.random_state = random_state
        self.progress = progress
        self.validation = validation
        self.warm_start = warm_start
        self.track_error = track_error

    # ------------------------------------------------------------ earlier moments

    def staged_predict(self, X: Any, asked: Sequence[tuple[str, int]]) -> list[NDArray[Any]]:
        """Return the predictions that the model would have made at earlier moments of the run.

        All predictions share the same kernel values.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            The rows.
        asked : sequence of (str, int)
            Pairs of an averaging strategy (a value of `keep`) and a number of steps.

        Returns
        -------
        list of ndarray of shape (n_rows,)
            The classes for each pair.

        Raises
        ------
        BadInput
            If a pair is out of range, or if the model has a budget, which discards the history.

        Examples
        --------
        >>> model = KernelPerceptron(random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
        >>> model.staged_predict([[0.0], [1.0]], [("last", 1), ("voted", 30)])
        [array([0, 0]), array([0, 1])]
        """
        check_is_fitted(self)
        if not self._state.has_past:
            raise BadInput("budget: with a budget past vectors are not stored; use the last one")
        rows = self._rows_to_decide(X)
        questions = []
        for keep, looks in asked:
            check_keep(keep)
            moment = whole_number("looks", looks, 1, self._state.looks, STEPS)
            questions.append(StagedVector(keep, moment, random_step(self._seed, moment)))
        return [self._classes(values) for values in decisions(self._state, rows, questions)]

    def as_of(self, looks: int) -> KernelPerceptron:
        """Return a copy of this model as it was after a number of steps.

        `support_`, `updates_`, `dual_coef_`, `survival_` and `predict` refer to that moment. The copy
        cannot be trained further.

        Parameters
        ----------
        looks : int
            The number of steps.

        Returns
        -------
        KernelPerceptron
            The copy.

        Raises
        ------
        BadInput
            If `looks` is out of range, or if the model has a budget, which discards the history.
        """
        check_is_fitted(self)
        if not self._state.has_past:
            raise BadInput(
                "budget: with a budget past vectors are not stored; there is only the present one"
            )
        looks = whole_number("looks", looks, 0, self._state.looks, STEPS)
        before = copy.copy(self)
        before._state = self._state.as_of(looks)
        before._is_past = True
        before._forget_probabilities()
        for name in (*COUNTED, "history", "converged", "best_epoch"):
            before.__dict__.pop(f"{name}_", None)
        before.examples_seen_, before.updates_ = looks, before._state.updates
        return before

    # ------------------------------------------------------------ fitted attributes

    @property
    def support_(self) -> NDArray[np.int64]:
        """Indices of the support rows, in the order of their first update."""
        state = self._deciding_state()
        return state.support.origin[state.in_order()]

    @property
    def support_vectors_(self) -> NDArray[Any] | csr_array:
        """Support rows, as an array or, for sparse rows, as a CSR array."""
        state = self._deciding_state()
        if not len(state.support):
            return np.empty((0, self.n_features_in_))
        return native(take(state.support.rows(), state.in_order()))

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Coefficients of the support rows, with one row per binary classifier."""
        state = self._deciding_state()
        return self._coefficients()[:, state.in_order()]
