"""Training: mistakes and errors after each pass, and the progressive error of the first pass."""

from __future__ import annotations

import math
from typing import Any, TypeVar

from rosenblatt.reports import charts
from rosenblatt.reports.charts import BarChart, LineChart, Series
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.number_text import count, percent
from rosenblatt.training.run import Epoch
from rosenblatt.training.streams.progressive import Progressive

MOST_ROWS = 12  # a longer table of passes is collapsed
MOST_LISTED = 60  # the most rows of the table

Item = TypeVar("Item")


def training(facts: Facts) -> dict[str, Any]:
    """Return the charts of mistakes and errors, and the passes to list in a table."""
    history = facts.record.history
    errors, measured = _errors(history) if len(history) > 1 else (None, [])
    has_training = any(e.training_error is not None for e in history)
    has_held_out = any(e.validation_error is not None for e in history)
    return {
        "mistakes": _mistakes(history) if len(history) > 1 else None,
        "errors": errors,
        "measured": measured,
        "listed": _sample(history, MOST_LISTED),
        "is_long": len(history) > MOST_ROWS,
        "has_training": has_training,
        "has_held_out": has_held_out,
        "error_names": ["training error"] * has_training + ["held-out error"] * has_held_out,
        "progressive": _progressive_chart(facts.progressive) if facts.progressive.examples else None,
    }


# ---------------------------------------------------------------- passes


def _mistakes(history: list[Epoch]) -> BarChart | LineChart:
    most, fewest = max(history, key=lambda e: e.mistakes), min(history, key=lambda e: e.mistakes)
    title = "Mistakes in each pass"
    description = (
        f"From {count(history[0].mistakes)} in the first of {len(history)} passes to "
        f"{count(history[-1].mistakes)} in the last; most {count(most.mistakes)} in pass {most.epoch}, "
        f"fewest {count(fewest.mistakes)} in pass {fewest.epoch}."
    )
    if len(history) <= charts.MOST_BARS:
        names = [count(e.epoch) for e in history]
        return BarChart(title, description, [e.mistakes for e in history], names, "pass")
    some = _sample(history, charts.MOST_POINTS)
    line = Series(
        [(_place(e, history), float(e.mistakes)) for e in some],
        [f"pass {count(e.epoch)}: {count(e.mistakes)}" for e in some],
        count(history[-1].mistakes),
    )
    scale = charts.whole_scale(most.mistakes)
    return LineChart(title, description, [line], _pass_ticks(history), "pass", scale)


def _errors(history: list[Epoch]) -> tuple[LineChart | None, list[str]]:
    """Return a chart of the errors after each pass, and the names of the measured sets of rows."""
    measured = {
        "training rows": [e.training_error for e in history],
        "held-out rows": [e.validation_error for e in history],
    }
    present = {rows: errors for rows, errors in measured.items() if any(e is not None for e in errors)}
    if not present:
        return None, []
    scale = charts.percent_scale(max(error or 0.0 for errors in present.values() for error in errors))
    series = [_error_line(errors, history) for errors in present.values()]
    description = " ".join(
        f"{rows}: {line.texts[0]}, {line.texts[-1]}." for rows, line in zip(present, series, strict=True)
    )
    chart = LineChart("Error after each pass", description, series, _pass_ticks(history), "pass", scale)
    return chart, list(present)


def _error_line(errors: list[float | None], history: list[Epoch]) -> Series:
    known = [(e, error) for e, error in zip(history, errors, strict=True) if error is not None]
    some = _sample(known, charts.MOST_POINTS)
    return Series(
        [(_place(e, history), error) for e, error in some],
        [f"pass {count(e.epoch)} {percent(error)}" for e, error in some],
        percent(known[-1][1]),
    )


def _sample(items: list[Item], most: int) -> list[Item]:
    """Return at most `most` evenly spaced items, including the first and the last."""
    if len(items) <= most:
        return items
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)]


def _place(epoch: Epoch, history: list[Epoch]) -> float:
    first, last = history[0].epoch, history[-1].epoch
    return 0.02 + 0.96 * (epoch.epoch - first) / max(1, last - first)


def _pass_ticks(history: list[Epoch]) -> list[tuple[float, str]]:
    if len(history) <= charts.MOST_LABELS:
        return [(_place(e, history), count(e.epoch)) for e in history]
    wanted = set(charts.ticks(history[-1].epoch)) | {float(history[0].epoch)}
    return [(_place(e, history), count(e.epoch)) for e in history if float(e.epoch) in wanted]


# ---------------------------------------------------------------- the progressive error


def _progressive_chart(found: Progressive) -> LineChart:
    """Return a chart of the progressive error: over all rows so far, and since the previous point."""
    reached = found.all_lines
    so_far = [errors / examples for examples, errors in reached]
    since = [
        (errors - before[1]) / (examples - before[0])
        for before, (examples, errors) in zip([(0, 0), *reached], reached, strict=False)
    ]
    widest = max(1.0, math.log2(reached[-1][0]))
    places = [0.02 + 0.96 * math.log2(examples) / widest for examples, _ in reached]
    series = [
        Series(
            list(zip(places, errors, strict=True)),
            [f"{count(n)} rows: {percent(error)}" for (n, _), error in zip(reached, errors, strict=True)],
            percent(errors[-1]),
        )
        for errors in (so_far, since)
    ]
    decades = range(math.floor(math.log10(reached[-1][0])) + 1)
    axis = [(0.02 + 0.96 * math.log2(10**k) / widest, count(10**k)) for k in decades]
    if len(axis) < 3:
        axis = [(place, count(n)) for place, (n, _) in zip(places, reached, strict=True)]
    description = (
        f"From {percent(so_far[0])} after one row to {percent(so_far[-1])} after {count(reached[-1][0])}; "
        f"{percent(since[-1])} on the last of them."
    )
    scale = charts.percent_scale(max(so_far + since))
    return LineChart("Progressive error", description, series, axis, "rows seen, on a log scale", scale)
