"""`over_orders`: train on the same data in many orders and from many initial weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.comparisons.order_runs import COUNTS, Run, RunInputs, all_records
from rosenblatt.data.importance import as_importance
from rosenblatt.data.labels import check_labels
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.targets import is_label_table
from rosenblatt.errors import BadInput, bad_value, counted, is_integer
from rosenblatt.geometry import l2_norm
from rosenblatt.loops.threads import n_threads
from rosenblatt.models.fit_inputs import draw_seed, one_column
from rosenblatt.numeric.row_batches import (
    Rows,
    as_rows,
    check_finite,
    is_sparse,
    n_features,
    n_rows,
    plain,
    take,
)
from rosenblatt.text_table import aligned_lines
from rosenblatt.training.dual.support import squared_lengths_of
from rosenblatt.training.orders import ORDERS, as_order
from rosenblatt.training.progress import Progress

LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, eq=False)
class OrderSpread:
    """Hold the results of training on the same data in many orders and from many starts.

    Run k visits the rows in the order with the number ``order[k]``, and begins at the start with the number
    ``start[k]``.

    Parameters
    ----------
    accuracy : ndarray of shape (n_runs,)
        The accuracy on the training rows with a sample weight above 0. For a table of labels, the fraction
        of rows for which all labels are predicted correctly.
    test_accuracy : ndarray of shape (n_runs,) or None
        The accuracy on the test rows, if there are any.
    margin : ndarray of shape (n_runs,)
        The smallest y(w·x + b)/‖w‖ over the training rows, which is positive only if all rows are
        classified correctly. With more than two classes, the smallest (own score − other score)/‖own w −
        other w‖. NaN if there is no w (a committee or a kernel) or w = 0.
    mistakes, updates, epochs : ndarray of shape (n_runs,)
        The model's counters.
    converged : ndarray of bool
        Whether the last pass had no mistake.
    order : ndarray of int64
        The number of the order.
    start : ndarray of int64
        The number of the start.
    seed : ndarray of int64
        The `random_state`.
    orders : tuple of ndarray or None
        The explicit orders; None if the rows are shuffled by seeds.
    starts : tuple
        The values of `init`.
    distinct_weights : int or None
        The number of different final weights (w, b) over all runs; None if there is no w.
    lines : ndarray of shape (n_runs, 3) or None
        The final line (w₀, w₁, b) of each run, for two features and two classes.
    _inputs : RunInputs
        The estimator and the data, to repeat a run.

    Examples
    --------
    >>> from rosenblatt import Perceptron, over_orders
    >>> spread = over_orders(Perceptron(), [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], orders=5)
    >>> len(spread), spread.accuracy.tolist()
    (5, [1.0, 1.0, 1.0, 1.0, 1.0])
    """

    accuracy: NDArray[np.float64]
    test_accuracy: NDArray[np.float64] | None
    margin: NDArray[np.float64]
    mistakes: NDArray[np.int64]
    updates: NDArray[np.int64]
    epochs: NDArray[np.int64]
    converged: NDArray[np.bool_]
    order: NDArray[np.int64]
    start: NDArray[np.int64]
    seed: NDArray[np.int64]
    orders: tuple[NDArray[np.uint64], ...] | None
    starts: tuple[Any, ...]
    distinct_weights: int | None
    lines: NDArray[np.float64] | None
    _inputs: RunInputs = field(repr=False)

    def __len__(self) -> int:
        return len(self.accuracy)

    def model(self, k: int) -> Any:
        """Return the fitted estimator of one run, by repeating the run on the same data.

        Parameters
        ----------
        k : int
            The number of the run.

        Returns
        -------
        estimator
            The fitted estimator.

        Raises
        ------
        BadInput
            If there is no such run.
        """
        if not is_integer(k) or not 0 <= k < len(self):
            raise bad_value("k", k, f"the number of a run, 0…{len(self) - 1}")
        listed = None if self.orders is None else self.orders[self.order[k]]
        return self._inputs.fit_run(Run(int(self.seed[k]), listed, self.starts[self.start[k]]))

    def figures(self) -> dict[str, NDArray[Any]]:
        """Return all measurements by name, without measurements that no run has.

        Returns
        -------
        dict of str to ndarray
            One value per run for each measurement.
        """
        measured = {
            "accuracy": self.accuracy, "test accuracy": self.test_accuracy, "margin": self.margin,
            "mistakes": self.mistakes, "updates": self.updates, "epochs": self.epochs,
        }  # fmt: skip
        return {
            name: values
            for name, values in measured.items()
            if values is not None and not np.isnan(values).all()
        }

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return a list with one dict for each run, from which a dataframe can be made.

        Returns
        -------
        list of dict
            The measurements of each run.
        """
        columns = {
            "order": self.order, "start": self.start, "seed": self.seed,
            **{name.replace(" ", "_"): values for name, values in self.figures().items()},
            "converged": self.converged,
        }  # fmt: skip
        return [{name: plain(values[k]) for name, values in columns.items()} for k in range(len(self))]

    def __repr__(self) -> str:
        low, high = self.accuracy.min(), self.accuracy.max()
        return f"<OrderSpread of {len(self)} runs: accuracy {low:.4f} to {high:.4f}>"

    def __str__(self) -> str:
        return "\n".join(_table(self))

    def plot(self, ax: Any = None) -> Any:
        """Plot histograms of accuracy, margin and mistakes (requires matplotlib, the extra `plots`).

        Parameters
        ----------
        ax : array of matplotlib.axes.Axes, default=None
            One axes for each histogram; None creates a figure.

        Returns
        -------
        ndarray of matplotlib.axes.Axes
            The axes.
        """
        from rosenblatt.plots.order_pictures import order_spread

        return order_spread(self, ax)

    def plot_lines(self, ax: Any = None) -> Any:
        """Plot the final line w·x + b = 0 of each run and the points, for two features and two classes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes; None creates a figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        BadInput
            If the runs have no lines.
        """
        from rosenblatt.plots.order_pictures import order_lines

        return order_lines(self, ax)


