"""`mistakes_and_bound`: the cumulative mistakes of a run, with the bound of the theorem."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput, bad_value, counted
from rosenblatt.kernels import Polynomial
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold
from rosenblatt.plots.canvas import BLUE, VERMILION, axes, check_axes, label_counts, open_frame
from rosenblatt.plots.passes import history_of
from rosenblatt.proof.feature_space import KernelBound
from rosenblatt.proof.novikoff_bound import Bound, mistake_bound
from rosenblatt.proof.verdict import Verdict, big, through_origin
from rosenblatt.traces.claims import Claims, claims_of_run
from rosenblatt.traces.kernel_trace import KernelTrace
from rosenblatt.traces.step_sequence import StepSequence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR_ABOVE = 10.0
"""Ratio of bound to mistakes from which the scale is logarithmic, so that both are visible."""
WIDEST = 50
"""Characters per line of the title."""


class Limit(NamedTuple):
    """A bound on the mistakes, or the reason why there is none."""

    most: float | None
    why: str = ""


def mistakes_and_bound(
    run: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    bound: Any = None,
    ax: Any = None,
    *,
    time_limit: float | None = 10.0,
    **line: Any,
) -> Axes:
    """Plot the mistakes of a run against the examples seen, with the theorem's bound.

    A trace shows every mistake; a fitted model shows the total after each pass (`history_`). The bound is
    computed by `mistake_bound` with the rule, offset, initial weights and row weights of the run; for
    Rosenblatt's rule from zero it is (radius/margin)². A bound exists only for two separable classes, and
    only for rules that satisfy both steps of the bound's proof (`rules.two_claims`). Otherwise the title
    states why there is no bound. If the bound is more than ten times the number of mistakes, the scale is
    logarithmic.

    Parameters
    ----------
    run : Trace, KernelTrace, Perceptron, KernelPerceptron or PolynomialThreshold
        A trace, or a fitted model.
    X : array-like of shape (n_rows, n_features), default=None
        The training rows of a model, to compute the bound; a trace contains its rows.
    y : array-like of shape (n_rows,), default=None
        Their classes.
    bound : float, Bound, Verdict, Claims, False or None, default=None
        The bound as a number or as the result of `mistake_bound`, `separate` or `Trace.check_claims`. None
        computes the bound; False plots no bound.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.
    time_limit : float or None, default=10.0
        The time limit for computing the bound in seconds.
    **line : dict
        Options of ``ax.plot``, which draws the mistakes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If the run has no record of its passes, or the rows do not fit it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import trace
    >>> steps = trace([[2, 1], [0, 2]], [1, -1], epochs=None, until="separated")
    >>> ax = mistakes_and_bound(steps)
    >>> ax.lines[0].get_ydata().tolist(), [text.get_text() for text in ax.get_legend().texts]
    ([0, 1, 2, 2, 2], ['2 mistakes', 'bound: at most 4'])
    >>> plt.close(ax.figure)
    """
    check_axes(ax)
    seen, mistakes = _course(run)
    limit = _limit_of(bound) if bound is not None else _compute_limit(run, X, y, time_limit)

    ax = axes(ax)
    is_trace = isinstance(run, StepSequence)
    look = {"color": BLUE, "linewidth": 1.8, "drawstyle": "steps-post" if is_trace else "default",
            "marker": None if is_trace else "o", "markersize": 5.0, **line}  # fmt: skip
    total = int(mistakes[-1])
    ax.plot(seen, mistakes, label=counted(total, "mistake"), **look)
    if limit.most is not None:
        ax.axhline(limit.most, color=VERMILION, linestyle="--", linewidth=1.8,
                   label=f"bound: at most {big(math.floor(limit.most))}")  # fmt: skip
    elif limit.why:
        ax.set_title(textwrap.fill(f"no bound: {limit.why}", WIDEST), fontsize=10)
    _finish(ax, total, limit.most)
    return ax


def _course(run: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts of examples and of mistakes, at the start and after each step or pass."""
    if isinstance(run, StepSequence):
        mistakes = np.cumsum([0, *(step.mistake for step in run)])
        return np.arange(len(mistakes)), mistakes
    history = history_of(run)
    of_passes = np.array([(record.examples_seen, record.mistakes) for record in history], np.int64)
    # the counters, unlike history_, include earlier calls of partial_fit or fit with warm_start
    before = np.array([run.examples_seen_, run.mistakes_]) - of_passes.sum(axis=0)
    seen, mistakes = np.vstack([before, before + of_passes.cumsum(axis=0)]).T
    return seen, mistakes


