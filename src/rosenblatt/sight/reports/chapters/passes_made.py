"""How learning went: mistakes and errors pass by pass, and the answers before each label was seen."""

from __future__ import annotations

import math
from typing import Any, TypeVar

from rosenblatt.learning.run import Epoch, has_two_kinds
from rosenblatt.learning.streams.progressive import Progressive
from rosenblatt.sight.reports import svg
from rosenblatt.sight.reports.facts import Facts
from rosenblatt.sight.reports.markup import chapter, count, counted, duration, folded, percent, table

MOST_ROWS = 12  # of the table of passes that is shown open
MOST_LISTED = 60  # of the table at all

Item = TypeVar("Item")

TRAINING, HELD_OUT = "training rows", "held-out rows"


def learning(facts: Facts) -> str:
    """Mistakes and errors per pass, then the progressive error."""
    history = facts.record.history
    return chapter(
        "Training",
        _ended(facts),
        _mistakes(history) if len(history) > 1 else "",
        _errors(history) if len(history) > 1 else "",
        _passes(history),
        _progressive(facts),
    )


def _ended(facts: Facts) -> str:
    record = facts.record
    last, passes = record.history[-1], counted(len(record.history), "pass")
    made = "no mistake" if record.converged else counted(last.mistakes, "mistake")
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
    return f"<p>{so}.{kept}{columns}</p>\n"


# ---------------------------------------------------------------- passes


def _mistakes(history: list[Epoch]) -> str:
    most, fewest = max(history, key=lambda e: e.mistakes), min(history, key=lambda e: e.mistakes)
    title = "Mistakes in each pass"
    description = (
        f"From {count(history[0].mistakes)} in the first of {len(history)} passes to "
        f"{count(history[-1].mistakes)} in the last; most {count(most.mistakes)} in pass {most.epoch}, "
        f"fewest {count(fewest.mistakes)} in pass {fewest.epoch}."
    )
    if len(history) <= svg.MOST_BARS:
        names = [count(e.epoch) for e in history]
        drawn = svg.bars(title, description, [e.mistakes for e in history], names, "pass")
    else:
        scale = svg.whole_ticks(most.mistakes)
        some = _spread(history, svg.MOST_POINTS)
        line = svg.Series(
            [(_place(e, history), float(e.mistakes)) for e in some],
            [f"pass {count(e.epoch)}: {count(e.mistakes)}" for e in some],
            count(history[-1].mistakes),
        )
        named = [count(round(tick)) for tick in scale]
        drawn = svg.lines(title, description, [line], _pass_ticks(history), "pass", scale, named)
    return f"<figure><figcaption>{title}</figcaption>\n{drawn}</figure>\n"


def _errors(history: list[Epoch]) -> str:
    """Return the errors of the model's weights after each pass, of those that were measured."""
    measured = [
        (TRAINING, [e.training_error for e in history]),
        (HELD_OUT, [e.validation_error for e in history]),
    ]
    present = [(name, errors) for name, errors in measured if any(error is not None for error in errors)]
    if not present:
        return ""
    scale, named = svg.percent_ticks(max(error or 0.0 for _, errors in present for error in errors))
    series = [_error_line(errors, history) for _, errors in present]
    description = " ".join(
        f"{name}: {line.told[0]}, {line.told[-1]}." for (name, _), line in zip(present, series, strict=True)
    )
    title = "Error after each pass"
    drawn = svg.lines(title, description, series, _pass_ticks(history), "pass", scale, named)
    legend = legend_of([name for name, _ in present])
    return f"<figure><figcaption>{title}{legend}</figcaption>\n{drawn}</figure>\n"


def _error_line(errors: list[float | None], history: list[Epoch]) -> svg.Series:
    known = [(e, error) for e, error in zip(history, errors, strict=True) if error is not None]
    some = _spread(known, svg.MOST_POINTS)
    return svg.Series(
        [(_place(e, history), error) for e, error in some],
        [f"pass {count(e.epoch)} {percent(error)}" for e, error in some],
        percent(known[-1][1]),
    )


