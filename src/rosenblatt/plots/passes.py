"""`errors_by_pass`: the errors recorded for each pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import BadInput
from rosenblatt.plots.canvas import BLUE, GREEN, VERMILION, axes, check_axes, ink, legend_above, open_frame
from rosenblatt.plots.classifiers import check_fitted
from rosenblatt.training.run import Epoch

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def errors_by_pass(model: Any, ax: Any = None, **lines: Any) -> Axes:
    """Plot the errors of each pass of the last `fit`, from `history_`.

    The progressive error is always plotted: the fraction of wrong predictions, each made before its row was
    learned. With more than one binary classifier, the predictions of all classifiers count. With
    ``track_error=True``, the error on the training rows after each pass is plotted too. With
    ``validation``, the error on the held-out rows is plotted, and a ring marks the pass whose weights were
    kept.

    Parameters
    ----------
    model : Perceptron, KernelPerceptron or PolynomialThreshold
        A fitted model.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.
    **lines : dict
        Options of ``ax.plot``, such as ``linewidth=1``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If the model has no record of its passes.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(track_error=True, epochs=3, order="given").fit([[2.0], [1.0]], [1, 0])
    >>> ax = errors_by_pass(model)
    >>> [(line.get_label(), line.get_ydata().tolist()) for line in ax.lines]
    [('during training', [1.0, 0.5, 1.0]), ('training rows', [0.5, 0.5, 0.5])]
    >>> plt.close(ax.figure)
    """
    check_axes(ax)
    history = history_of(model)
    shown = [(label, colour, marker, passes, errors)
             for label, colour, marker, passes, errors in _curves(model, history) if errors]  # fmt: skip

    ax = axes(ax)
    for label, colour, marker, passes, errors in shown:
        look = {"color": colour, "marker": marker, "markersize": 5.0, "linewidth": 1.6, **lines}
        ax.plot(passes, errors, label=label, **look)
    validation = {record.epoch: record.validation_error for record in history}
    best = validation.get(getattr(model, "best_epoch_", -1))
    if best is not None:
        ax.scatter([model.best_epoch_], [best], s=130, facecolors="none", edgecolors=ink(), linewidths=1.4,
                   zorder=4, label=f"used: pass {model.best_epoch_}")  # fmt: skip
    _finish(ax)
    return ax


def history_of(model: Any) -> list[Epoch]:
    """Return the record of each pass, or raise an error if the model has none."""
    check_fitted(model)
    history: list[Epoch] = getattr(model, "history_", [])
    if not history:
        raise BadInput(
            f"model: this {type(model).__name__} has no record of its passes; give a Perceptron, "
            "KernelPerceptron or PolynomialThreshold after fit (of a pipeline its last step)"
        )
    return history


def _curves(model: Any, history: list[Epoch]) -> list[tuple[str, str, str, list[int], list[float]]]:
    shares_mistakes = getattr(model, "multiclass", None) == "ultraconservative"
    columns = 1 if shares_mistakes else max(1, len(getattr(model, "mistakes_per_class_", [0])))
    online = {r.epoch: r.mistakes / (r.examples_seen * columns) for r in history if r.examples_seen}
    training = {r.epoch: r.training_error for r in history if r.training_error is not None}
    validation = {r.epoch: r.validation_error for r in history if r.validation_error is not None}
    named = [
        ("during training", GREEN, "^", online),
        ("training rows", BLUE, "o", training),
        ("held-out rows", VERMILION, "s", validation),
    ]
    return [
        (label, colour, marker, list(found), list(found.values())) for label, colour, marker, found in named
    ]


def _finish(ax: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlabel("pass")
    ax.set_ylabel("error (%)")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
    passes = {int(number) for line in ax.lines for number in line.get_xdata()}
    if len(passes) == 1:
        ax.set_xlim(min(passes) - 0.5, min(passes) + 0.5)
    ax.yaxis.set_major_formatter(lambda part, _: f"{100 * part:.4g}")
    highest = max([0.0, *(float(np.max(line.get_ydata())) for line in ax.lines if len(line.get_ydata()))])
    ax.set_ylim(0.0, 1.08 * highest or 0.01)
    legend_above(ax, 4)
    open_frame(ax)