def _limit_of(bound: Any) -> Limit:
    if bound is False:
        return Limit(None)
    if isinstance(bound, (Bound, KernelBound)):
        return _of_bound(bound, None)
    if isinstance(bound, Verdict):
        if bound.mistake_bound is not None:
            return Limit(float(min(bound.mistake_bound, 10**300)))
        if bound.separable is not False:
            return Limit(None, "no bound is proved")
        may_end = any(can is not False for can in bound.consistent.values())
        return Limit(None, _not_separable(bound.proof.offset, may_end))
    number = bound.bound if isinstance(bound, Claims) else bound
    if isinstance(number, bool) or not isinstance(number, (int, float, np.integer, np.floating)):
        raise bad_value("bound", bound, "a number, or what mistake_bound, separate or check_claims returns")
    if number == math.inf:
        return Limit(None, "w* does not separate the points")
    if not number >= 0:
        raise bad_value("bound", bound, "a number of at least 0")
    return Limit(float(number))


def _of_bound(found: Bound | KernelBound, time_limit: float | None) -> Limit:
    if found.bound is not None and math.isfinite(found.bound[1]):
        return Limit(found.bound[1])
    if found.separable is False:
        space = " in feature space" if isinstance(found, KernelBound) else ""
        return Limit(None, _not_separable(found.offset, not found.offset, space))
    spent = "" if time_limit is None else f" within {time_limit:g} s"
    by = f"a hyperplane{through_origin(found.offset)}"
    return Limit(None, f"not decided{spent} whether {by} separates the classes")


def _not_separable(offset: bool, may_end: bool, space: str = "") -> str:
    """Return the reason why there is no bound on data that are not separable.

    `may_end` states whether a run may end if a score of 0 counts as a prediction.
    """
    hyperplane = f"no hyperplane{through_origin(offset)}{space}"
    never = "mistakes never end" + " if a score of 0 is a mistake" * may_end
    return f"{hyperplane} separates the classes (proved), so {never}"


def _compute_limit(run: Any, X: Any, y: ArrayLike | None, time_limit: float | None) -> Limit:
    """Compute the bound of this run with `mistake_bound`, if the theorem applies to it."""
    if isinstance(run, StepSequence):
        X, y = (run.points, run.labels) if X is None else (X, y)
    if X is None or y is None:
        return Limit(None, "give X and y to compute one")
    if why := _outside_the_theorem(run):
        return Limit(None, why)
    settings: dict[str, Any]
    if isinstance(run, StepSequence):
        rate, threshold = run.settings["claims"]
        # any rule with the same two claims has the same bound
        settings = {"rule": rules.Margin(threshold, rate), "sample_weight": run.settings["sample_weight"]}
        settings["offset"] = run.settings["offset"]
    if isinstance(run, KernelTrace):
        settings["kernel"] = run.kernel
    elif isinstance(run, StepSequence):
        start = run.settings["start"]
        settings["init"] = (start[:-1], start[-1])
    elif isinstance(run, KernelPerceptron):
        settings = {"offset": run.offset, "kernel": run.kernel_, "rule": run.rule}
    elif isinstance(run, PolynomialThreshold):
        settings = {"kernel": Polynomial(run.degree, 1.0, run.coef0), "rule": run.rule}
    else:
        settings = {"offset": run.offset, "init": run.init, "rule": run.rule}
    return _of_bound(mistake_bound(X, y, time_limit=time_limit, progress=False, **settings), time_limit)


def _outside_the_theorem(run: Any) -> str:
    """Return the reason why the theorem does not apply to a run, or an empty string if it does."""
    if not isinstance(run, (StepSequence, Perceptron, KernelPerceptron, PolynomialThreshold)):
        raise BadInput(f"run: no bound is known for a {type(run).__name__}; give bound=False")
    try:
        if isinstance(run, StepSequence):
            claims_of_run(run.settings)
            return ""
        rules.two_claims(run.rule)
    except BadInput as error:
        return str(error)
    if len(run.classes_) != 2 or len(run.mistakes_per_class_) != 1:
        return f"the theorem holds for one binary classifier, and there are {len(run.mistakes_per_class_)}"
    if run.class_weight is not None:
        return "the sample weights from class_weight are not known here; give bound=mistake_bound(…)"
    if getattr(run, "budget", None) is not None:
        return "the theorem does not apply to a model with a budget, which removes support rows"
    return ""


def _finish(ax: Any, total: int, most: float | None) -> None:
    ax.set_xlabel("examples seen")
    ax.set_ylabel("mistakes")
    for axis in (ax.xaxis, ax.yaxis):
        label_counts(axis, 6)
    highest = max(total, most or 0.0, 1.0)
    if most is not None and most > FAR_ABOVE * max(total, 1):
        ax.set_yscale("symlog", linthresh=1.0)
        ax.yaxis.set_major_formatter(lambda number, _: f"{number:,.0f}")
        highest *= 2.0
    ax.set_ylim(0.0, 1.06 * highest)
    ax.legend(loc="lower right", frameon=False, fontsize=9)
    open_frame(ax)