def _passes(history: list[Epoch]) -> str:
    """Return the table behind the pictures; of very many passes some, evenly spaced."""
    told = has_two_kinds(history)
    has_training = any(e.training_error is not None for e in history)
    has_held_out = any(e.validation_error is not None for e in history)
    header = ["pass", "examples", "mistakes", *["false positives", "false negatives"] * told, "updates"]
    header += ["training error"] * has_training + ["held-out error"] * has_held_out + ["time"]
    rows = []
    for e in _spread(history, MOST_LISTED):
        kinds = [count(e.false_positives), count(e.false_negatives)] * told
        row = [count(e.epoch), count(e.examples_seen), count(e.mistakes), *kinds, count(e.updates)]
        row += [_part(e.training_error)] * has_training + [_part(e.validation_error)] * has_held_out
        rows.append([*row, "–" if e.seconds is None else duration(e.seconds)])
    if len(history) <= MOST_ROWS:
        return table(header, rows, "Each pass")
    shown = "All" if len(rows) == len(history) else f"{len(rows)} of"
    return folded(f"{shown} {count(len(history))} passes in numbers", table(header, rows, "Each pass"))


def _part(error: float | None) -> str:
    return "–" if error is None else percent(error)


def _spread(items: list[Item], most: int) -> list[Item]:
    """Return a number of items at equal distances, including the first and the last."""
    if len(items) <= most:
        return items
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)]


def _place(epoch: Epoch, history: list[Epoch]) -> float:
    first, last = history[0].epoch, history[-1].epoch
    return 0.02 + 0.96 * (epoch.epoch - first) / max(1, last - first)


def _pass_ticks(history: list[Epoch]) -> list[tuple[float, str]]:
    if len(history) <= svg.MOST_LABELS:
        return [(_place(e, history), count(e.epoch)) for e in history]
    wanted = set(svg.ticks(history[-1].epoch)) | {float(history[0].epoch)}
    return [(_place(e, history), count(e.epoch)) for e in history if float(e.epoch) in wanted]


def legend_of(names: list[str]) -> str:
    """Return the legend of the marks of one or two lines, to follow a caption."""
    marks = ("●", "■")
    keys = "".join(
        f'<span class="key"><span class="ending{k}" aria-hidden="true">{marks[k]}</span> {name}</span>'
        for k, name in enumerate(names)
    )
    return f'<span class="legend">{keys}</span>'


# ---------------------------------------------------------------- the progressive error


def _progressive(facts: Facts) -> str:
    """Return the figure of the progressive error in the first pass."""
    told = facts.progressive
    if not told.examples:
        return ""
    reached = told.reached
    since = [
        (errors - before[1]) / (examples - before[0])
        for before, (examples, errors) in zip([(0, 0), *reached], reached, strict=False)
    ]
    so_far = [errors / examples for examples, errors in reached]
    return (
        "<figure><figcaption>Progressive error: each row is predicted before it is trained on"
        f"{legend_of(['all rows so far', 'rows since the last point'])}</figcaption>\n"
        f"{_progressive_picture(reached, so_far, since)}</figure>\n"
        f"<p>{count(told.errors)} of {counted(told.examples, 'prediction')} in the first pass were wrong: "
        f"a progressive error of {percent(told.error)}. Predictions were made {told.by}. "
        f"{_of_the_mean(told)}Each row was predicted before the model was trained on it, so the estimate "
        "is unbiased, but it includes the mistakes at the beginning of the training.</p>\n"
        + folded("The progressive error in numbers", _progressive_table(told, so_far, since))
    )


def _of_the_mean(told: Progressive) -> str:
    if not told.mean.examples:
        return ""
    spread = f"{percent(told.mean.error)} ± {percent(told.mean.standard_error)}"
    rows = counted(told.mean.examples, "row")
    return f"The mean so far, evaluated on {rows} at even intervals, had {spread}. "


def _progressive_picture(reached: list[tuple[int, int]], so_far: list[float], since: list[float]) -> str:
    widest = max(1.0, math.log2(reached[-1][0]))
    places = [0.02 + 0.96 * math.log2(examples) / widest for examples, _ in reached]
    series = [
        svg.Series(
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
    scale, named = svg.percent_ticks(max(so_far + since))
    description = (
        f"From {percent(so_far[0])} after one row to {percent(so_far[-1])} after {count(reached[-1][0])}; "
        f"{percent(since[-1])} on the last of them."
    )
    return svg.lines(
        "Progressive error", description, series, axis, "rows seen, on a log scale", scale, named
    )


def _progressive_table(told: Progressive, so_far: list[float], since: list[float]) -> str:
    names = ["false positives", "false negatives"] if told.kinds else []
    kinds: list[Any] = told.kinds or [()] * len(so_far)
    rows = [
        [count(examples), count(errors), *map(count, both), percent(error), percent(lately)]
        for (examples, errors), both, error, lately in zip(told.reached, kinds, so_far, since, strict=True)
    ]
    header = ["rows", "wrong", *names, "error", "since the last line"]
    return table(header, rows, "Progressive error")
