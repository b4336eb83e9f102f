"""The training: mistakes and errors pass by pass, and the progressive error of the first pass."""

from __future__ import annotations

import math
from typing import Any, TypeVar

from rosenblatt.reports import charts
from rosenblatt.reports.charts import BarChart, LineChart, Series
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.number_text import count, duration, percent, with_noun
from rosenblatt.reports.page_templates import Table
from rosenblatt.training.run import Epoch, has_two_kinds
from rosenblatt.training.streams.progressive import Progressive

MOST_ROWS = 12  # of the table of passes that is shown open
MOST_LISTED = 60  # of the table at all

Item = TypeVar("Item")


def training(facts: Facts) -> dict[str, Any]:
    """Return the mistakes and errors per pass, and the progressive error."""
    history = facts.record.history
    passes = _passes(history)
    shown = "All" if len(passes.rows) == len(history) else f"{len(passes.rows)} of"
    errors, measured = _errors(history) if len(history) > 1 else (None, [])
    return {
        "ended": _ended(facts),
        "mistakes": _mistakes(history) if len(history) > 1 else None,
        "errors": errors,
        "measured": measured,
        "passes": passes,
        "folded": f"{shown} {count(len(history))} passes in numbers" if len(history) > MOST_ROWS else "",
        "progressive": _progressive(facts.progressive) if facts.progressive.examples else None,
    }


def _ended(facts: Facts) -> str:
    record = facts.record
    last, passes = record.history[-1], with_noun(len(record.history), "pass")
    made = "no mistake" if record.converged else with_noun(last.mistakes, "mistake")
    so = f"{passes}, with {made}" if len(record.history) == 1 else f"{passes}; the last one made {made}"
    kept = ""
    if record.best_epoch and record.best_epoch != last.epoch:
        best = count(record.best_epoch)
        kept = f" The weights are those of pass {best}, which had the lowest error on the held-out rows."
    columns = ""
    if record.n_columns > 1 and record.parameters.get("multiclass", "one_vs_rest") == "one_vs_rest":
        columns = (
            f" Each of the {count(record.n_columns)} classes is separated from the rest by its own "
            "weights, and mistakes are counted for each."
        )
    return f"{so}.{kept}{columns}"


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
    """Return the errors after each pass that were measured, and on which rows."""
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


def _passes(history: list[Epoch]) -> Table:
    """Return the table behind the pictures; of very many passes some, evenly spaced."""
    has_kinds = has_two_kinds(history)
    has_training = any(e.training_error is not None for e in history)
    has_held_out = any(e.validation_error is not None for e in history)
    header = [
        "pass",
        "examples",
        "mistakes",
        *["false positives", "false negatives"] * has_kinds,
        "updates",
    ]
    header += ["training error"] * has_training + ["held-out error"] * has_held_out + ["time"]
    rows = []
    for e in _sample(history, MOST_LISTED):
        kinds = [count(e.false_positives), count(e.false_negatives)] * has_kinds
        row = [count(e.epoch), count(e.examples_seen), count(e.mistakes), *kinds, count(e.updates)]
        row += [_part(e.training_error)] * has_training + [_part(e.validation_error)] * has_held_out
        rows.append([*row, "–" if e.seconds is None else duration(e.seconds)])
    return Table("Each pass", header, rows)


def _part(error: float | None) -> str:
    return "–" if error is None else percent(error)


def _sample(items: list[Item], most: int) -> list[Item]:
    """Return a number of items at equal distances, including the first and the last."""
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


def _progressive(found: Progressive) -> dict[str, Any]:
    """Return the progressive error in the first pass."""
    reached = found.reached
    since = [
        (errors - before[1]) / (examples - before[0])
        for before, (examples, errors) in zip([(0, 0), *reached], reached, strict=False)
    ]
    so_far = [errors / examples for examples, errors in reached]
    return {
        "errors": found.errors,
        "examples": found.examples,
        "error": found.error,
        "by": found.by,
        "of_mean": _of_mean(found),
        "chart": _progressive_chart(reached, so_far, since),
        "table": _progressive_table(found, so_far, since),
    }


def _of_mean(found: Progressive) -> str:
    if not found.mean.examples:
        return ""
    spread = f"{percent(found.mean.error)} ± {percent(found.mean.standard_error)}"
    rows = with_noun(found.mean.examples, "row")
    return f"The mean so far, evaluated on {rows} at even intervals, had {spread}. "


def _progressive_chart(
    reached: list[tuple[int, int]], so_far: list[float], since: list[float]
) -> LineChart:
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


def _progressive_table(found: Progressive, so_far: list[float], since: list[float]) -> Table:
    names = ["false positives", "false negatives"] if found.kinds else []
    kinds: list[Any] = found.kinds or [()] * len(so_far)
    rows = [
        [count(examples), count(errors), *map(count, both), percent(error), percent(lately)]
        for (examples, errors), both, error, lately in zip(found.reached, kinds, so_far, since, strict=True)
    ]
    return Table("Progressive error", ["rows", "wrong", *names, "error", "since the last line"], rows)
