"""`trace`: record a run step by step with the training loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.importance import as_importance
from rosenblatt.data.labels import as_labels, check_labels, classes_of
from rosenblatt.errors import BadInput, whole_number
from rosenblatt.numeric.row_batches import Batch, as_rows, class_name, column_names, n_rows
from rosenblatt.traces.kernel_recorder import KernelRecorder
from rosenblatt.traces.linear_recorder import LinearRecorder
from rosenblatt.traces.recorder import Recorder
from rosenblatt.training.initial_states import Recipe
from rosenblatt.training.orders import as_order
from rosenblatt.training.progress import Progress
from rosenblatt.training.run import Plan

if TYPE_CHECKING:
    from rosenblatt.kernels import Kernel
    from rosenblatt.traces.kernel_trace import KernelTrace
    from rosenblatt.traces.linear_trace import Trace


@overload
def trace(
    X: Any, y: ArrayLike, rule: str | tuple[Any, ...] = ..., keep: str = ..., offset: bool | None = ...,
    epochs: int | None = ..., until: str | None = ..., order: str | ArrayLike = ..., tie: str = ...,
    init: ArrayLike | tuple[ArrayLike, float] = ..., sample_weight: ArrayLike | None = ...,
    random_state: int = ..., max_steps: int | None = ..., progress: bool | None = ...,
    kernel: None = ..., degree: int = ..., gamma: float | Literal["scale", "auto"] = ...,
    coef0: float = ...,
) -> Trace: ...  # fmt: skip


@overload
def trace(
    X: Any, y: ArrayLike, *, rule: str | tuple[Any, ...] = ..., keep: str = ...,
    offset: bool | None = ..., epochs: int | None = ..., until: str | None = ...,
    order: str | ArrayLike = ..., tie: str = ..., init: ArrayLike | tuple[ArrayLike, float] = ...,
    sample_weight: ArrayLike | None = ..., random_state: int = ..., max_steps: int | None = ...,
    progress: bool | None = ..., kernel: str | Kernel | Callable[[Any, Any], Any], degree: int = ...,
    gamma: float | Literal["scale", "auto"] = ..., coef0: float = ...,
) -> KernelTrace: ...  # fmt: skip


def trace(
    X: Any,
    y: ArrayLike,
    rule: str | tuple[Any, ...] = "rosenblatt",
    keep: str = "last",
    offset: bool | None = None,
    epochs: int | None = 10,
    until: str | None = None,
    order: str | ArrayLike = "given",
    tie: str = "mistake",
    init: ArrayLike | tuple[ArrayLike, float] = "zeros",
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    max_steps: int | None = None,
    progress: bool | None = None,
    kernel: str | Kernel | Callable[[Any, Any], Any] | None = None,
    degree: int = 3,
    gamma: float | Literal["scale", "auto"] = "scale",
    coef0: float = 1.0,
) -> Trace | KernelTrace:
    """Record every step of a run with the parameters of `Perceptron` or `KernelPerceptron`.

    The same rows, order and settings give the same mistakes and weights as `Perceptron.fit`. The
    differences are that the default order is "given", and that `random_state` must be a number.

    With ``until="separated"`` and ``epochs=None``, the run also ends as soon as it repeats itself. The
    attribute `separated` of the result is True if the last pass visited every row and made no mistake. If
    an explicit order skips rows, a pass without mistakes still ends the run, but `separated` is False.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, of two classes.
    rule : str or rule object, default="rosenblatt"
        The update rule.
    keep : str, default="last"
        The averaging strategy.
    offset : bool or None, default=None
        Whether to learn an offset; None means True without a kernel and False with a kernel.
    epochs : int or None, default=10
        The number of passes; None for no limit.
    until : {"separated"} or None, default=None
        "separated" stops after the first pass without a mistake.
    order : str or sequence of int, default="given"
        The order of the rows, as in `Perceptron`.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        The prediction for a score of exactly 0.
    init : {"zeros", "unit"}, array or (array, float), default="zeros"
        The initial weights; zeros with a kernel.
    sample_weight : array-like of shape (n_rows,), default=None
        Factors for the coefficient of each update; a weight of 0 excludes the row.
    random_state : int, default=0
        The seed of the shuffles.
    max_steps : int or None, default=None
        The largest number of steps to record.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    kernel : str, kernel object, callable or None, default=None
        The kernel of a `KernelPerceptron`, whose run is then recorded. Orders that search for a mistake
        are not available.
    degree : int, default=3
        The degree of a polynomial kernel given by its name.
    gamma : float, "scale" or "auto", default="scale"
        The gamma of a kernel given by its name.
    coef0 : float, default=1.0
        The constant of a polynomial kernel given by its name.

    Returns
    -------
    Trace or KernelTrace
        The steps; a `KernelTrace` with a kernel.

    Raises
    ------
    BadInput
        If a parameter or the data cannot be used, or the run is too long to record without `max_steps`.

    Examples
    --------
    >>> steps = trace([[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], offset=False, tie="negative", epochs=2)
    >>> [step.weights for step in steps if step.mistake]
    [(2.0, 1.0), (2.0, -1.0)]
    >>> print(steps)  # doctest: +ELLIPSIS
    pass  row from 0           x  y  score  margin  ...
       1           0      (2, 1)  +      0       0  mistake   (2, 1)  0 ...
       1           1      (0, 2)  −      2      -2  mistake  (2, -1)  0 ...
       1           2  (-0.5, -2)  +      1       1           (2, -1)  0 ...
       2           0      (2, 1)  +      3       3           (2, -1)  0 ...
       2           1      (0, 2)  −     -2       2           (2, -1)  0 ...
       2           2  (-0.5, -2)  +      1       1           (2, -1)  0 ...
    6 steps, 2 mistakes, 2 updates: the last pass had no mistake
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> print(trace(xor, [-1, 1, 1, -1], kernel="polynomial", degree=2, gamma=1.0, coef0=0.0, epochs=1))
    pass  row from 0         x  y  score  margin           coefficient  support  margin after  ‖w‖²
       1           0  (-1, -1)  −      0       0  mistake           -1        1             4     4
       1           1   (-1, 1)  +      0       0  mistake           +1        2             4     8
       1           2   (1, -1)  +      4       4                             2             4     8
       1           3    (1, 1)  −     -4       4                             2             4     8
    4 steps, 2 mistakes, 2 updates: the last pass had mistakes
    """
    rows = as_rows(X)
    batch, classes = _batch(rows, y, sample_weight)
    listed = as_order(order, batch.n_rows)
    seed = int(np.random.RandomState(random_state).randint(2**31 - 1))  # the seed that Perceptron would use
    plan = Plan(epochs=epochs, until=until, order=listed, seed=seed)
    plan.check()
    if max_steps is not None:
        whole_number("max_steps", max_steps, 0)
    described = {
        "classes": [class_name(label) for label in classes.tolist()],
        "features": column_names(X),
        "weighted": sample_weight is not None,
        "sample_weight": batch.importance.tolist() if sample_weight is not None else None,
    }
    recorder: Recorder
    if kernel is None:
        recipe = Recipe(rule, keep, True if offset is None else offset, tie, init)
        recorder = LinearRecorder(batch, plan, recipe, max_steps)
    else:
        if not (isinstance(init, str) and init == "zeros"):
            raise BadInput("init: with a kernel w starts at zero and has no weights to set; leave init out")
        recipe = Recipe(rule, keep, offset or False, tie)
        recorder = KernelRecorder(batch, plan, recipe, (kernel, degree, gamma, coef0))
    with Progress(progress, max_steps) as bar:
        return recorder.record(keep, described, max_steps, bar)


def _batch(rows: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Batch, NDArray[Any]]:
    labels = check_labels(y, n_rows(rows))
    classes = classes_of(labels)
    if len(classes) == 1 and classes[0] in (-1, 1):
        classes = np.array([-1, 1])
    if len(classes) != 2:
        remedy = "; y == CLASS, on the command line --positive CLASS, takes one class against the rest"
        raise BadInput(
            f"y: expected two classes, got {len(classes)}: {classes[:5].tolist()}"
            + remedy * (len(classes) > 2)
        )
    return Batch(rows, as_labels(labels, classes), as_importance(sample_weight, len(labels))), classes