def over_orders(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    orders: int | Iterable[Any] = 100,
    *,
    starts: int | Sequence[Any] = 1,
    test: tuple[Any, ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> OrderSpread:
    """Train on the same data in many orders and from many starts, to measure how much the result varies.

    The final w of a perceptron depends on the order of the rows and on the initial w. On separable data,
    the margin of w and the number of mistakes depend on the order and the initial w too (but from w = 0,
    there are at most (R/γ)² mistakes in any order). On other data, the accuracy varies as well. Every order
    is combined with every start.

    Parameters
    ----------
    estimator : Perceptron, KernelPerceptron or PolynomialThreshold
        The estimator, which is not changed: each run is a clone of it with its own `random_state`.
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows. All runs share one copy of them.
    y : array-like of shape (n_rows,) or (n_rows, n_labels)
        Their classes or labels.
    orders : int or sequence, default=100
        The number of shuffles; or a list of seeds, each used as `random_state`; or explicit orders, each a
        sequence of row numbers for one pass. ``itertools.permutations(range(len(y)))`` yields all orders.
    starts : int or list, default=1
        The number of starts, or a list of values of `init`. If it is a number, the first start is the
        estimator's `init`. All other starts have a random direction and the length R of the longest row (x,
        or (x, 1) with an offset), which is the farthest that one mistake can move w. With more than two
        classes, all classes start at the same random vector.
    test : (X, y) or None, default=None
        Separate rows on which the accuracy is measured too.
    sample_weight : array-like of shape (n_rows,), default=None
        As in `fit`. For accuracy and margin, every row with a weight above 0 counts once.
    random_state : int, RandomState or None, default=0
        The seed of the shuffles and the starts. The first shuffles and starts do not depend on how many are
        requested.
    n_jobs : int or None, default=None
        The number of threads: None for a single thread, −1 for one per core. The results do not depend on
        it.
    progress : bool or None, default=None
        As in `Perceptron`. With more than one thread, the estimator's callbacks are called in the
        threads.

    Returns
    -------
    OrderSpread
        The measurements of each run; prints as a table and plots itself (`plot`, `plot_lines`).

    Raises
    ------
    BadInput
        If a parameter or the data cannot be used.

    Examples
    --------
    >>> from itertools import permutations
    >>> from rosenblatt import Perceptron, over_orders
    >>> X, y = [[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]], [1, -1, 1]
    >>> learner = Perceptron(offset=False, until="separated", epochs=None)
    >>> spread = over_orders(learner, X, y, orders=permutations(range(3)))
    >>> print(spread)
              smallest  median    mean  largest
    accuracy    1.0000  1.0000  1.0000   1.0000
    margin      0.4472  0.5703  0.5703   0.6934
    mistakes         2       2       2        2
    updates          2       2       2        2
    epochs           2       2       2        2
    6 runs (6 orders from 1 start), 2 different w; 6 ended with a pass without mistakes
    >>> spread.model(0).coef_, spread.model(5).coef_
    (array([[ 2., -1.]]), array([[ 1.5, -1. ]]))
    """
    parameters = _parameters(estimator)
    rows = as_rows(X)
    labels = _labels(y, n_rows(rows))
    threads = n_threads(n_jobs)
    seed = draw_seed(random_state)
    importance = as_importance(sample_weight, n_rows(rows))
    present = np.flatnonzero(importance) if importance.size and not importance.all() else None
    seen = (rows, labels) if present is None else (take(rows, present), labels[present])
    seeds, listed = _orders(orders, n_rows(rows), seed)
    _refuse_alike(parameters, len(seeds), listed)
    inits = _starts(starts, parameters, seen[0], seed)
    runs = [
        Run(int(seed_of), None if listed is None else listed[i], init)
        for init in inits
        for i, seed_of in enumerate(seeds)
    ]
    # in a form that `fit` uses without a copy
    inputs = RunInputs(estimator, Chunk(rows, None).X, labels, sample_weight)
    measured_on = {"accuracy": (Chunk(seen[0], None).X, seen[1])}
    if test is not None:
        measured_on["test_accuracy"] = _test_rows(test, n_features(rows), labels)
    with Progress(progress, len(runs), "runs") as bar:
        records = all_records(inputs, measured_on, runs, threads, bar)
    columns: dict[str, Any] = {name: [record[name] for record in records] for name in records[0]}
    weights, lines = set(columns.pop("weights")), columns.pop("line")
    figures: dict[str, Any] = {name: np.array(values) for name, values in columns.items()}
    return OrderSpread(
        **{"test_accuracy": None} | figures,
        order=np.tile(np.arange(len(seeds)), len(inits)),
        start=np.repeat(np.arange(len(inits)), len(seeds)),
        seed=np.array([run.seed for run in runs]),
        orders=listed,
        starts=inits,
        distinct_weights=None if None in weights else len(weights),
        lines=None if None in lines else np.array(lines),
        # the original rows, which may have column names
        _inputs=inputs._replace(X=X),
    )


# ---------------------------------------------------------------- arguments


def _parameters(estimator: Any) -> dict[str, Any]:
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise bad_value("estimator", estimator, "an estimator of this package, such as Perceptron()")
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    for name in ("random_state", "order", "callbacks", "progress"):
        if name not in parameters:
            raise BadInput(
                f"estimator: {type(estimator).__name__} has no parameter {name!r}; give a Perceptron, "
                "KernelPerceptron or PolynomialThreshold (of a pipeline its last step, with the X that "
                "the steps before it make)"
            )
    return parameters


def _labels(y: Any, n: int) -> NDArray[Any]:
    if not is_label_table(y):
        return check_labels(one_column(y), n)
    labels = np.asarray(y.toarray() if is_sparse(y) else y)
    if len(labels) != n:
        raise BadInput(f"y: {len(labels)} rows of labels for {n} rows of X; give one for each row")
    return labels


def _test_rows(test: Any, width: int, labels: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    if not (isinstance(test, (tuple, list)) and len(test) == 2):
        raise bad_value("test", test, "a pair (X, y) of other rows, or None")
    try:
        rows = as_rows(test[0])
        answers = _labels(test[1], n_rows(rows))
        check_finite(rows, None)
    except BadInput as error:
        raise BadInput(f"test: {error}") from error
    if n_features(rows) != width:
        raise BadInput(f"test: {n_features(rows)} features, the training rows have {width}")
    if answers.shape[1:] != labels.shape[1:]:
        raise BadInput(f"test: y of shape {answers.shape}, the training y has shape {labels.shape}")
    if answers.ndim == 1 and not set(answers.tolist()) & set(labels.tolist()):
        raise BadInput(
            f"test: none of its labels is a class of y (it has {plain(answers[0])!r}, y has "
            f"{plain(labels[0])!r}); give labels of the same kind"
        )
    return Chunk(rows, None).X, answers


def _orders(
    orders: Any, n: int, seed: int
) -> tuple[NDArray[np.int64], tuple[NDArray[np.uint64], ...] | None]:
    """Return a seed for each order, and the explicit orders (None if there are none)."""
    expected = "a number of orders (1 or more), a sequence of seeds, or a sequence of orders of the rows"
    if is_integer(orders):
        if orders < 1:
            raise bad_value("orders", orders, expected)
        return _seeds(seed, int(orders)), None
    if isinstance(orders, (str, dict)) or not isinstance(orders, Iterable):
        raise bad_value("orders", orders, expected)
    given = list(orders)
    if not given:
        raise bad_value("orders", given, expected)
    if all(is_integer(order) for order in given):
        for wrong in (order for order in given if not 0 <= order <= LARGEST_SEED):
            raise BadInput(
                f"orders: {wrong} is not a seed; seeds are whole numbers from 0 to {LARGEST_SEED}"
            )
        return np.array(given, np.int64), None
    listed = []
    for number, order in enumerate(given):
        try:
            if np.ndim(order) != 1:
                raise bad_value("order", order, "a sequence of row numbers")
            rows = as_order(order, n)
        except ValueError as error:
            raise BadInput(f"orders: number {number}: {error}") from error
        assert not isinstance(rows, str)
        listed.append(rows)
    return _seeds(seed, len(listed)), tuple(listed)


def _seeds(seed: int, number: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, 0]).integers(2**31 - 1, size=number)


def _refuse_alike(parameters: dict[str, Any], n_orders: int, listed: Any) -> None:
    """Raise an error if the estimator does not shuffle and all requested orders would be the same."""
    order = parameters["order"]
    if n_orders == 1 or listed is not None or order == "shuffled":
        return
    if not isinstance(order, str) or order in ORDERS:
        what = repr(order) if isinstance(order, str) else "a list of rows"
        raise BadInput(
            f"estimator: its order is {what}, so all {n_orders} orders would be the same; use "
            "order='shuffled', or orders=1 to vary the start alone, or give the orders themselves"
        )


def _starts(starts: Any, parameters: dict[str, Any], rows: Rows, seed: int) -> tuple[Any, ...]:
    """Return the values of `init`: the given values, or the estimator's own value and random values."""
    own = parameters.get("init")
    if is_integer(starts) and starts == 1:
        return (own,)
    if not (is_integer(starts) and starts > 1) and not (
        isinstance(starts, (list, np.ndarray)) and len(starts)
    ):
        raise bad_value("starts", starts, "a number of starts (1 or more), or a list of values of init")
    if "init" not in parameters:
        raise BadInput("starts: this estimator has no parameter 'init' and starts at 0; use starts=1")
    if not is_integer(starts):
        return tuple(starts)
    check_finite(rows, None)
    offset = bool(parameters.get("offset", False))
    with np.errstate(over="ignore"):
        radius = float(np.sqrt(squared_lengths_of(rows).max() + offset))
    if not np.isfinite(radius):
        raise BadInput(
            "starts: the rows are too long for a random start of their length; divide the features by "
            "their largest value first (sklearn.preprocessing.MaxAbsScaler does)"
        )
    found = [own]
    for number in range(1, starts):
        direction = np.random.default_rng([seed, 1, number]).normal(size=n_features(rows) + offset)
        vector = direction * (radius / l2_norm(direction))
        found.append((vector[:-1], float(vector[-1])) if offset else vector)
    return tuple(found)


# ---------------------------------------------------------------- as a table


def _table(spread: OrderSpread) -> list[str]:
    lines = [["", "smallest", "median", "mean", "largest"]]
    for name, values in spread.figures().items():
        known = values[~np.isnan(values)]
        cells = (known.min(), np.median(known), known.mean(), known.max())
        lines.append([name, *(_cell(name, float(number)) for number in cells)])
    n_orders, n_starts = int(spread.order.max()) + 1, len(spread.starts)
    found = "" if spread.distinct_weights is None else f", {spread.distinct_weights:,} different w"
    made_of = f"{counted(n_orders, 'order')} from {counted(n_starts, 'start')}"
    ending = f"{int(spread.converged.sum()):,} ended with a pass without mistakes"
    return [*aligned_lines(lines), f"{counted(len(spread), 'run')} ({made_of}){found}; {ending}"]


def _cell(name: str, number: float) -> str:
    if name in COUNTS:
        return f"{number:,.1f}".removesuffix(".0")
    return f"{number:.4f}" if "accuracy" in name else f"{number:.4g}"
