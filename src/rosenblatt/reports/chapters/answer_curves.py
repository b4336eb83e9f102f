"""Plots of decision values and probabilities: ROC, precision by recall, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.charts import MOST_POINTS, LineChart, Scale, Series
from rosenblatt.reports.measures import Curve, brier, ranking, reliability
from rosenblatt.reports.number_text import percent, shorten
from rosenblatt.training.streams.evaluations import Evaluation

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
SCALE = Scale(TICKS, [f"{100 * tick:.0f}\u00a0%" for tick in TICKS])
PLACES = list(zip(*SCALE, strict=True))
MOST_LETTERS = 30  # characters of a class name in a caption
DIAGONAL = Series([(0.0, 0.0), (1.0, 1.0)], [])


def curves(found: Evaluation) -> list[list[dict[str, Any]]]:
    """Return the plots in groups that are shown side by side: ROC and precision; calibration."""
    label, ranked, calibration = plain(found.classes[1]), ranking(found), reliability(found)
    groups = []
    if ranked is not None:
        base = Series([(0.0, ranked.base), (1.0, ranked.base)], [])
        area, average = f"{ranked.roc.area:.4f}", f"{ranked.precision.area:.4f}"
        roc = _figure(
            "ROC curve for {}: true positive rate by false positive rate", label, ranked.roc, DIAGONAL,
            f"The area under the curve is {area}.", "false positive rate", [f"AUC {area}", "chance"],
        )  # fmt: skip
        precision = _figure(
            "Precision of {} by recall", label, ranked.precision, base,
            f"The area under the curve, the average precision, is {average}.", "recall",
            [f"average precision {average}", "chance"],
        )  # fmt: skip
        groups.append([roc, precision])
    if calibration is not None:
        of = "{}" if len(found.classes) == 2 else "the predicted class"
        curve = Curve(calibration.told, calibration.true, 0.0)
        figure = _figure(
            f"Calibration: observed frequency by predicted probability of {of}", label, curve, DIAGONAL,
            "A calibrated model is on the diagonal.", "predicted probability",
            [f"Brier score {brier(found):.4f}", "perfect calibration"],
        )  # fmt: skip
        groups.append([figure])
    return groups


def _figure(
    title: str, label: Any, curve: Curve, reference: Series, description: str, below: str, legend: list[str]
) -> dict[str, Any]:
    """Return a plot of a curve and a reference line; {} in `title` stands for `label`."""
    some = np.unique(np.linspace(0, len(curve.x) - 1, MOST_POINTS).round().astype(int))
    points = [(float(curve.x[k]), float(curve.y[k])) for k in some]
    line = Series(points, [f"{percent(x)}, {percent(y)}" for x, y in points])
    chart_title = title.format(shorten(label, MOST_LETTERS))
    before, found, after = title.partition("{}")
    return {
        "before": before,
        "label": label,
        "after": after if found else None,
        "legend": legend,
        "chart": LineChart(chart_title, description, [line, reference], PLACES, below, SCALE),
    }
